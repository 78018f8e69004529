import { apiVersionOf } from "../../apimachinery/resource.ts";
import { isObject, type Json, type JsonObject, listAt, objectAt, own, set, textAt } from "../../json/json.ts";
import { mergePatched } from "../../json/merge-patch.ts";
import type { Kind } from "../../kind/kind.ts";
import { nextRelease } from "./release.ts";
import { type ApiServer, apiServerOf, type Held, nothing, type Write } from "./server.ts";

/** What clients do to an object, as stories and links write it: a map of one key, the name of the action. */
export type Step =
  | { readonly create: { readonly object: JsonObject; readonly by?: string } }
  /** A client keeps what it reads, until it reads again. */
  | { readonly read: { readonly at: string } }
  /** A client reads the object, or takes what it has read, changes it, leaves something out, and writes it back whole. */
  | {
      readonly replace: At & {
        readonly kept?: boolean;
        readonly change?: JsonObject;
        readonly without?: readonly Part[];
      };
    }
  | { readonly patch: At & { readonly patch: JsonObject } }
  | { readonly apply: At & { readonly object: JsonObject; readonly force?: boolean } }
  | { readonly delete: { readonly at: string } }
  /** The next release of the kind: a version has fields that it did not have, by their paths, each with its schema. */
  | { readonly release: { readonly at: string; readonly fields: JsonObject } }
  /** A client creates the object again from what it has read. */
  | { readonly restore: { readonly at: string; readonly without?: readonly Part[]; readonly by?: string } };

/** A version, whether its `/status` is written, and by whom. */
interface At {
  readonly at: string;
  readonly status?: boolean;
  readonly by?: string;
}

/** What a client leaves out that knows fewer fields: `metadata` is all of it that does not name the object. */
export type Part = "annotations" | "status" | "metadata";

/** How a page lets clients live otherwise than stories do, which a real API server tells as well. */
export interface Setting {
  /** Whether the webhook only maps fields. */
  readonly plain?: boolean;
  /** Whether an object keeps the namespace that it names; else all are in `default`. */
  readonly namespaces?: boolean;
}

/** What became of the object, and what its clients have read. */
export interface Life {
  readonly setting: Setting;
  readonly server: ApiServer;
  readonly held: Held;
  readonly copies: Readonly<Record<string, JsonObject>>;
  /** The name and namespace of the object. */
  readonly identity: JsonObject;
}

/** The answer to a step: an HTTP status, and the message of a rejection. */
export interface StepAnswer {
  readonly code: number;
  readonly message?: string;
  readonly warnings: readonly string[];
}

/** A life before the first step. */
export function unborn(kind: Kind, setting: Setting = {}): Life {
  return { setting, server: apiServerOf(kind, setting.plain), held: nothing, copies: {}, identity: {} };
}

/** Takes a step. `written` is what its client sent, if it wrote. */
export function take(
  life: Life,
  step: Step,
): { readonly life: Life; readonly answer: StepAnswer; readonly written?: JsonObject } {
  if ("read" in step) return readBy(life, step.read.at);
  if ("release" in step) return released(life, step.release);
  const write = requestOf(life, step);
  if ("code" in write) return { life, answer: write };
  const { held, ...answer } = life.server.write(life.held, write);
  const { name = "", namespace = "default" } = objectAt(write.object.metadata);
  const identity = write.verb === "create" || write.verb === "apply" ? { name, namespace } : life.identity;
  return { life: { ...life, held, identity }, answer, written: write.object };
}

/** The object at each version that is served; none where there is no object. */
export function viewsOf({ server, held }: Life): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    server.versions.flatMap((version) => {
      const view = server.read(held, version);
      return view === undefined ? [] : [[version, view] as const];
    }),
  );
}

function readBy(life: Life, at: string) {
  const copy = life.server.read(life.held, at);
  const warnings = life.server.warningsAt(at);
  if (copy === undefined) return { life, answer: { ...missing, warnings } };
  return { life: { ...life, copies: { ...life.copies, [at]: copy } }, answer: { code: 200, warnings } };
}

/** The next release serves what etcd holds. */
function released(
  life: Life,
  { at, fields }: { readonly at: string; readonly fields: JsonObject },
): { readonly life: Life; readonly answer: StepAnswer } {
  const next = nextRelease(life.server.kind, at, fields);
  if (typeof next === "string") return { life, answer: { code: 422, message: next, warnings: [] } };
  return {
    life: { ...life, server: apiServerOf(next, life.setting.plain) },
    answer: { code: 200, warnings: [] },
  };
}

const missing: StepAnswer = { code: 404, message: "there is no such object", warnings: [] };

