import { kindName } from "../../apimachinery/resource.ts";
import { detach } from "../../conversion/carriers.ts";
import { convert } from "../../conversion/convert.ts";
import { sorted } from "../../conversion/tree.ts";
import { equal } from "../../json/equal.ts";
import { get, type Json, type JsonObject, listAt, objectAt, set, textAt } from "../../json/json.ts";
import { type Kind, type Kinds, type Version, versionIndex } from "../../kind/kind.ts";
import { noObjects } from "../../kind/lister.ts";
import { crdOf } from "../../manifests/crd.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { type AnswerOfWebhooks, answerOf } from "../../offline/write-answer.ts";
import { type Crd, compileCheckedCrd, failure } from "../../schema/index.ts";
import { appliedBy, type Managing, messageOf, updatedBy } from "./managers.ts";

/**
 * An API server with one object of a kind, its webhooks included: what it does to the object between a client and etcd, in its
 * order (apiserver, pkg/endpoints/handlers and registry/generic; apiextensions-apiserver, registry/customresource).
 */
export interface ApiServer {
  readonly kind: Kind;
  /** Names of the versions that are served, the oldest first. */
  readonly versions: readonly string[];
  /** The object as a client reads it at a version that is served; undefined if there is none. */
  readonly read: (held: Held, version: string) => JsonObject | undefined;
  /** The warnings of every request to a version. */
  readonly warningsAt: (version: string) => readonly string[];
  readonly write: (held: Held, write: Write) => Written;
}

/** What etcd holds: the object at the newest version, how often anything was stored, and how many objects were created. */
export interface Held {
  readonly object?: JsonObject;
  readonly revision: number;
  readonly created: number;
}

/** Nothing was created yet. */
export const nothing: Held = { revision: 0, created: 0 };

/** A request that writes; the object is of the version that its apiVersion names. */
export interface Write {
  readonly verb: "create" | "update" | "apply" | "delete";
  readonly object: JsonObject;
  readonly manager: string;
  readonly subresource?: "status";
  /** Of an apply: whether it takes fields from other managers. */
  readonly force?: boolean;
}

/** The answer to a write, and what etcd holds then. */
interface Written {
  readonly code: number;
  /** Of a rejection. */
  readonly message?: string;
  readonly warnings: readonly string[];
  readonly held: Held;
}

/**
 * Starts the server with a kind; a later release of the kind is another server over the same etcd. A plain one has a webhook that
 * only maps fields, and carries nothing.
 */
export function apiServerOf(kind: Kind, isPlain = false): ApiServer {
  const compiled = compileCheckedCrd(crdOf(kind, { url: "https://localhost" }));
  if (!("crd" in compiled)) throw new Error(`the CRD of ${kind.name} has faults`);
  const { crd } = compiled;
  const server = { kind, crd, context: contextOf(kind), convertTo: conversionOf(kind, isPlain) };
  const warningsAt = (version: string) =>
    crd.versions.flatMap(({ name, deprecation = [] }) => (name === version ? deprecation : []));
  const served = kind.versions.flatMap((version) => (version.served ? [version.name] : []));
  return {
    kind,
    versions: served,
    read: (held, version) => (served.includes(version) ? readAt(server, held, version) : undefined),
    warningsAt,
    write: (held, write) => {
      const written = answered(server, held, write);
      const warnings = warningsAt(textAt(write.object, "apiVersion").split("/").at(-1) ?? "");
      return { ...written, warnings: [...new Set([...warnings, ...written.warnings])] };
    },
  };
}

interface Server {
  readonly kind: Kind;
  readonly crd: Crd;
  readonly context: ReturnType<typeof contextOf>;
  readonly convertTo: ReturnType<typeof conversionOf>;
}

function contextOf(kind: Kind) {
  const kinds: Kinds = {
    all: [kind],
    find: (group, name) => (kindName(group, name) === kind.name ? kind : undefined),
    natives: [],
    findNative: () => undefined,
  };
  return reviewContextOf(kinds, () => noObjects, new Map(), { now: () => new Date(0), random: () => 0 });
}

