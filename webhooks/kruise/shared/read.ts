import {
  isArray,
  isExactNumber,
  isInteger,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  own,
  toDouble,
} from "antechamber";

// Fields of an object as Go sees them once it is decoded: an absent field, null and a value of another type are zero
// values.

/** The string under a key; empty if there is none. */
export function stringAt(object: Json | undefined, key: string): string {
  const value = own(object, key);
  return typeof value === "string" ? value : "";
}

/** The string under a key; undefined if there is none. */
export function optionalStringAt(object: Json | undefined, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === "string" ? value : undefined;
}

/** The integer under a key; undefined if there is none. One beyond an int64 is the nearest int64. */
export function optionalIntegerAt(object: Json | undefined, key: string): bigint | undefined {
  const value = own(object, key);
  if (!isNumber(value)) return undefined;
  // A text such as `1e400`, or of a million digits, cannot become a BigInt.
  const double = toDouble(value);
  if (double >= 2 ** 63) return 2n ** 63n - 1n;
  if (double < -(2 ** 63)) return -(2n ** 63n);
  return BigInt(isExactNumber(value) && isInteger(value) ? value.rawJSON : Math.trunc(double));
}

/** The integer under a key; 0 if there is none. */
export function integerAt(object: Json | undefined, key: string): bigint {
  return optionalIntegerAt(object, key) ?? 0n;
}

/** Whether the value under a key is true. */
export function isTrue(object: Json | undefined, key: string): boolean {
  return own(object, key) === true;
}

/** The object under a key; undefined if there is none. */
export function objectAt(object: Json | undefined, key: string): JsonObject | undefined {
  const value = own(object, key);
  return isObject(value) ? value : undefined;
}

/** The items of the list under a key, at their indexes; an item that is not an object counts as an empty one. */
export function objectsAt(object: Json | undefined, key: string): readonly JsonObject[] {
  const value = own(object, key);
  return isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

/** An item of a list, and its index. */
export type Item<Value extends object> = readonly [Value, number];

/**
 * The items of a list that are objects. The list of a validated object has no others, unless the object was stored with
 * them, before a version of the schema that forbids them, and an update leaves them unchanged.
 */
export function itemsOf<Value extends object>(list: readonly Value[] | undefined): readonly Item<Value>[] {
  return isArray(list)
    ? list.flatMap((item, index): readonly Item<Value>[] => (isObject(item) ? [[item, index]] : []))
    : [];
}

/** The strings of the list under a key; an item that is not a string counts as an empty one. */
export function stringsAt(object: Json | undefined, key: string): readonly string[] {
  const value = own(object, key);
  return isArray(value) ? value.map((item) => (typeof item === "string" ? item : "")) : [];
}

/** The members of the object under a key, sorted by their keys. */
export function entriesAt(object: Json | undefined, key: string): readonly (readonly [string, Json])[] {
  return Object.entries(objectAt(object, key) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
