import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";

// Fields are drawn so that an object has a few hundred values, whatever the size of its schema: drawn with even chances, an object
// of a schema with thousands of places would have thousands of values, and memory and time would grow with them.

/** Whether a field is drawn: always (true), mostly (false), or with a chance. */
export type Presence = boolean | number;

/** The chance of an optional field where the schema is small. */
const usual = 0.75;

/** About how many values an object or list of any schema is drawn with. */
const most = 400;

/** How many items a list has at most: mostly few, so that objects stay small; sometimes more, to test order and limits. */
const usualLengths = [4, 4, 4, 24];

/** How the fields of an object are drawn. Where all of them together would be too many, large ones are drawn seldom. */
export function presencesOf(schema: Json | undefined, isValid: boolean): ReadonlyMap<string, Presence> {
  const required = isValid ? requiredOf(schema) : [];
  const { chance } = sizesOf(schema);
  return new Map(
    fieldsOf(schema).map(([name, below]): readonly [string, Presence] => {
      if (required.includes(name)) return [name, true];
      const own = chance / expected(below);
      return [name, own >= usual ? false : own];
    }),
  );
}

/** The most items of a list, of which one number is drawn. */
export function thinnedLengths(schema: Json | undefined): readonly number[] {
  const item = expected(get(schema, "items"));
  const even = usualLengths.reduce((sum, length) => sum + length / 2, 0) / usualLengths.length;
  return even * item <= most ? usualLengths : [2, 2, 2, 4];
}

/** About how many values a value of a schema is drawn with. */
function expected(schema: Json | undefined): number {
  return sizesOf(schema).expected;
}

interface Sizes {
  readonly expected: number;
  /** How many values an optional field may be drawn with: its chance times its size. */
  readonly chance: number;
}

const known = new WeakMap<JsonObject, Sizes>();

function sizesOf(schema: Json | undefined): Sizes {
  if (!isObject(schema)) return { expected: 1, chance: Number.POSITIVE_INFINITY };
  const found = known.get(schema) ?? measured(schema);
  known.set(schema, found);
  return found;
}

function measured(schema: JsonObject): Sizes {
  const items = get(schema, "items");
  const others = get(schema, "additionalProperties");
  if (items !== undefined) {
    const even = thinnedLengths(schema).reduce((sum, length) => sum + length / 2, 0) / usualLengths.length;
    return { expected: 1 + even * expected(items), chance: Number.POSITIVE_INFINITY };
  }
  const required = requiredOf(schema);
  const sizes = (isRequired: boolean) =>
    fieldsOf(schema).flatMap(([name, below]) =>
      required.includes(name) === isRequired ? [expected(below)] : [],
    );
  const [always, optional] = [sizes(true), sizes(false)];
  const needed = always.reduce((sum, size) => sum + size, isObject(others) ? 2 * expected(others) : 0);
  const chance = fairShare(optional, Math.max(most - needed, most / 4));
  const drawn = optional.reduce((sum, size) => sum + Math.min(usual * size, chance), 0);
  return { expected: 1 + needed + drawn, chance };
}

/** The share with which sizes, of which each takes its usual part or that share, fill a room: infinite where all have room. */
function fairShare(sizes: readonly number[], room: number): number {
  const parts = sizes.map((size) => usual * size).toSorted((a, b) => a - b);
  let left = room;
  for (const [index, part] of parts.entries()) {
    const share = left / (parts.length - index);
    if (part > share) return share;
    left -= part;
  }
  return Number.POSITIVE_INFINITY;
}

function fieldsOf(schema: Json | undefined): readonly (readonly [name: string, schema: Json])[] {
  const properties = get(schema, "properties");
  return Object.entries(isObject(properties) ? properties : {});
}

function requiredOf(schema: Json | undefined): readonly string[] {
  const required = get(schema, "required");
  return isArray(required) ? required.map(String) : [];
}
