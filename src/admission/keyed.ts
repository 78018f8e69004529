import { writeJson } from "../json/exact.ts";
import { isExactNumber, isObject, type Json, type JsonArray, own } from "../json/json.ts";

/**
 * The indexes of a keyed list's items by their key as text, in the order of the list. Undefined if an item is not an object
 * or lacks a key, or if two share one.
 */
export function indexesByKey(
  list: JsonArray,
  keys: readonly string[],
): ReadonlyMap<string, number> | undefined {
  const indexes = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item, keys);
    if (key === undefined || indexes.has(key)) return undefined;
    indexes.set(key, index);
  }
  return indexes;
}

/** An item's key as text, in which 80 and "80" differ; undefined unless every key field is a scalar. */
function keyOf(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const [only] = keys;
  if (only !== undefined && keys.length === 1) {
    // Most lists have one key, and it is a name. No other key's text begins with a quote.
    const name = own(item, only);
    if (typeof name === "string") return `"${name}`;
  }
  const fields: Json[] = [];
  for (const key of keys) {
    const field = Object.hasOwn(item, key) ? item[key] : undefined;
    if (field === undefined || field === null) return undefined;
    if (typeof field === "object" && !isExactNumber(field)) return undefined;
    fields.push(field);
  }
  return writeJson(fields);
}
