import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { get, hasNoFields, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { carrierField, carrierPrefix } from "./carriers.ts";
import { sorted } from "./tree.ts";

/**
 * An object whose managedFields name no carrier. Carriers belong to no client: the engine makes them anew at every read, so a
 * client that writes back what it read, or applies an export, would become the manager of another text each time. A write
 * that changes nothing else, by what the server takes of it, changes nothing, not even the time of an entry. In server-side
 * apply the API server sees to that itself, but compares entries by their places, which follow their times
 * (apiserver, pkg/endpoints/handlers/fieldmanager/equality.go, IgnoreManagedFieldsTimestampsTransformer).
 */
export function unowned(object: JsonObject, taken?: JsonObject, oldObject?: JsonObject): JsonObject {
  const entries = get(object, "metadata", "managedFields");
  if (!isArray(entries)) return object;
  const kept = entries.flatMap(withoutCarriers);
  const old = get(oldObject, "metadata", "managedFields");
  const isUnchanged =
    isArray(old) &&
    kept.length === old.length &&
    equal(comparable(taken), comparable(oldObject)) &&
    isSame(kept, old);
  return equal(isUnchanged ? old : kept, entries) ? object : withEntries(object, isUnchanged ? old : kept);
}

/** An object without what the server itself sets in metadata, and a file from an earlier read may bring along. */
function comparable(object: JsonObject | undefined): JsonObject | undefined {
  const metadata = object?.metadata;
  if (!isObject(metadata)) return object;
  const { managedFields: _, generation: __, resourceVersion: ___, ...others } = metadata;
  return { ...object, metadata: others };
}

/** No entries are left out: the API server stores an empty list, and at each apply takes it for a change. */
function withEntries(object: JsonObject, entries: readonly Json[]): JsonObject {
  const kept = entries.length === 0 ? undefined : entries;
  return set(object, "metadata", set(object.metadata as JsonObject, "managedFields", kept));
}

/** Whether entries differ in their times and order alone: the API server sorts them by time. */
function isSame(entries: readonly Json[], old: readonly Json[]): boolean {
  const [here, there] = [entries, old].map((each) =>
    each.map((entry) => writeJson(sorted(isObject(entry) ? set(entry, "time", undefined) : entry))).sort(),
  );
  return equal(here, there);
}

/** An entry without the carriers among its fields; none if it had no others. */
function withoutCarriers(entry: Json): readonly Json[] {
  const fields = get(entry, "fieldsV1");
  if (!isObject(entry) || !isObject(fields)) return [entry];
  const others = fieldsWithoutCarriers(fields);
  if (others === fields) return [entry];
  return others === undefined ? [] : [set(entry, "fieldsV1", others)];
}

function fieldsWithoutCarriers(fields: JsonObject): JsonObject | undefined {
  const others = without(fields, ["f:metadata", "f:annotations"], (name) =>
    name.startsWith(`f:${carrierPrefix}`),
  );
  return others && without(others, ["f:status"], (name) => name === `f:${carrierField}`);
}

/** A set of fields without some of those below a path; undefined where there were no others. */
function without(
  fields: JsonObject,
  [name, ...rest]: readonly string[],
  isTaken: (name: string) => boolean,
): JsonObject | undefined {
  if (name === undefined) {
    const others = Object.entries(fields).filter(([each]) => !isTaken(each));
    if (others.length === Object.keys(fields).length) return fields;
    // A dot stands for the map itself, which is there for our carriers alone.
    return others.every(([each]) => each === ".") ? undefined : Object.fromEntries(others);
  }
  const child: Json | undefined = get(fields, name);
  if (!isObject(child)) return fields;
  const left = without(child, rest, isTaken);
  if (left === child) return fields;
  const others = set(fields, name, left);
  return hasNoFields(others) ? undefined : others;
}
