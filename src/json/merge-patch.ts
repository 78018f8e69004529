import { mapFields, mapItems } from "./copy.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "./json.ts";

/**
 * What an API server's JSON merge patch makes of a value (RFC 7386; github.com/evanphx/json-patch, merge.go). It also takes nulls out
 * of objects in lists, unless the list replaces an object.
 */
export function mergePatched(here: Json | undefined, patch: Json): Json {
  if (isObject(here) && !isObject(patch)) return patch;
  if (!isObject(here) || !isObject(patch)) return withoutNulls(patch);
  return Object.entries(patch).reduce<JsonObject>(
    (result, [key, value]) =>
      set(result, key, value === null ? undefined : mergePatched(get(result, key), value)),
    here,
  );
}

/** A value without the fields that are null, at any depth. Null items of lists stay. */
export function withoutNulls(value: Json): Json {
  if (isArray(value)) return mapItems(value, withoutNulls);
  if (!isObject(value)) return value;
  return mapFields(value, (field) => (field === null ? undefined : withoutNulls(field)));
}
