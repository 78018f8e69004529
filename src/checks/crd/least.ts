import { isNumber, toDouble } from "../../json/exact.ts";
import { get, isArray, type Json } from "../../json/json.ts";
import { differentOf, keysOf, smallestOf } from "../../values/smallest.ts";

// The smallest values that a schema accepts, without fields that the API server fills in. Several of them, numbered, where a
// list must hold different ones.

/** The smallest value for a schema; others with a higher number. May still break rules of the schema. */
export function leastOf(schema: Json | undefined, nth = 0): Json {
  const choices = get(schema, "enum");
  if (isArray(choices) && choices.length > 0) return choices[nth % choices.length] ?? null;
  return smallestOf(schema, { nth, isDefaulted: nth === 0 }) ?? {};
}

/** The most items that a list of ours has: a limit beyond that is not tried. */
export const mostItems = 5_000;

/** A list of different items, as far as the schema has so many. */
export function leastList(schema: Json | undefined, length: number): readonly Json[] {
  const count = Math.min(length, mostItems);
  const items = get(schema, "items");
  const several = count > 1 ? differentOf(items, count, keysOf(schema)) : [];
  return Array.from({ length: count }, (_, nth) => several[nth] ?? leastOf(items, nth));
}

/** The names of the fields that a schema requires. */
export function requiredOf(schema: Json | undefined): readonly string[] {
  const required = get(schema, "required");
  return isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** A limit of a schema; undefined where it sets none. */
export function boundOf(schema: Json | undefined, name: string): number | undefined {
  const value = get(schema, name);
  return isNumber(value) ? toDouble(value) : undefined;
}

/** The longest text of ours. */
export const mostText = 300_000;

/** The smallest and the largest number that a schema admits, its exclusive limits taken for whole numbers. */
export function limitsOf(schema: Json | undefined): readonly [least: number, most: number] {
  const [least, most] = [boundOf(schema, "minimum") ?? -Infinity, boundOf(schema, "maximum") ?? Infinity];
  return [
    least + (get(schema, "exclusiveMinimum") === true ? 1 : 0),
    most - (get(schema, "exclusiveMaximum") === true ? 1 : 0),
  ];
}
