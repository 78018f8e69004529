import type { Cause } from "../admission/verdict.ts";
import { fieldsInSpoke } from "../conversion/field.ts";
import { equal } from "../json/equal.ts";
import { get, type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { toHub } from "../kind.ts";
import type { SchemaFault } from "../schema/fault.ts";
import type { Write } from "./write.ts";

/**
 * What the hub's schema says of a write that came at another version: the API server asks only the schema of the
 * version that a client happened to write (kubernetes.md 8g), so that what the hub forbids could be stored, and what it
 * holds immutable be changed, through an older one. What was wrong before and is not touched is not held against anybody.
 */
export function faultsByHub(write: Write, hub: JsonObject): readonly SchemaFault[] {
  const { kind, version, subresource, isOriginal, circumstances } = write;
  const isHub = version === kind.versions.length - 1;
  const isStatus = subresource === "status";
  if ((isHub && isOriginal) || (subresource !== "" && !isStatus)) return [];
  const { oldObject } = circumstances;
  if (isLeftAlone(write, hub)) return [];
  const { schema } = kind.hub;
  // As it will be read: the hub's defaults are filled in then, though nobody stores them now.
  const [object, old] = [hub, oldObject].map((each) => each && schema.defaulted(schema.prune(each).object));
  if (object === undefined) return [];
  const endpoint = isStatus ? "status" : undefined;
  const { faults } = schema.validate(object, old, endpoint);
  const writable = (root: Path[number] | undefined) => (root === "status") === isStatus;
  // Of metadata nothing is converted: the server has judged it.
  const mine = faults.filter(
    ({ path }) => path === undefined || (path[0] !== "metadata" && writable(path[0])),
  );
  if (mine.length === 0 || old === undefined) return mine;
  const fresh = newFaults(mine, object, old, schema.validate(old, old, endpoint).faults);
  return fresh.every(({ because }) => because === "rules skipped") ? [] : fresh;
}

/**
 * Without what was wrong before and this write did not touch, as far as an API server does not leave it out itself: it
 * matches no list of wrong items with itself, and a rule that met a value of a wrong type fails whatever is written. Of
 * such values, stored before there was a webhook, an author at an older version may not even know.
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
    return !(known.has(`${field}: ${message}`) && (isUntouched(path) || isUnasked(fault)));
  });
}

/** Whether two objects say the same below the first two steps of a path. Of many paths few differ in these. */
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

/** Whether a rule could not be asked at all, since it met what it is not written for. */
function isUnasked({ because }: SchemaFault): boolean {
  return because === "rule not evaluated";
}

/**
 * Whether a write leaves all as it was but metadata and what its endpoint cannot write. What the API server filled in by
 * the defaults of the version that was written is nobody's change.
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

/** A fault as a cause at the field that the client wrote; at the hub's where its version has no word for it. */
export function causeOfFault({ type, path, message, field }: SchemaFault, fieldFor: FieldFinder): Cause {
  // A rule of the whole object has no field but `<nil>`.
  if (path === undefined || path.length === 0) return { path: [], field, reason: type, message };
  return { path: fieldFor(path), reason: type, message };
}

/** Where the author of a write finds what stands at a path of the hub. */
export type FieldFinder = (path: Path) => Path;

/** The finder for a write and what it is in the hub version. */
export function fieldFinder({ kind, version }: Write, hub: JsonObject): FieldFinder {
  if (version === kind.versions.length - 1) return (path) => path;
  let inSpoke: ReturnType<typeof fieldsInSpoke> | undefined;
  return (path) => {
    // Identity, labels and annotations are called the same everywhere.
    if (path.length === 0 || path[0] === "metadata") return path;
    inSpoke ??= fieldsInSpoke(contentOf(hub), kind.chain, version);
    return inSpoke(path) ?? path;
  };
}

function contentOf(hub: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = hub;
  return content;
}
