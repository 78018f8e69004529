import fc from "fast-check";
import { keyName } from "../conversion/keyed-list.ts";
import { isInteger, toInteger } from "../json/exact.ts";
import { define, get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { anyJson, anyKey, anyText, extremeInteger, wordyText } from "./any.ts";
import { type Harvest, placeBelow } from "./harvest.ts";
import { lazily } from "./lazy.ts";
import { type Presence, presencesOf, thinnedLengths } from "./thin.ts";

/**
 * How values are drawn: `valid` by the schema; `partial` also without required fields, down to items with only their keys;
 * `wild` also with null and wrong types anywhere, and with duplicate keys.
 */
export type Manner = "valid" | "partial" | "wild";

/** Values for a place in a schema. Values of the examples are frequent, so that objects agree with each other. */
export function valuesOf(
  schema: Json | undefined,
  place: string,
  found: Harvest,
  manner: Manner,
): fc.Arbitrary<Json> {
  if (!isObject(schema)) return drawnOf(schema, place, found, manner);
  const bySchema = drawn.get(found) ?? new WeakMap<JsonObject, Map<string, fc.Arbitrary<Json>>>();
  drawn.set(found, bySchema);
  const here = bySchema.get(schema) ?? new Map<string, fc.Arbitrary<Json>>();
  bySchema.set(schema, here);
  const name = `${manner} ${place}`;
  const known = here.get(name) ?? lazily(() => drawnOf(schema, place, found, manner));
  here.set(name, known);
  return known;
}

// Each place has its arbitrary once, for objects, for edits of it and for edits of all that it stands in.
const drawn = new WeakMap<Harvest, WeakMap<JsonObject, Map<string, fc.Arbitrary<Json>>>>();

function drawnOf(
  schema: Json | undefined,
  place: string,
  found: Harvest,
  manner: Manner,
): fc.Arbitrary<Json> {
  const made = madeOf(schema, place, found, manner);
  const known = isGranular(schema) ? [] : (found.get(place) ?? []);
  const value =
    known.length === 0
      ? made
      : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 3 }, { arbitrary: made, weight: 2 });
  if (manner !== "wild") return value;
  return fc.oneof(
    { arbitrary: value, weight: 12 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: anyJson, weight: 1 },
  );
}

type Field = readonly [name: string, value: fc.Arbitrary<Json>, presence: Presence];

/** The fields of an object; optional ones may be absent. */
export function fieldsOf(fields: readonly Field[]): fc.Arbitrary<JsonObject> {
  const values = fields.map(([, value, presence]) => optional(value, presence));
  return fc.tuple(...values).map((drawn) => {
    const object: Record<string, Json> = {};
    for (const [index, [name]] of fields.entries()) {
      const value = drawn[index];
      if (value !== undefined && value !== absent) define(object, name, value as Json);
    }
    return object;
  });
}

const absent = Symbol("absent");

function optional(value: fc.Arbitrary<Json>, presence: Presence): fc.Arbitrary<Json | typeof absent> {
  if (presence === true) return value;
  if (presence === false) return fc.option(value, { nil: absent, freq: 3 });
  const weight = Math.max(1, Math.round(presence * 1000));
  const none = { arbitrary: fc.constant(absent), weight: 1000 - weight };
  return fc.oneof({ withCrossShrink: true }, none, { arbitrary: value, weight });
}

function isGranular(schema: Json | undefined): boolean {
  const whole =
    get(schema, "x-kubernetes-map-type") === "atomic" ||
    get(schema, "x-kubernetes-preserve-unknown-fields") === true;
  return (
    !whole && (isObject(get(schema, "properties")) || get(schema, "x-kubernetes-list-map-keys") !== undefined)
  );
}

function madeOf(schema: Json | undefined, place: string, found: Harvest, manner: Manner): fc.Arbitrary<Json> {
  const choices = get(schema, "enum");
  if (isArray(choices) && choices.length > 0) return fc.constantFrom(...choices);
  if (get(schema, "x-kubernetes-int-or-string") === true)
    return fc.oneof(integerOf(schema), stringOf(schema));
  switch (get(schema, "type")) {
    case "object":
      return objectOf(schema, place, found, manner);
    case "array":
      return listOf(schema, place, found, manner);
    case "string":
      return stringOf(schema);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integerOf(schema);
    case "number":
      return numberOf(schema);
    default:
      return anyJson;
  }
}

