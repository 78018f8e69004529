import { define, isArray, isObject, type Json, type JsonArray, type JsonObject, ownField } from "./json.ts";

// Changed copies of values; what does not change is not copied, so that the very same value comes back.

/** A list with each item changed. */
export function mapItems(items: JsonArray, change: (item: Json, index: number) => Json): JsonArray {
  const after = items.map(change);
  return after.every((item, index) => item === items[index]) ? items : after;
}

/** An object with each field changed; a field that becomes undefined is left out. */
export function mapFields(
  object: JsonObject,
  change: (value: Json, key: string) => Json | undefined,
): JsonObject {
  let copy: Record<string, Json> | undefined;
  for (const [index, key] of Object.keys(object).entries()) {
    const value = ownField(object, key);
    if (value === undefined) continue;
    const after = change(value, key);
    if (copy === undefined && after === value) continue;
    copy ??= firstOf(object, index);
    if (after !== undefined) define(copy, key, after);
  }
  return copy ?? object;
}

function firstOf(object: JsonObject, count: number): Record<string, Json> {
  const first: Record<string, Json> = {};
  for (const [key, value] of Object.entries(object).slice(0, count)) define(first, key, value);
  return first;
}

/** A value with everything directly in it changed. */
export function mapBelow(value: Json, change: (below: Json) => Json): Json {
  if (isArray(value)) return mapItems(value, change);
  return isObject(value) ? mapFields(value, change) : value;
}
