import { equal } from "../../src/json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import type { Answer } from "../cluster/client.ts";
import { withoutCarriers } from "../cluster/content.ts";
import { storedObjects } from "../cluster/etcd.ts";
import { setStorageOf } from "../cluster/kinds.ts";
import type { ApiServer } from "../cluster/server.ts";
import { type ClientAt, exported, metadataOf, type Subject, subject } from "../cluster/subject.ts";
import { until } from "../cluster/suites/served.ts";
import type { Views } from "./judge.ts";
import { changed, mergePatch, type Step } from "./step.ts";

/** An object under test: what its readers see now and saw before, and what its appliers applied last. */
export interface Tenant {
  readonly kind: Kind;
  readonly subject: Subject;
  readonly server: ApiServer;
  views: Views;
  /** What readers saw after the last write that was converted. What carriers know is of then. */
  converted: Views;
  /** The version that the API server stores. */
  stored: string;
  readonly past: Views[];
  readonly applied: Map<string, JsonObject>;
}

/** What came of one step: what the client meant, and what the server answered, the last answer last. */
export interface Outcome {
  /** What the client should read at its version afterwards; undefined if it cannot say, as where it applies a part. */
  readonly meant?: JsonObject;
  /** Whether the client applied before and may give up what it applied then. */
  readonly mayGiveUp?: boolean;
  /** Whether the object was deleted and could not be created again. */
  readonly isGone?: boolean;
  readonly answers: readonly Answer[];
}

/**
 * Deletes the object, and makes the hub the storage version again if it was not. The object waits for that: the next one of its
 * kind would be created while the API server still stores the other version, and would get the hub's defaults only later.
 */
export async function leave(tenant: Tenant, isMoved: boolean): Promise<void> {
  const { kind, server } = tenant;
  const { group, plural } = kind.definition;
  const client = tenant.subject.at(kind.hub.name);
  if (isMoved) {
    const { status } = await client.patch({});
    if (status === 200) await store(tenant, kind.hub.name);
    else await setStorageOf(server, { group, plural }, kind.hub.name);
  }
  await client.remove();
}

/** Creates an object and its status, and reads it at every version; undefined if the server refuses it. */
export async function settle(
  server: ApiServer,
  kind: Kind,
  name: string,
  at: string,
  object: JsonObject,
): Promise<Tenant | Answer> {
  const { group, plural, scope } = kind.definition;
  const names = { kind: kind.definition.kind, plural, group, ...(scope === "Cluster" ? { scope } : {}) };
  const it = subject(server, names, "soak", name);
  const client = it.at(at);
  const { status, ...rest } = object;
  const created = await client.create(client.file(rest));
  if (created.status !== 201) return created;
  if (isObject(status) && isObject(created.body)) {
    const put = await client.putStatus({ ...created.body, status: { ...statusOf(created.body), ...status } });
    if (put.status !== 200) return put;
  }
  const views = await viewsOf(kind, it);
  const stored = kind.hub.name;
  return { kind, subject: it, server, views, converted: views, stored, past: [views], applied: new Map() };
}

/** Whether the API server got no answer from a webhook in time: the machine is busy with other things. */
export function isUnanswered({ status, text }: Answer): boolean {
  return status >= 500 && text.includes("context deadline exceeded");
}

/** The object as readers of each version see it. */
export async function viewsOf(kind: Kind, it: Subject): Promise<Views> {
  const served = kind.versions.filter((version) => version.served);
  const read = served.map(async ({ name }) => [name, await it.at(name).get()] as const);
  return new Map(await Promise.all(read));
}

/** Makes a version the storage version, and rewrites the object until it is stored in it. */
async function store(tenant: Tenant, version: string): Promise<void> {
  const { server, kind, subject: it } = tenant;
  tenant.stored = version;
  const { group, plural } = kind.definition;
  await setStorageOf(server, { group, plural }, version);
  const client = it.at(kind.hub.name);
  let round = 0;
  await until(async () => {
    await client.patch({ metadata: { labels: { round: String(round++) } } });
    const stored = (await storedObjects(server, plural, group)).find(({ name }) => name === it.name);
    return stored?.apiVersion === `${group}/${version}`;
  }, `${kind.name} stored as ${version}`);
  await client.patch({ metadata: { labels: { round: null } } });
}

/** What a client that makes these changes wants to read afterwards, of what it sees at its version. */
export function intended(tenant: Tenant, step: Step): JsonObject {
  const before = viewAt(tenant, step);
  const base = withoutCarriers(
    step.by === "stale PUT" || step.by === "stale /status" ? pastAt(tenant, step) : before,
  );
  const wanted = changed(base, step.changes ?? []);
  const now = withoutCarriers(before);
  if (step.by.endsWith("/status")) return set(now, "status", wanted.status);
  const labelled = withMarks(now, wanted, step.by === "bare PUT");
  return set({ ...contentBeside(wanted), ...labelled }, "status", now.status);
}

