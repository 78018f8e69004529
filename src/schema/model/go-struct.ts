import { isInt64, jsonSort, printNumber } from "../../go/json.ts";
import { isNumber, toDouble } from "../../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../../json/json.ts";

// JSON as Go reads it into structs. A null counts as absent. So does a value of another type than its field, which is noted as
// encoding/json reports it: Go reads on, and the API server answers with the first of these problems.

/** Reads the value of a field of a struct; it is undefined where the field is absent. */
export type Reader<T> = (value: Json | undefined, key: string, of: Struct) => T;

/** The struct that a field belongs to. */
export interface Struct {
  /** Its Go type: `JSONSchemaProps`. */
  readonly type: string;
  /** The fields that lead to it, as problems name them: without keys of maps and indexes of lists. */
  readonly path: string;
  /** How many structs it is in. */
  readonly depth: number;
  /** What was noted so far of the whole. */
  readonly problems: string[];
}

/** A text of a Go type; empty where it is absent. */
export function textOf(type: string): Reader<string> {
  return (value = "", key, of) => (typeof value === "string" ? value : (note(value, key, of, type) ?? ""));
}

export const text: Reader<string> = textOf("string");

/** A boolean; false where it is absent. */
export const flag: Reader<boolean> = (value = false, key, of) =>
  typeof value === "boolean" ? value : (note(value, key, of, "bool") ?? false);

/** A number of a Go type; 0 where it is absent. */
export function numberOf(type: "int32" | "int64" | "float64"): Reader<number> {
  return (value = 0, key, of) => {
    if (!isNumber(value)) return note(value, key, of, type) ?? 0;
    const double = toDouble(value);
    const fits = type === "float64" || (isInt64(value) && (type === "int64" || Math.abs(double) < 2 ** 31));
    return fits ? double : (note(value, key, of, type, ` ${printNumber(value)}`) ?? 0);
  };
}

/** A list of a Go type; empty where it is absent. */
export function listOf<T>(item: Reader<T>, type: string): Reader<readonly T[]> {
  return (value, key, of) => {
    if (isArray(value)) return value.map((each) => item(each ?? undefined, key, of));
    if (value !== undefined) note(value, key, of, type);
    return [];
  };
}

export const texts: Reader<readonly string[]> = listOf(text, "[]string");

/** A map of a Go type; empty where it is absent. */
export function mapOf<T>(entry: Reader<T>, type: string): Reader<ReadonlyMap<string, T>> {
  return (value, key, of) => {
    const entries = Object.entries(objectIn(value, key, of, type));
    return new Map(entries.map(([name, each]) => [name, entry(each ?? undefined, key, of)]));
  };
}

/** What is behind a pointer; undefined where it is absent. */
export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, key, of) => (value === undefined ? undefined : read(value, key, of));
}

/** A struct of a Go type; its fields are absent where it is. */
export function structOf<F extends Readonly<Record<string, Reader<unknown>>>>(
  type: string,
  fields: F,
): Reader<{ readonly [K in keyof F]: ReturnType<F[K]> }> {
  return (value, key, of) => {
    const object = objectIn(value, key, of, `v1.${type}`);
    const here = inner(key, of, type);
    const entries = Object.entries(fields).map(([name, read]) => [
      name,
      read(own(object, name) ?? undefined, name, here),
    ]);
    return Object.fromEntries(entries);
  };
}

/** A struct that is the value of a field. */
export function inner(key: string, { path, depth, problems }: Struct, type: string): Struct {
  return { type, path: path === "" ? key : `${path}.${key}`, depth: depth + 1, problems };
}

/** A value that must be an object; an empty one where it is not. */
export function objectIn(value: Json | undefined, key: string, of: Struct, type: string): JsonObject {
  if (isObject(value)) return value;
  if (value !== undefined) note(value, key, of, type);
  return {};
}

/** Notes a value of another type than its field. */
function note(value: Json, key: string, of: Struct, type: string, more = ""): undefined {
  const field = of.path === "" ? key : `${of.path}.${key}`;
  const sort = `${jsonSort(value)}${more}`;
  of.problems.push(`json: cannot unmarshal ${sort} into Go struct field ${of.type}.${field} of type ${type}`);
}
