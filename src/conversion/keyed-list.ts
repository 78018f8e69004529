import { writeJson } from "../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";

/** The items of a keyed list by the names of their keys, in the list's order. */
export type KeyedItems = ReadonlyMap<string, JsonObject>;

/** The items of a list by their keys, as a new map; undefined unless it is a list of objects that all have distinct keys. */
export function keyedItems(list: Json, keys: readonly string[]): Map<string, JsonObject> | undefined {
  if (!isArray(list)) return undefined;
  const items = new Map<string, JsonObject>();
  for (const item of list) {
    if (!isObject(item)) return undefined;
    const name = keyName(item, keys);
    if (name === undefined || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** One text for an item's keys, which are scalars: a single text key as it is, anything else as JSON. */
export function keyName(item: JsonObject, keys: readonly string[]): string | undefined {
  const [first] = keys;
  if (first !== undefined && keys.length === 1) {
    const value = own(item, first);
    return typeof value === "string" ? value : isKey(value) ? writeJson(value) : undefined;
  }
  const values = keys.map((key) => own(item, key));
  return values.every(isKey) ? writeJson(values) : undefined;
}

function isKey(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && !isObject(value) && !isArray(value);
}
