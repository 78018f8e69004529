import { isInteger, isNumber, toDouble } from "../../../../src/json/exact.ts";
import {
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  own,
} from "../../../../src/json/json.ts";

// Values whose types were found right are read as Go reads them: what is absent or null is zero.

/** The text under a key; empty where there is none. */
export function textAt(object: Json | undefined, key: string): string {
  const value = own(object, key);
  return typeof value === "string" ? value : "";
}

/** The text under a key; undefined where there is none. */
export function givenText(object: Json | undefined, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === "string" ? value : undefined;
}

/** The whole number under a key; undefined where there is none. What is beyond an int64 is the last one before. */
export function givenInteger(object: Json | undefined, key: string): bigint | undefined {
  const value = own(object, key);
  if (!isNumber(value)) return undefined;
  // A text such as `1e400`, or of a million digits, is no BigInt.
  const double = toDouble(value);
  if (double >= 2 ** 63) return 2n ** 63n - 1n;
  if (double < -(2 ** 63)) return -(2n ** 63n);
  return BigInt(isExactNumber(value) && isInteger(value) ? value.rawJSON : Math.trunc(double));
}

/** The whole number under a key; 0 where there is none. */
export function integerAt(object: Json | undefined, key: string): bigint {
  return givenInteger(object, key) ?? 0n;
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
export function textsAt(object: Json | undefined, key: string): readonly string[] {
  const value = own(object, key);
  return isArray(value) ? value.map((item) => (typeof item === "string" ? item : "")) : [];
}

/** The values under the keys of the object under a key, in the order of the keys. */
export function entriesAt(object: Json | undefined, key: string): readonly (readonly [string, Json])[] {
  return Object.entries(objectAt(object, key) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