/** Does what a step says. */
export async function perform(tenant: Tenant, step: Step): Promise<Outcome> {
  const client = tenant.subject.at(step.at);
  const before = viewAt(tenant, step);
  const next = intended(tenant, step);
  const one = async (asked: Promise<Answer>, meant: JsonObject | undefined = next): Promise<Outcome> => ({
    ...(meant === undefined ? {} : { meant }),
    answers: [await asked],
  });
  switch (step.by) {
    case "PUT":
      return one(client.put(set(withContent(before, next), "status", before.status)));
    case "bare PUT":
      return one(client.put(bare(client, before, next)));
    case "stale PUT": {
      const stale = changed(pastAt(tenant, step), step.changes ?? []);
      return one(client.put(set(stale, "metadata", fresh(stale, before))));
    }
    case "PUT unchanged":
      return one(client.put(before));
    case "annotations null":
      return one(client.patch({ metadata: { annotations: null } }));
    case "annotate": {
      const value = step.size === 0 ? null : "x".repeat((step.size ?? 0) * 1024);
      return one(client.patch({ metadata: { annotations: { "example.org/large": value } } }));
    }
    case "merge PATCH": {
      const patch = mergePatch(patchable(before), patchable(next));
      return one(patch === undefined ? client.put(withContent(before, next)) : client.patch(patch));
    }
    case "apply":
    case "apply less":
      return apply(tenant, step, client, before, next);
    case "PUT of /status":
      return one(client.putStatus(set(before, "status", withCarrier(before, next.status))));
    case "rebuilt /status":
      return one(client.putStatus(client.file({ metadata: identity(before), ...statusOnly(next) })));
    case "stale /status": {
      const stale = changed(pastAt(tenant, step), step.changes ?? []);
      return one(client.putStatus(set(before, "status", stale.status)));
    }
    case "merge PATCH of /status": {
      const patch = mergePatch(statusOnly(withoutCarriers(before)), statusOnly(next));
      return one(client.patchStatus(patch ?? {}), patch === undefined ? withoutCarriers(before) : next);
    }
    case "recreate": {
      const file = exported(before);
      const removed = await client.remove();
      tenant.applied.clear();
      // A copy of the deleted object would be an export for its successor.
      tenant.past.length = 0;
      const created = await client.create(file);
      if (created.status !== 201) return { meant: next, isGone: true, answers: [removed, created] };
      const { status } = file;
      const restored = isObject(status) ? [await client.putStatus({ ...(await client.get()), status })] : [];
      return { meant: next, answers: [removed, created, ...restored] };
    }
    case "storage":
      await store(tenant, step.at);
      return { answers: [] };
  }
}

/** Applies the top-level fields of spec that change; more than that, what the manager applied before. */
async function apply(
  tenant: Tenant,
  step: Step,
  client: ClientAt,
  before: JsonObject,
  next: JsonObject,
): Promise<Outcome> {
  const manager = managerOf(step);
  const names = new Set((step.changes ?? []).map(({ path: [first, second] }) => `${first}.${second}`));
  const spec = isObject(next.spec) ? next.spec : {};
  const labels = get(next, "metadata", "labels");
  const last = tenant.applied.get(manager);
  const kept = step.by === "apply" ? (last ?? {}) : {};
  const changes = Object.entries(spec).filter(([name, value]) => names.has(`spec.${name}`) && value !== null);
  const fields = Object.fromEntries(changes.map(([name, value]) => [name, withoutNulls(value)]));
  const said = { ...(isObject(kept.spec) ? kept.spec : {}), ...fields };
  const content = {
    ...(Object.keys(said).length > 0 ? { spec: said } : {}),
    ...(names.has("metadata.labels") && isObject(labels) && Object.keys(labels).length > 0
      ? { metadata: { labels } }
      : {}),
  };
  const answer = await client.apply(manager, content, { force: "force" });
  if (answer.status < 300) tenant.applied.set(manager, content);
  // What others apply as well stays, and what the manager no longer applies goes: only what it adds is certain.
  const isCertain =
    last === undefined &&
    Object.keys(said).length === names.size &&
    changes.every(([name, value]) => equal(value, fields[name]));
  const mayGiveUp = last !== undefined;
  return {
    ...(isCertain && covers(before, next, step) ? { meant: next } : {}),
    mayGiveUp,
    answers: [answer],
  };
}

/** Keeps what readers see after a write, and some of what they saw before. */
export function remember(tenant: Tenant, views: Views): void {
  tenant.views = views;
  tenant.past.push(views);
  if (tenant.past.length > 8) tenant.past.shift();
}

/** What the manager of a step applied last. */
export function appliedBy({ applied }: Tenant, step: Step): JsonObject {
  return applied.get(managerOf(step)) ?? {};
}

