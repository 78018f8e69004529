import { isArray, isExactNumber, isNumber, isObject, type Json, type JsonObject, own } from "antechamber";

// Values whose types were found right are read as Go reads them: what is absent or null is zero.

/** The text under a key; empty where there is none. */
export function stringAt(object: Json | undefined, key: string): string {
  const value = own(object, key);
  return typeof value === "string" ? value : "";
}

/** The text under a key; undefined where there is none. */
export function optionalStringAt(object: Json | undefined, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === "string" ? value : undefined;
}

/** The whole number under a key; undefined where there is none. */
export function optionalIntegerAt(object: Json | undefined, key: string): bigint | undefined {
  const value = own(object, key);
  return isNumber(value) ? BigInt(isExactNumber(value) ? value.rawJSON : Math.trunc(value)) : undefined;
}

/** The whole number under a key; 0 where there is none. */
export function integerAt(object: Json | undefined, key: string): bigint {
  return optionalIntegerAt(object, key) ?? 0n;
}

/** Whether the value under a key is true. */
export function isTrue(object: Json | undefined, key: string): boolean {
  return own(object, key) === true;
}

/** The object under a key; undefined where there is none. */
export function objectAt(object: Json | undefined, key: string): JsonObject | undefined {
  const value = own(object, key);
  return isObject(value) ? value : undefined;
}

/** The objects of the list under a key. */
export function objectsAt(object: Json | undefined, key: string): readonly JsonObject[] {
  const value = own(object, key);
  return isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

/** The texts of the list under a key. */
export function stringsAt(object: Json | undefined, key: string): readonly string[] {
  const value = own(object, key);
  return isArray(value) ? value.map((item) => (typeof item === "string" ? item : "")) : [];
}

/** The values under the keys of the object under a key, in the order of the keys. */
export function entriesAt(object: Json | undefined, key: string): readonly (readonly [string, Json])[] {
  return Object.entries(objectAt(object, key) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