function objectOf(
  schema: Json | undefined,
  place: string,
  found: Harvest,
  manner: Manner,
): fc.Arbitrary<JsonObject> {
  const properties = get(schema, "properties");
  const presences = presencesOf(schema, manner === "valid");
  const fields = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, below]): Field => [
      name,
      valuesOf(below, placeBelow(place, name), found, manner),
      presences.get(name) ?? false,
    ],
  );
  const counts = manner === "valid" ? countsOf(schema) : undefined;
  const known = counts === undefined ? fieldsOf(fields) : countedFields(fields, counts);
  const others = get(schema, "additionalProperties");
  const isOpen = get(schema, "x-kubernetes-preserve-unknown-fields") === true || others === true;
  if (!isOpen && !isObject(others)) return known;
  const names = [...found.keys()].flatMap((each) =>
    each.startsWith(`${place}.`) ? [each.slice(place.length + 1)] : [],
  );
  const key = names.length === 0 ? anyKey : fc.oneof(fc.constantFrom(...names), anyKey);
  const value = isObject(others) ? valuesOf(others, `${place}.*`, found, manner) : anyJson;
  if (counts !== undefined) return countedEntries(fc.tuple(key, value), known, counts);
  return fc
    .tuple(fc.array(fc.tuple(key, value), { maxLength: 4 }), known)
    .map(([open, named]) => Object.fromEntries([...open, ...Object.entries(named)]));
}

/** The least and the most fields of an object, if its schema says so. */
function countsOf(schema: Json | undefined): Counts | undefined {
  const [least, most] = [leastOf(schema, "minProperties"), bound(schema, "maxProperties")];
  return least === undefined && most === undefined ? undefined : { least: least ?? 0, most: most ?? 1000 };
}

interface Counts {
  readonly least: number;
  readonly most: number;
}

/** Some of the fields of an object, each of them now and then: those that are required, and as many others as are needed or allowed. */
function countedFields(fields: readonly Field[], { least, most }: Counts): fc.Arbitrary<JsonObject> {
  const required = fields.filter(([, , presence]) => presence === true);
  const optional = fields.filter(([, , presence]) => presence !== true);
  return fc.nat({ max: Math.max(0, optional.length - 1) }).chain((start) => {
    const order = [...required, ...optional.slice(start), ...optional.slice(0, start)].slice(0, most);
    return fieldsOf(order.map(([name, value, presence], at) => [name, value, at < least ? true : presence]));
  });
}

/** Named fields, and as many entries of a map beside them as are needed or allowed. */
function countedEntries(
  entry: fc.Arbitrary<[string, Json]>,
  known: fc.Arbitrary<JsonObject>,
  { least, most }: Counts,
): fc.Arbitrary<JsonObject> {
  const length = { minLength: Math.min(least, most), maxLength: Math.max(least, Math.min(4, most)) };
  const entries = fc.uniqueArray(entry, { ...length, selector: ([name]) => name });
  return fc.tuple(entries, known).map(([open, named]) => {
    const others = open.filter(([name]) => !Object.hasOwn(named, name));
    return Object.fromEntries([...Object.entries(named), ...others].slice(0, most));
  });
}

function listOf(schema: Json | undefined, place: string, found: Harvest, manner: Manner): fc.Arbitrary<Json> {
  const items = get(schema, "items");
  const keys = get(schema, "x-kubernetes-list-map-keys");
  const [least, most] = [leastOf(schema, "minItems") ?? 0, bound(schema, "maxItems") ?? 1000];
  const minLength = manner === "valid" ? least : 0;
  const item = valuesOf(items, `${place}[]`, found, manner);
  // Mostly a few, so that objects stay small; sometimes more, to test order and limits.
  const lengths = thinnedLengths(schema).map((length) => ({
    minLength,
    maxLength: Math.max(minLength, Math.min(most, length)),
  }));
  if (manner !== "wild" && isArray(keys)) {
    const keyed = fc
      .tuple(item, itemKeys(items, keys, place, found))
      .map(([value, named]) => ({ ...(isObject(value) ? value : {}), ...named }));
    const selector = (each: JsonObject) => keyName(each, keys.map(String)) ?? "";
    return fc.oneof(...lengths.map((length) => fc.uniqueArray(keyed, { ...length, selector })));
  }
  const isSet = manner !== "wild" && get(schema, "x-kubernetes-list-type") === "set";
  return isSet
    ? fc.oneof(
        ...lengths.map((length) =>
          fc.uniqueArray(item, { ...length, selector: (each) => JSON.stringify(each) }),
        ),
      )
    : fc.oneof(...lengths.map((length) => fc.array(item, length)));
}