/** The object as a client reads it. Its fields are in order, as the API server writes them. */
function readAt(server: Server, { object, revision }: Held, version: string): JsonObject | undefined {
  if (object === undefined) return undefined;
  const read = server.crd.read(object, version, server.convertTo);
  return sorted(
    set(read, "metadata", { ...objectAt(read.metadata), resourceVersion: String(revision) }),
  ) as JsonObject;
}

/** The conversion webhook: what it is asked and answers went through JSON, in which fields are in order. */
function conversionOf(kind: Kind, isPlain: boolean): (object: JsonObject, version: string) => JsonObject {
  return (object, version) => {
    const from = versionIndex(kind, object.apiVersion);
    const to = kind.versions.findIndex(({ name }) => name === version);
    if (from === undefined || to < 0) return object;
    const whole = sorted(object) as JsonObject;
    if (!isPlain) return convert(whole, kind.chain, from, to);
    return detach(convert(detach(whole).object, kind.chain, from, to)).object;
  };
}

function answered(server: Server, held: Held, write: Write): Written {
  const { object, verb } = write;
  const { crd, kind } = server;
  const version = kind.versions[versionIndex(kind, object.apiVersion) ?? -1];
  if (version === undefined) return rejected(held, crd.write({ object, fieldValidation: "ignore" }));
  if (verb === "create" && held.object !== undefined) return rejected(held, alreadyExists(crd, object));
  const live = readAt(server, held, version.name);
  if (live === undefined && (verb === "update" || verb === "delete"))
    return rejected(held, notFound(crd, object));
  if (verb === "delete") return removed(held);
  const managing = { ...managingOf(server, write, version), force: write.force === true };
  const asked =
    verb === "apply"
      ? appliedBy(managing, live, object)
      : { object: withManagersOf(object, updatedBy(managing, live, decoded(version, object))) };
  if ("conflicts" in asked) {
    const status = failure(409, "Conflict", messageOf(asked.conflicts));
    return rejected(held, { allowed: false, status, warnings: [] });
  }
  const next = verb === "apply" ? version.schema.fill(asked.object) : asked.object;
  return admitted(server, held, { ...write, object: next }, live);
}

/** A client's object before its managers are looked at: pruned, and with defaults. */
function decoded({ schema }: Version, object: JsonObject): JsonObject {
  return schema.defaulted(schema.prune(object).object);
}

function withManagersOf(object: JsonObject, other: JsonObject): JsonObject {
  const managedFields = get(other, "metadata", "managedFields");
  return set(object, "metadata", set(objectAt(object.metadata), "managedFields", managedFields));
}

/** What admission, validation and storage make of an object with its new managers. */
function admitted(
  server: Server,
  held: Held,
  { verb, object, subresource }: Write,
  live: JsonObject | undefined,
): Written {
  const { crd, context } = server;
  const options = {
    fieldValidation: "warn" as const,
    isApplied: verb === "apply",
    ...(subresource === undefined ? {} : { subresource }),
  };
  const answer = answerOf(object, live, crd, context, options);
  if (!answer.allowed || answer.object === undefined) return rejected(held, answer);
  const metadata = {
    ...objectAt(answer.object.metadata),
    ...(live === undefined ? born(held.created + 1) : grown(answer.object, live)),
  };
  const unversioned = set(answer.object, "metadata", set(metadata, "resourceVersion", undefined));
  const whole = withManagersOf(unversioned, answer.mutated ?? object);
  const stored = sorted(crd.store(whole, server.convertTo)) as JsonObject;
  const created = held.created + (live === undefined ? 1 : 0);
  const { warnings } = answer;
  const code = live === undefined ? 201 : 200;
  if (held.object !== undefined && equal(stored, held.object)) return { code, warnings, held };
  const isLast =
    get(stored, "metadata", "deletionTimestamp") !== undefined &&
    listAt(stored, "metadata", "finalizers").length === 0;
  const next = { revision: held.revision + 1, created };
  return { code, warnings, held: isLast ? next : { ...next, object: stored } };
}

/** Metadata that the server gives a new object; the same in each life, so that lives can be compared. */
function born(count: number): JsonObject {
  return { uid: uidOf(count), generation: 1, creationTimestamp: birthday };
}

