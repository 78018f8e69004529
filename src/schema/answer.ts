import { get, isObject, type JsonObject, own, set } from "../json/json.ts";
import { apiVersionOf } from "../resource.ts";
import type { CompiledVersion, Definition } from "./crd.ts";
import { invalid } from "./fault.ts";
import { textIn, warningsOfFinalizers } from "./metadata/check.ts";
import { coerceMetadata } from "./metadata/coerce.ts";
import { root } from "./place.ts";
import { quote } from "./printed.ts";
import { badRequestStatus, failure, invalidStatus } from "./status.ts";

/** A write as a client sends it, to an endpoint of the version that its apiVersion names. */
export interface SchemaWrite {
  readonly object: JsonObject;
  /** What was there before, at the same version: the write is an update then. */
  readonly old?: JsonObject;
  readonly subresource?: "status";
}

/** What came of a write: the object that would be stored, or the Status of the refusal. */
export interface Answer {
  readonly allowed: boolean;
  readonly status?: JsonObject;
  readonly object?: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * What an API server would answer to a write, admission aside: reads it, prunes, defaults, puts back what the endpoint
 * may not change, checks (kubernetes.md 2.1).
 */
export function answerWrite(definition: Definition, write: SchemaWrite): Answer {
  const version = versionOf(definition, write.object);
  if (version === undefined) {
    return refused(failure(404, "NotFound", "the server could not find the requested resource"));
  }
  const read = decoded(definition, version, write.object);
  if ("status" in read) return refused(read.status);
  const object = prepared(read.object, write, definition, version);
  const judged = write.subresource === "status" && write.old === undefined ? {} : write;
  const faults = faultsOf(definition, version, object, judged);
  const warnings = unique([
    ...read.unknown.map((field) => `unknown field ${doubleQuoted(field)}`),
    ...faults.warnings,
  ]);
  const named = own(object, "metadata");
  if (faults.found.length > 0) {
    const kind = textIn(object, "kind");
    return refused(invalidStatus(definition.group, kind, textIn(named, "name"), faults.found), warnings);
  }
  if (write.old === undefined && textIn(named, "resourceVersion") !== "") {
    const why = "resourceVersion should not be set on objects to be created";
    return refused(failure(500, undefined, why), warnings);
  }
  const more = write.subresource === "status" ? [] : warningsOfFinalizers(named, own(write.old, "metadata"));
  return { allowed: true, object, warnings: unique([...warnings, ...more]) };
}

function refused(status: JsonObject, warnings: readonly string[] = []): Answer {
  return { allowed: false, status, warnings };
}

function versionOf({ group, versions }: Definition, object: JsonObject): CompiledVersion | undefined {
  return versions.find(({ name, served }) => served && apiVersionOf(group, name) === object.apiVersion);
}

/** The write as the server reads it: metadata in its fields, no unknown fields, nothing missing that has a default. */
function decoded(
  { kind }: Definition,
  { name, schema }: CompiledVersion,
  object: JsonObject,
): { readonly object: JsonObject; readonly unknown: readonly string[] } | { readonly status: JsonObject } {
  const unfit = (why: string) => ({
    status: badRequestStatus(`${kind} in version ${quote(name)} cannot be handled as a ${kind}: ${why}`),
  });
  const metadata = own(object, "metadata");
  const coerced = metadata === undefined ? undefined : coerceMetadata(metadata);
  if (coerced !== undefined && "fault" in coerced) return unfit(coerced.fault);
  const { object: pruned, unknown } = schema.prune(object);
  const embedded = schema.embedding?.coerce(schema.dropped(pruned)) ?? {
    value: schema.dropped(pruned),
    unknown: [],
  };
  if ("fault" in embedded) return unfit(`${embedded.fault.field}: ${embedded.fault.message}`);
  const whole = isObject(embedded.value) ? embedded.value : pruned;
  const restored = coerced === undefined ? whole : set(whole, "metadata", coerced.metadata);
  return {
    object: schema.defaulted(restored),
    unknown: [
      ...(coerced?.unknown.map((field) => `metadata.${field}`) ?? []),
      ...unknown,
      ...embedded.unknown,
    ],
  };
}

/** The object with what a client may not write as the endpoint leaves it. */
function prepared(
  object: JsonObject,
  { old, subresource }: SchemaWrite,
  { scope }: Definition,
  { hasStatus }: CompiledVersion,
): JsonObject {
  if (old === undefined) {
    const made = hasStatus ? set(object, "status", undefined) : object;
    return withMetadata(made, (metadata) =>
      created(scope === "Cluster" ? set(metadata, "namespace", undefined) : metadata),
    );
  }
  if (subresource === "status") {
    const managed = get(object, "metadata", "managedFields");
    const kept = withMetadata(old, (metadata) => set(metadata, "managedFields", managed));
    return set(kept, "status", own(object, "status"));
  }
  const whole = hasStatus ? set(object, "status", own(old, "status")) : object;
  return withMetadata(whole, (metadata) => {
    const before = get(old, "metadata");
    const kept = ["generation", "creationTimestamp", "deletionTimestamp"].reduce(
      (result, key) => {
        const value = own(before, key);
        return value === undefined && key !== "generation" ? result : set(result, key, value);
      },
      scope === "Cluster" ? set(metadata, "namespace", undefined) : metadata,
    );
    const filled = ["uid", "deletionGracePeriodSeconds"].filter((key) => own(kept, key) === undefined);
    return filled.reduce((result, key) => set(result, key, own(before, key)), kept);
  });
}

/** What the server gives to a new object is not the client's to say. */
function created(metadata: JsonObject): JsonObject {
  const own = [
    "uid",
    "selfLink",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
  ];
  const cleared = own.reduce((result, key) => set(result, key, undefined), metadata);
  const prefix = textIn(cleared, "generateName");
  // The server ends the name by five characters of its own, which nobody can foretell.
  return prefix === "" || textIn(cleared, "name") !== ""
    ? cleared
    : set(cleared, "name", `${prefix.slice(0, 58)}xxxxx`);
}

function withMetadata(object: JsonObject, change: (metadata: JsonObject) => JsonObject): JsonObject {
  const metadata = own(object, "metadata");
  return set(object, "metadata", change(isObject(metadata) ? metadata : {}));
}

function faultsOf(
  { kind }: Definition,
  { schema }: CompiledVersion,
  object: JsonObject,
  { old, subresource }: Partial<SchemaWrite>,
) {
  const found = own(object, "kind");
  if (found !== kind) {
    const at = { text: "kind", path: [...root.path, "kind"] };
    return { found: [invalid(at, typeof found === "string" ? found : "", `must be ${kind}`)], warnings: [] };
  }
  const { faults, warnings } = schema.validate(object, old, subresource);
  return { found: faults, warnings };
}

/** Go writes this one with plain quotes: what is within stays as it is. */
function doubleQuoted(field: string): string {
  return `"${field}"`;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
