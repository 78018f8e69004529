import type { Cause } from "../admission/verdict.ts";
import { fieldsInSpoke, fieldsMappedWith } from "../conversion/field.ts";
import { fits, hasPlaceAt, isOpenAt } from "../conversion/shape.ts";
import { unfittedAtHub } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { fieldOf, valueAt } from "../json/path.ts";
import { toHub } from "../kind/kind.ts";
import type { SchemaFault } from "../schema/model/fault.ts";
import type { Write } from "./write.ts";

/**
 * The faults that the hub's schema finds in a write at another version. The API server checks only the schema of the version
 * that the client wrote, seen on v1.36.3, so that a client could store through an older version what the hub forbids, and
 * change what it declares immutable. Values that were invalid before and that this write does not change are not faults.
 */
export function faultsByHub(write: Write, hub: JsonObject): readonly SchemaFault[] {
  const { kind, version, subresource, isOriginal, circumstances } = write;
  const isHub = version === kind.versions.length - 1;
  const isStatus = subresource === "status";
  if ((isHub && isOriginal) || (subresource !== "" && !isStatus)) return [];
  const { oldObject } = circumstances;
  if (isLeftAlone(write, hub)) return [];
  const { schema } = kind.hub;
  // With the hub's defaults, which every read at the hub fills in, although this write does not store them.
  const [object, old] = [hub, oldObject].map((each) => each && schema.defaulted(schema.prune(each).object));
  if (object === undefined) return [];
  const endpoint = isStatus ? "status" : undefined;
  const faults = [
    ...faultsInOpenFields(write, hub, endpoint),
    ...schema.validate(object, old, endpoint).faults,
  ];
  const writable = (root: Path[number] | undefined) => (root === "status") === isStatus;
  // Conversion does not change metadata, which the API server has validated.
  const writableFaults = faults.filter(
    ({ path }) => path === undefined || (path[0] !== "metadata" && writable(path[0])),
  );
  if (writableFaults.length === 0 || old === undefined) return writableFaults;
  const fresh = newFaults(writableFaults, object, old, schema.validate(old, old, endpoint).faults);
  return fresh.every(({ because }) => because === "rules skipped") ? [] : fresh;
}

/**
 * Faults of values that are of a wrong type for the hub, where the schema of the written version says nothing of types. The
 * lenses cannot take over such a value, so that the hub would lose the one that it has. A value that was there before is left alone.
 */
function faultsInOpenFields(
  write: Write,
  hub: JsonObject,
  endpoint: "status" | undefined,
): readonly SchemaFault[] {
  const { kind, version, object, oldObject } = write;
  const { chain, versions } = kind;
  const shape = versions[version]?.shape;
  if (shape === undefined || version === versions.length - 1) return [];
  const [said, before] = [object, oldObject].map((each) =>
    unfittedAtHub(contentOf(each ?? {}), chain, version),
  );
  if (said === undefined || fits(said, kind.hub.shape)) return [];
  const fieldFor = fieldFinder(write, hub);
  const { faults } = kind.hub.schema.validate(said, undefined, endpoint);
  return faults.filter(({ type, path = [] }) => {
    const isNew = !equal(valueAt(said, path) ?? null, valueAt(before, path) ?? null);
    return type === "FieldValueTypeInvalid" && isNew && isOpenAt(shape, fieldFor(path) ?? path);
  });
}

/**
 * The faults without those that the object had before and this write does not concern, where the ratcheting of the API
 * server does not leave them out: it never correlates a list of invalid items with itself, and a rule that met a value of a
 * wrong type fails for every write. Such values were stored before there was a webhook, and a client at an older version may
 * not even see them.
 */
function newFaults(
  faults: readonly SchemaFault[],
  object: JsonObject,
  old: JsonObject,
  before: readonly SchemaFault[],
): readonly SchemaFault[] {
  const known = new Set(before.map(({ field, message }) => `${field}: ${message}`));
  const isUntouched = untouchedIn(object, old);
  return faults.filter((fault) => {
    const { path = [], field, message } = fault;
    return !(known.has(`${field}: ${message}`) && (isUntouched(path) || isUnevaluated(fault)));
  });
}

