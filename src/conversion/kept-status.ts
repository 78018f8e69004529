import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { format, isForeign } from "./carrier-text.ts";
import { carrierField, detach, summed } from "./carriers.ts";
import { trustedPayload } from "./trust.ts";

// Which status leaves a write of /status may set. The stored ones decide, so that an earlier copy of status undoes nothing
// that was written since; the writer's count where none are stored: so the status of an export is restored after its spec.

/**
 * A write of /status at the hub: the stored carrier, with the writer's status leaves of spokes that have none, unless the
 * writer's is an earlier copy of this object. An object that was created from an export has an annotation alone, which this
 * write can make two carriers of.
 */
export function withStatusLeavesAtHub(object: JsonObject, oldObject: JsonObject): JsonObject {
  const [field, written] = fieldsOf(object, oldObject);
  const uid = get(oldObject, "metadata", "uid");
  const stored = field ?? fieldOfAnnotation(oldObject, uid);
  if (!isObject(written) || !canBeJoined(stored, written)) return withField(object, stored);
  if (written.uid !== undefined && written.uid === uid) return withField(object, stored);
  const spokes = joined(get(stored, "spokes"), get(written, "spokes"));
  const isStored = equal(spokes, get(stored, "spokes"));
  return withField(
    object,
    isStored ? stored : summed(set(stored ?? { format, ...(uid && { uid }) }, "spokes", spokes)),
  );
}

/**
 * A write of /status at a spoke: the carrier of the view as it is now. What its writer changed in status itself wins over
 * the leaves anyway. A carrier of another object comes from an export; one of this object is an earlier copy at most.
 */
export function withStatusLeavesAtSpoke(object: JsonObject, oldObject: JsonObject): JsonObject {
  const [field, written] = fieldsOf(object, oldObject);
  const stored = field ?? fieldOfCreated(oldObject, written);
  if (!isObject(written) || !isObject(stored) || !canBeJoined(stored, written))
    return withField(object, stored);
  if (written.uid === stored.uid) return withField(object, stored);
  const spokes = joined(get(stored, "spokes"), get(written, "spokes"));
  const [here, there] = [stored, written].map(({ hub = {}, withheld = {} }) => ({ hub, withheld }));
  const trees = joined(here, there);
  const withHub = set(set(stored, "hub", get(trees, "hub")), "withheld", get(trees, "withheld"));
  return withField(object, summed(set(withHub, "spokes", spokes)));
}

/** What the carrier in status would hold beside the stored annotation; undefined where that holds no leaf. */
function fieldOfAnnotation(oldObject: JsonObject, uid: Json | undefined): JsonObject | undefined {
  const { spokes } = detach(oldObject).annotations[0]?.payload ?? {};
  return spokes === undefined || hasNoFields(spokes)
    ? undefined
    : summed({ format, ...(uid && { uid }), spokes });
}

/**
 * The carrier in the status of an object that is stored at its spoke as it was created, so that no conversion has made one:
 * if the writer's is that of an export, what the annotation holds.
 */
function fieldOfCreated(oldObject: JsonObject, written: Json | undefined): JsonObject | undefined {
  const { uid, generation } = isObject(oldObject.metadata) ? oldObject.metadata : {};
  const isOfExport = isObject(written) && !isForeign(written) && written.uid !== uid && holdsLeaves(written);
  if (!isOfExport) return undefined;
  const { object: bare, annotations } = detach(oldObject);
  const { payload } = trustedPayload(bare, annotations, undefined);
  const parts = Object.entries({ ...payload, uid, generation }).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  );
  return summed({ format, ...Object.fromEntries(parts) });
}

/** Whether a carrier in status holds anything. */
export function holdsLeaves(carrier: Json): boolean {
  return ["hub", "spokes", "withheld"].some((name) => {
    const tree = get(carrier, name);
    return isObject(tree) && !hasNoFields(tree);
  });
}

/** The carriers in the status of the stored object and of the written one. */
function fieldsOf(object: JsonObject, oldObject: JsonObject): readonly (Json | undefined)[] {
  return [oldObject, object].map((each) => get(each, "status", carrierField));
}

/** Whether both are in the format that this release reads, or there is none stored. */
function canBeJoined(stored: Json | undefined, written: JsonObject): stored is JsonObject | undefined {
  return !isForeign(written) && (stored === undefined || (isObject(stored) && !isForeign(stored)));
}

/** Trees by name: the stored ones, each with the writer's status leaves if it has none of its own. */
function joined(stored: Json | undefined, written: Json | undefined): JsonObject | undefined {
  const [here, there] = [stored, written].map((trees) => (isObject(trees) ? trees : {}));
  const names = new Set([...Object.keys(here ?? {}), ...Object.keys(there ?? {})]);
  const trees = [...names].flatMap((name) => {
    const tree = get(here, name);
    const status = get(tree, "status") ?? get(there, name, "status");
    const both = set(isObject(tree) ? tree : {}, "status", status);
    return hasNoFields(both) ? [] : [[name, both] as const];
  });
  return trees.length === 0 ? undefined : Object.fromEntries(trees);
}

function withField(object: JsonObject, kept: Json | undefined): JsonObject {
  const { status } = object;
  const field = isObject(kept) ? set(kept, "was", wasWritten(status)) : kept;
  if (equal(get(status, carrierField), field)) return object;
  if (status !== undefined && status !== null && !isObject(status)) return object;
  const others = set(isObject(status) ? status : {}, carrierField, field);
  // A status that was empty but for a carrier is not there without it: a schema may forbid an empty one.
  return set(object, "status", hasNoFields(others) ? emptyStatus(status) : others);
}

function emptyStatus(status: Json | undefined): Json | undefined {
  const was = wasWritten(status);
  return was === null || (isObject(was) && hasNoFields(was)) ? was : undefined;
}

/** What the carrier has to remember of a status that the writer left empty beside it, as `{}` or null. */
function wasWritten(status: Json | undefined): Json | undefined {
  if (status === null || !isObject(status)) return status;
  const [only, ...more] = Object.keys(status);
  if (only === undefined) return status;
  return only === carrierField && more.length === 0 ? get(status, carrierField, "was") : undefined;
}