/** Applies once more what the manager of a step applied last. */
export async function applyAgain(tenant: Tenant, step: Step): Promise<void> {
  const client = tenant.subject.at(step.at);
  await client.apply(managerOf(step), appliedBy(tenant, step), { force: "force" });
}

/** A manager that changed its version would give up what its new version cannot say. */
function managerOf({ at, manager = "one" }: Step): string {
  return `${manager}-${at}`;
}

/** A value that can be applied: the server drops meaningless nulls of other writes, but not of applied ones. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name, withoutNulls(each)]),
  );
}

/** Whether all changes add or change fields: by leaving a field out an applier takes nothing away that others hold. */
function covers(before: JsonObject, next: JsonObject, { changes = [] }: Step): boolean {
  return changes.every(({ path, value }) => {
    if (value === undefined || value === null) return false;
    const [then, now] = [at(before, path), at(next, path)];
    return (
      !isObject(then) &&
      !Array.isArray(then) &&
      !path.some((each) => typeof each === "number") &&
      now !== undefined &&
      !isObject(now) &&
      !Array.isArray(now)
    );
  });
}

function at(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (here, key) => (typeof key === "number" ? (Array.isArray(here) ? here[key] : undefined) : get(here, key)),
    value,
  );
}

function viewAt({ views }: Tenant, { at }: Step): JsonObject {
  const view = views.get(at);
  if (view === undefined) throw new Error(`there is no version ${at}`);
  return view;
}

function pastAt({ past, views }: Tenant, { at, ago = 1 }: Step): JsonObject {
  return (past.at(-1 - (ago % Math.max(1, past.length))) ?? views).get(at) ?? {};
}

/** The object with other content, and with its metadata but for labels. */
function withContent(object: JsonObject, content: JsonObject): JsonObject {
  const { apiVersion = "", kind = "" } = object;
  const metadata = set(metadataOf(object), "labels", get(content, "metadata", "labels"));
  return { ...content, apiVersion, kind, metadata: withAnnotations(metadata, object, content) };
}

function withAnnotations(metadata: JsonObject, object: JsonObject, content: JsonObject): JsonObject {
  const carriers = Object.entries(get(object, "metadata", "annotations") ?? {}).filter(
    ([name]) => get(withoutCarriers(object), "metadata", "annotations", name) === undefined,
  );
  const annotations = {
    ...(get(content, "metadata", "annotations") as JsonObject | undefined),
    ...Object.fromEntries(carriers),
  };
  return set(metadata, "annotations", Object.keys(annotations).length > 0 ? annotations : undefined);
}

/** A status with the carrier that stands in another one. */
function withCarrier(object: JsonObject, status: Json | undefined): Json | undefined {
  const carrier = get(object, "status", "conversionData");
  return carrier === undefined ? status : { ...(isObject(status) ? status : {}), conversionData: carrier };
}

function withMarks(now: JsonObject, wanted: JsonObject, isBare: boolean): JsonObject {
  const marks = (name: string) => get(wanted, "metadata", name);
  const metadata = set(
    set(metadataOf(now), "labels", marks("labels")),
    "annotations",
    isBare ? undefined : marks("annotations"),
  );
  return { apiVersion: now.apiVersion ?? "", kind: now.kind ?? "", metadata };
}

function contentBeside({ apiVersion: _, kind: __, metadata: ___, ...content }: JsonObject): JsonObject {
  return content;
}

/** What a client sends that knows no annotations; labels it keeps. */
function bare(client: ClientAt, before: JsonObject, next: JsonObject): JsonObject {
  const labels = get(next, "metadata", "labels");
  const metadata = { ...identity(before), ...(labels === undefined ? {} : { labels }) };
  return client.file({ ...set(contentBeside(next), "status", undefined), metadata });
}

function identity(object: JsonObject): JsonObject {
  return { resourceVersion: metadataOf(object).resourceVersion ?? "" };
}

/** The metadata of an old copy, to be written over what is there now. */
function fresh(stale: JsonObject, before: JsonObject): JsonObject {
  const { resourceVersion = "", uid = "" } = metadataOf(before);
  return { ...metadataOf(stale), resourceVersion, uid };
}

/** What a merge patch may change: not what the server owns. */
function patchable(object: JsonObject): JsonObject {
  const { metadata, status: _, apiVersion: __, kind: ___, ...content } = withoutCarriers(object);
  const marks = Object.fromEntries(
    ["labels", "annotations"].flatMap((name) => {
      const value = get(metadata, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { ...content, metadata: marks };
}

function statusOnly({ status }: JsonObject): JsonObject {
  return status === undefined ? {} : { status };
}

function statusOf(object: JsonObject): JsonObject {
  return isObject(object.status) ? object.status : {};
}
