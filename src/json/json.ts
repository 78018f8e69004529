/** A number that a double cannot hold, such as an int64 beyond 2^53, as its source text. API servers keep int64 exactly. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Any JSON value. Values are never changed in place. */
export type Json = null | boolean | number | string | ExactNumber | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a value is a JSON object: not null, not a list, not an exact number. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Whether a value is a JSON list. */
export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/** Whether a value is a number kept as its source text. An object with a field `rawJSON` is not one. */
export function isExactNumber(value: unknown): value is ExactNumber {
  // An exact number has no prototype. Checking that first spares a call that takes ten times as long; it is not sufficient,
  // since other objects may have no prototype either.
  return typeof value === "object" && value !== null && !(value instanceof Object) && JSON.isRawJSON(value);
}

/** The value at a path of keys; undefined where a value on the way is not an object or lacks the key as its own. */
export function get(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) here = own(here, key);
  return here;
}

/** The text at a path; empty if there is none. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = get(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The items of the list at a path; none if there is no list. */
export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = get(value, ...path);
  return isArray(found) ? found : [];
}

/** The object at a path; an empty one if there is none. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = get(value, ...path);
  return isObject(found) ? found : {};
}

/** `get` for a single key, without making a list of keys. */
export function own(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? ownField(value, key) : undefined;
}

/** The value under a key of an object; undefined where the object lacks the key as its own. */
export function ownField(object: JsonObject, key: string): Json | undefined {
  const found: unknown = object[key];
  // Inherited properties are functions, or `__proto__`: asking Object.hasOwn for every key would take longer than reading it.
  const isInherited = (typeof found === "function" || key === "__proto__") && !Object.hasOwn(object, key);
  return isInherited ? undefined : (found as Json | undefined);
}

/**
 * The value under a key of an object, for loops over its keys: `for (const key in object) … fieldAt(object, key)`. A loop that
 * reads `object[key]` itself may be compiled and thrown away without end (seen on Node 26.10). V8 reads most objects by their
 * enum cache, which leaves no feedback. Where all others, such as those that lost a field, have one and the same key, it
 * compiles the loop for that key, deoptimizes at the next one, learns nothing from that, and compiles the same again. A call
 * has feedback of its own, from all objects.
 */
export function fieldAt(object: JsonObject, key: string): Json {
  return object[key] as Json;
}

/** Whether an object is empty. */
export function hasNoFields(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** How many values a value consists of, itself included. */
export function valuesIn(value: Json): number {
  if (isArray(value)) return value.reduce((sum: number, item) => sum + valuesIn(item), 1);
  if (!isObject(value)) return 1;
  let sum = 1;
  for (const key in value) sum += valuesIn(fieldAt(value, key));
  return sum;
}

/**
 * A copy of the object with the value at a path of keys set, or removed if it is undefined: `set(object, "spec", "size", 3)`.
 * Parents that are absent or null are made; where another value is in the way of the path, the object stays as it is.
 * `__proto__` is an ordinary key.
 */
export function set(
  object: JsonObject,
  key: string,
  ...rest: readonly [...keys: string[], value: Json | undefined]
): JsonObject {
  if (rest.length === 1) return withKey(object, key, rest[0]);
  return setAt(object, [key, ...(rest.slice(0, -1) as string[])], rest.at(-1));
}

function setAt(
  object: JsonObject,
  [key = "", ...keys]: readonly string[],
  value: Json | undefined,
): JsonObject {
  if (keys.length === 0) return withKey(object, key, value);
  const parent = own(object, key) ?? (value === undefined ? undefined : {});
  if (!isObject(parent)) return object;
  const changed = setAt(parent, keys, value);
  return changed === parent ? object : withKey(object, key, changed);
}

function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: _, ...rest } = object;
  return rest;
}

/**
 * An object that was made field by field, given its number of fields. V8 turns an object that grows beyond a dozen fields
 * into a dictionary, and one dictionary makes JSON.stringify slower for a whole response. A copy is not a dictionary, up to
 * about a thousand fields.
 */
export function settled(object: Record<string, Json>, fields: number): JsonObject {
  return fields > 12 && fields < 1000 ? { ...object } : object;
}

/** Sets a property of an object in place, `__proto__` like any other. Only for objects that no other code has seen yet. */
export function define(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}