function requestOf(
  { setting, server, held, copies, identity }: Life,
  step: Exclude<Step, { readonly read: unknown } | { readonly release: unknown }>,
): Write | StepAnswer {
  const { definition } = server.kind;
  const named = (at: string, content: JsonObject): JsonObject => ({
    ...content,
    apiVersion: apiVersionOf(definition.group, at),
    kind: definition.kind,
    metadata: { ...objectAt(content.metadata), ...identity },
  });
  if ("create" in step)
    return {
      verb: "create",
      manager: step.create.by ?? someone,
      object: placed(step.create.object, setting),
    };
  if ("delete" in step) return { verb: "delete", manager: someone, object: named(step.delete.at, {}) };
  if ("restore" in step) {
    const { at, without = [], by = someone } = step.restore;
    const copy = copies[at];
    return copy === undefined
      ? missing
      : { verb: "create", manager: by, object: exported(left(copy, without)) };
  }
  if ("apply" in step) {
    const { at, object, force = false } = step.apply;
    return { verb: "apply", force, ...writer(step.apply), object: placed(named(at, object), setting) };
  }
  const { at } = "patch" in step ? step.patch : step.replace;
  const now = server.read(held, at);
  if (now === undefined) return missing;
  if ("patch" in step)
    return { verb: "update", ...writer(step.patch), object: objectAt(mergePatched(now, step.patch.patch)) };
  const { kept = false, change = {}, without = [] } = step.replace;
  const base = kept ? copies[at] : now;
  if (base === undefined) return missing;
  return {
    verb: "update",
    ...writer(step.replace),
    object: objectAt(mergePatched(left(base, without), change)),
  };
}

/** The name of a client without one. */
export const someone = "client";

function writer({ status = false, by = someone }: At): Pick<Write, "manager" | "subresource"> {
  return { manager: by, ...(status ? { subresource: "status" as const } : {}) };
}

/** An object in the namespace in which clients of this server write. */
function placed(object: JsonObject, { namespaces = false }: Setting): JsonObject {
  const metadata = objectAt(object.metadata);
  const namespace = (namespaces && metadata.namespace) || "default";
  return set(object, "metadata", { ...metadata, namespace });
}

/** What a client sends that leaves parts of an object out. */
export function left(object: JsonObject, without: readonly Part[]): JsonObject {
  return without.reduce((here, part) => {
    if (part === "status") return set(here, "status", undefined);
    const metadata = objectAt(here, "metadata");
    if (part === "annotations") return set(here, "metadata", set(metadata, "annotations", undefined));
    const { name = "", namespace = "", resourceVersion = "" } = metadata;
    return set(here, "metadata", { name, namespace, resourceVersion });
  }, object);
}

/** An object as it is read, made fit to be created: an export. */
export function exported(object: JsonObject): JsonObject {
  const metadata = objectAt(object, "metadata");
  return set(
    object,
    "metadata",
    set(set(metadata, "managedFields", undefined), "resourceVersion", undefined),
  );
}

/** The steps in a text that anyone may have written; a sentence on what is wrong with it. */
export function readSteps(value: Json | undefined): readonly Step[] | string {
  if (!Array.isArray(value)) return "steps are a list";
  if (value.length > mostSteps) return `there are ${value.length} steps; at most ${mostSteps} can be taken`;
  for (const [index, step] of value.entries()) {
    const fault = faultOf(step);
    if (fault !== undefined) return `step ${index + 1}: ${fault}`;
  }
  return value as unknown as readonly Step[];
}

/** A link is read by anyone: a life has an end. */
const mostSteps = 100;

type Type = "text" | "map" | "flag" | "parts";

const words: Readonly<Record<Type, string>> = {
  text: "text",
  map: "map",
  flag: "boolean",
  parts: "list of annotations, status or metadata",
};

const actions: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  create: { object: "map" },
  read: { at: "text" },
  replace: { at: "text" },
  patch: { at: "text", patch: "map" },
  apply: { at: "text", object: "map" },
  delete: { at: "text" },
  release: { at: "text", fields: "map" },
  restore: { at: "text" },
};
const optional: Readonly<Record<string, Type>> = {
  by: "text",
  status: "flag",
  kept: "flag",
  force: "flag",
  change: "map",
  without: "parts",
};
const parts: readonly Json[] = ["annotations", "status", "metadata"];

function faultOf(step: Json): string | undefined {
  const [action = "", ...more] = isObject(step) ? Object.keys(step) : [];
  const needed = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (needed === undefined || more.length > 0)
    return `a step is a map of one key, one of ${Object.keys(actions).join(", ")}`;
  const details = own(step, action);
  if (!isObject(details)) return `${action} needs ${Object.keys(needed).join(" and ")}`;
  const types = { ...optional, ...needed };
  for (const name of Object.keys(needed)) if (!Object.hasOwn(details, name)) return `${action} needs ${name}`;
  for (const [name, value] of Object.entries(details)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) return `${action} has no ${name}`;
    if (!isOfType(value, type)) return `${name} of ${action} must be a ${words[type]}`;
  }
  return undefined;
}

function isOfType(value: Json, type: Type): boolean {
  if (type === "text") return typeof value === "string";
  if (type === "flag") return typeof value === "boolean";
  if (type === "map") return isObject(value);
  return Array.isArray(value) && value.every((part) => parts.includes(part));
}

/** A step in few words: `v1beta1: replace without annotations by old-client`. */
export function sentenceOf(step: Step): string {
  const [action = "", given = {}] = Object.entries(step)[0] ?? [];
  const details = given as JsonObject;
  const at = "create" in step ? versionOf(step.create.object) : textAt(details, "at");
  const without = listAt(details, "without").join(", ");
  const by = textAt(details, "by");
  const words = [
    `${at}: ${action === "restore" ? "create from copy" : action}`,
    details.status === true ? "/status" : "",
    details.kept === true ? "what it has read" : "",
    without === "" ? "" : `without ${without}`,
    details.force === true ? "with force" : "",
    by === "" ? "" : `by ${by}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

/** The apiVersion's last part: the version of an object. */
export function versionOf(object: JsonObject): string {
  return textAt(object, "apiVersion").split("/").at(-1) ?? "";
}