/** Whether two objects are equal below the first two steps of a path. Cached, since many paths share these. */
function untouchedIn(object: JsonObject, old: JsonObject): (path: Path) => boolean {
  const untouched = new Map<string, boolean>();
  return (path) => {
    if (path.length < 2) return false;
    const names = path.slice(0, 2).map(String);
    const key = JSON.stringify(names);
    const isKnown = untouched.get(key);
    if (isKnown !== undefined) return isKnown;
    const isSame = equal(get(object, ...names) ?? null, get(old, ...names) ?? null);
    untouched.set(key, isSame);
    return isSame;
  };
}

/** Whether a rule could not be evaluated, since it met a value that it is not written for. */
function isUnevaluated({ because }: SchemaFault): boolean {
  return because === "rule not evaluated";
}

/**
 * Whether a write changes only metadata and what its endpoint cannot write. Defaults of the written version, which the API
 * server filled in, do not count as a change.
 */
export function isLeftAlone(
  { kind, version, subresource, oldObject, circumstances }: Write,
  hub: JsonObject,
): boolean {
  if (oldObject === undefined || circumstances.oldObject === undefined) return false;
  const isStatus = subresource === "status";
  if (isSame(hub, circumstances.oldObject, isStatus)) return true;
  const filled = kind.versions[version]?.defaulted(oldObject) ?? oldObject;
  return filled !== oldObject && isSame(hub, toHub(kind, filled, version), isStatus);
}

function isSame(object: JsonObject, oldObject: JsonObject, isStatus: boolean): boolean {
  if (isStatus) return equal(own(object, "status") ?? null, own(oldObject, "status") ?? null);
  const contentOf = (whole: JsonObject) => ({ ...whole, metadata: null, status: null });
  return equal(contentOf(object), contentOf(oldObject));
}

/** A fault as a cause for the client. */
export function causeOfFault(
  { type, path, message, field }: SchemaFault,
  write: Write,
  fieldFor: FieldFinder,
): Cause {
  // A rule about the whole object has the field `<nil>`.
  if (path === undefined || path.length === 0) return { path: [], field, reason: type, message };
  return causeFor({ path, reason: type, message }, write, fieldFor);
}

/**
 * A cause at a field of the hub as one at the field that the client wrote. Where its version has none, the message says of
 * which version the field is.
 */
export function causeFor(cause: Cause, write: Write, fieldFor: FieldFinder): Cause {
  const { path, reason } = cause;
  const { chain, versions } = write.kind;
  const [hub, spoke] = [versions.at(-1), versions[write.version]].map((each) => each?.name);
  const shown = fieldFor(path);
  const isRequired = reason === "FieldValueRequired";
  const isStatus = write.subresource === "status";
  const [row, file] = chain.converter === undefined ? ["a row of the lens or ", ".yaml"] : ["", ""];
  const filled = `its default in ${hub}${file} would fill it`;
  let note = "";
  if (shown === undefined) {
    const grouped = chain.groups[write.version]?.ofHub.object;
    const from = grouped === undefined ? [] : fieldsMappedWith(path, grouped).map(fieldOf);
    const more = from.length > 0 ? `, made of ${from.join(" and ")}` : isRequired ? `; ${row}${filled}` : "";
    note = `a field of ${hub}, as which ${isStatus ? "a status" : "an object"} of ${spoke} is stored${more}`;
  } else if (isRequired && isStatus) note = `${hub} requires it of a status; ${filled}`;
  // The API server names the field once more, `spec.level in body`.
  const message = equal(shown, path)
    ? cause.message
    : cause.message.replace(/.*: \S+(?= in body )/, `$& of ${hub}`);
  const end = note === "" ? "" : `${message.includes(": ") ? ";" : ":"} ${note}`;
  return { ...cause, path: shown ?? path, message: message + end };
}

/** Maps a path of the hub to the field that the client wrote; undefined where its version has none. */
type FieldFinder = (path: Path) => Path | undefined;

/** The finder for a write, given the object in the hub version. */
export function fieldFinder({ kind, version, object }: Write, hub: JsonObject): FieldFinder {
  if (version === kind.versions.length - 1) return (path) => path;
  let inSpoke: ReturnType<typeof fieldsInSpoke> | undefined;
  return (path) => {
    // Identity, labels and annotations are the same in every version.
    if (path.length === 0 || path[0] === "metadata") return path;
    inSpoke ??= fieldsInSpoke(contentOf(hub), kind.chain, version, object);
    const shape = kind.versions[version]?.shape;
    // What the object lacks may show nowhere, as in a list that passes as a whole.
    return inSpoke(path) ?? (shape !== undefined && hasPlaceAt(shape, path) ? path : undefined);
  };
}

function contentOf(hub: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = hub;
  return content;
}