/** The uid of the object that was created as the nth. */
export function uidOf(count: number): string {
  return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}

/** When every object was created. */
export const birthday = "2026-01-01T00:00:00Z";

/** A write counts for the generation if it changes anything beside metadata and status (customresource/strategy.go). */
function grown(object: JsonObject, live: JsonObject): JsonObject {
  const generation = get(live, "metadata", "generation");
  const spoken = (each: JsonObject) => set(set(each, "metadata", undefined), "status", undefined);
  const isSame = typeof generation !== "number" || equal(spoken(object), spoken(live));
  return isSame ? {} : { generation: generation + 1 };
}

/** A deleted object stays until its last finalizer is gone. */
function removed({ object, revision, created }: Held): Written {
  const next = { revision: revision + 1, created };
  if (listAt(object, "metadata", "finalizers").length === 0) return { code: 200, warnings: [], held: next };
  const metadata = objectAt(object, "metadata");
  if (metadata.deletionTimestamp !== undefined)
    return { code: 200, warnings: [], held: { ...next, revision, object: object as JsonObject } };
  const generation = typeof metadata.generation === "number" ? metadata.generation + 1 : 1;
  const marked = { ...metadata, deletionTimestamp: birthday, deletionGracePeriodSeconds: 0, generation };
  return {
    code: 200,
    warnings: [],
    held: { ...next, object: set(object as JsonObject, "metadata", marked) },
  };
}

function managingOf(
  { kind, convertTo }: Server,
  { manager, subresource }: Write,
  { apiVersion, entry }: Version,
): Managing {
  const at = (apiVersion: string) => kind.versions[versionIndex(kind, apiVersion) ?? -1];
  const hasStatus = get(entry, "subresources", "status") !== undefined;
  return {
    manager,
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
    // Of status those of all versions, of the object those of its own (customresource_handler.go, getStatusResetFields).
    reset: (version) => {
      if (subresource === "status") return [["f:metadata"], ["f:spec"]];
      return hasStatus && version === apiVersion ? [["f:status"]] : [];
    },
    schemaOf: (apiVersion) => typedSchema(get(at(apiVersion)?.entry, "schema", "openAPIV3Schema")),
    convert: (object, apiVersion) => {
      const to = at(apiVersion);
      return to === undefined ? undefined : convertTo(object, to.name);
    },
  };
}

/** The schema of an object with that of its metadata (apimachinery, meta/v1, ObjectMeta). */
function typedSchema(schema: Json | undefined): Json {
  const known = objectAt(schema, "properties");
  return { ...objectAt(schema), properties: { ...known, apiVersion: {}, kind: {}, metadata: objectMeta } };
}

const texts = { additionalProperties: { type: "string" } };
const objectMeta = {
  properties: {
    ...Object.fromEntries(
      ["name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"].map(
        (name) => [name, {}] as const,
      ),
    ),
    deletionTimestamp: {},
    deletionGracePeriodSeconds: {},
    selfLink: {},
    managedFields: {},
    labels: texts,
    annotations: texts,
    finalizers: { items: {}, "x-kubernetes-list-type": "set" },
    ownerReferences: {
      items: { properties: {}, "x-kubernetes-map-type": "atomic" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
  },
};

function rejected(held: Held, { status, warnings }: AnswerOfWebhooks): Written {
  const code = get(status, "code");
  const message = textAt(status, "message");
  return { code: typeof code === "number" ? code : 500, message, warnings, held };
}

function alreadyExists({ plural, group }: Crd, object: JsonObject): AnswerOfWebhooks {
  const message = `${plural}.${group} "${textAt(object, "metadata", "name")}" already exists`;
  return { allowed: false, status: failure(409, "AlreadyExists", message), warnings: [] };
}

function notFound({ plural, group }: Crd, object: JsonObject): AnswerOfWebhooks {
  const message = `${plural}.${group} "${textAt(object, "metadata", "name")}" not found`;
  return { allowed: false, status: failure(404, "NotFound", message), warnings: [] };
}
