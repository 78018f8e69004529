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
