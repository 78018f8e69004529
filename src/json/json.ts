/** A number that a double cannot hold, as its source text: an int64 beyond 2^53 (kubernetes.md 1.7). */
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

/** Whether a value is a number kept as its source text. Only those made by this engine are, not look-alikes. */
export function isExactNumber(value: unknown): value is ExactNumber {
  // An exact number has no prototype. The look at it spares a call that costs ten times as much, and is no proof: an
  // object without one may be anybody's.
  return typeof value === "object" && value !== null && !(value instanceof Object) && JSON.isRawJSON(value);
}

/** The value under a key of an object; undefined where the value is no object or has no such key of its own. */
export function get(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) here = own(here, key);
  return here;
}

/** The same for a single key: on the paths where a list of keys would be made for nothing. */
export function own(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? ownField(value, key) : undefined;
}

/** The value under a key of what is known to be an object; undefined where it has no such key of its own. */
export function ownField(object: JsonObject, key: string): Json | undefined {
  const found: unknown = object[key];
  // What an object inherits is a function, or `__proto__`, and no JSON value: to ask for each key whose it is would cost
  // more than to read it.
  const isInherited = (typeof found === "function" || key === "__proto__") && !Object.hasOwn(object, key);
  return isInherited ? undefined : (found as Json | undefined);
}

/** Whether an object has nothing in it. */
export function hasNoFields(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** The object with one key set, or taken out when the value is undefined. A key like `__proto__` is a key like any other. */
export function set(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: _, ...rest } = object;
  return rest;
}

/**
 * An object that was made field by field, of so many fields. V8 takes one that grew beyond a dozen for a dictionary, and
 * JSON.stringify goes a slower way through a whole answer with one in it; a copy is none, unless it has more fields than
 * any but a dictionary can have.
 */
export function settled(object: Record<string, Json>, fields: number): JsonObject {
  return fields > 12 && fields < 1000 ? { ...object } : object;
}

/** Gives an object in the making a property of its own, `__proto__` like any other. For objects that nobody else has yet. */
export function define(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}