/** The keys of an item, which are always present; few different ones, so that items meet. */
function itemKeys(
  items: Json | undefined,
  keys: readonly Json[],
  place: string,
  found: Harvest,
): fc.Arbitrary<JsonObject> {
  return fieldsOf(
    keys.map(String).map((key) => {
      const schema = get(items, "properties", key);
      const value = valuesOf(schema, placeBelow(`${place}[]`, key), found, "valid");
      const isText =
        get(schema, "type") === "string" && get(schema, "enum") === undefined && !get(schema, "pattern");
      const letters = fc.constantFrom("a", "b", "c", "=", "~x", "__proto__", "10", "9");
      return [
        key,
        isText ? fc.oneof({ arbitrary: letters, weight: 2 }, { arbitrary: value, weight: 1 }) : value,
        true,
      ];
    }),
  );
}

function stringOf(schema: Json | undefined): fc.Arbitrary<Json> {
  const pattern = get(schema, "pattern");
  const format = get(schema, "format");
  const [least, most] = [bound(schema, "minLength") ?? 0, bound(schema, "maxLength") ?? 1000];
  const fits = (text: string) => [...text].length >= least && [...text].length <= most;
  if (typeof pattern === "string") return patterned(pattern, fits);
  if (format === "date-time")
    return fc.constantFrom("2026-03-01T06:45:00Z", "2024-02-29T23:59:59.999999Z", "0001-01-01T00:00:00Z");
  const long = "ä".repeat(Math.min(most, 300));
  return fc
    .oneof(
      { arbitrary: anyText, weight: 7 },
      { arbitrary: wordyText, weight: 2 },
      { arbitrary: fc.constant(long), weight: 1 },
    )
    .map((text) => {
      if (fits(text)) return text;
      return [...text.padEnd(least, "a")].slice(0, most).join("");
    });
}

/** Strings that match a pattern; for an unsupported pattern only strings from the examples. */
function patterned(pattern: string, fits: (text: string) => boolean): fc.Arbitrary<Json> {
  const made = matching.get(pattern) ?? matchingOf(pattern);
  matching.set(pattern, made);
  return made.map((text) => (fits(text) ? text : ""));
}

// Preparing a pattern takes milliseconds, and a schema uses the same patterns in many places.
const matching = new Map<string, fc.Arbitrary<string>>();

function matchingOf(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { size: "xsmall" });
  } catch {
    return fc.constant("");
  }
}

function integerOf(schema: Json | undefined): fc.Arbitrary<Json> {
  const isLong = get(schema, "format") === "int64";
  const widest = get(schema, "format") === "int32" ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const min = Math.ceil(bound(schema, "minimum") ?? -widest);
  const max = Math.floor(bound(schema, "maximum") ?? widest);
  const edges = [min, max, 0, 1].filter((edge) => edge >= min && edge <= max);
  const few = fc.integer({ min: Math.max(min, Math.min(max, -3)), max: Math.min(max, Math.max(min, 100)) });
  const plain = fc.oneof({ arbitrary: few, weight: 2 }, { arbitrary: fc.constantFrom(...edges), weight: 1 });
  return isLong && bound(schema, "maximum") === undefined && bound(schema, "minimum") === undefined
    ? fc.oneof({ arbitrary: plain, weight: 2 }, { arbitrary: extremeInteger, weight: 1 })
    : plain.map((value) => toInteger(String(value)));
}

function numberOf(schema: Json | undefined): fc.Arbitrary<Json> {
  const [min, max] = [bound(schema, "minimum") ?? -1e9, bound(schema, "maximum") ?? 1e21];
  const edges = [min, max, 0, 1, 0.5, 0.333, 0.005, 0.1 + 0.2, 1e-7, 21.5].filter(
    (edge) => edge >= min && edge <= max,
  );
  return fc.oneof(
    { arbitrary: fc.constantFrom(...edges), weight: 2 },
    { arbitrary: fc.double({ min, max, noNaN: true }).map((value) => value + 0), weight: 1 },
  );
}

/** The least number of values, unless it is more than are drawn: what is drawn of such a schema is never valid, and stays small. */
function leastOf(schema: Json | undefined, name: string): number | undefined {
  const least = bound(schema, name);
  return least !== undefined && least <= mostDrawn ? least : undefined;
}

const mostDrawn = 100;

function bound(schema: Json | undefined, name: string): number | undefined {
  const value = get(schema, name);
  return typeof value === "number" && (isInteger(value) || Number.isFinite(value)) ? value : undefined;
}
