import { equal } from "./equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "./json.ts";

/** What a JSON merge patch makes of a value (RFC 7386): undefined where it removes it. */
export function mergePatched(here: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  return Object.entries(patch).reduce<JsonObject>(
    (result, [key, value]) =>
      set(result, key, value === null ? undefined : mergePatched(get(result, key), value)),
    isObject(here) ? here : {},
  );
}

/** The merge patch that makes one object of another; nulls of the second are not among what it can say. */
export function mergePatchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    keys.flatMap((key): readonly (readonly [string, Json])[] => {
      const [old, now] = [get(before, key), get(after, key)];
      if (equal(old, now)) return [];
      if (isObject(old) && isObject(now)) return [[key, mergePatchBetween(old, now)]];
      return [[key, now ?? null]];
    }),
  );
}
