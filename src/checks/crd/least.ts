import fc from "fast-check";
import { isNumber, toDouble } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";

// The smallest values that a schema accepts. Several of them, numbered, where a list must hold different ones.

/** The smallest value for a schema; others with a higher number. May still break rules of the schema. */
export function leastOf(schema: Json | undefined, nth = 0): Json {
  const choices = get(schema, "enum");
  if (isArray(choices) && choices.length > 0) return choices[nth % choices.length] ?? null;
  if (get(schema, "x-kubernetes-int-or-string") === true) return nth;
  switch (get(schema, "type")) {
    case "object":
      return leastObject(schema, nth);
    case "array":
      return leastList(schema, boundOf(schema, "minItems") ?? 0);
    case "string":
      return leastText(schema, nth);
    case "boolean":
      return nth % 2 === 1;
    case "integer":
    case "number":
      return leastNumber(schema, nth);
    default:
      return {};
  }
}

/** An object with what a schema requires; what has a default is filled in by the API server. */
function leastObject(schema: Json | undefined, nth: number): JsonObject {
  const embedded =
    get(schema, "x-kubernetes-embedded-resource") === true
      ? { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }
      : {};
  const fields = requiredOf(schema)
    .filter((name) => !Object.hasOwn(embedded, name))
    .map((name) => [name, get(schema, "properties", name)] as const)
    .filter(([, field]) => get(field, "default") === undefined || nth > 0)
    .map(([name, field]) => [name, leastOf(field, nth)] as const);
  const few = Math.max(0, (boundOf(schema, "minProperties") ?? 0) - fields.length);
  return { ...embedded, ...Object.fromEntries(fields), ...leastEntries(schema, few) };
}

/** Entries of a map, or optional fields, as many as the schema wants beside the required ones. */
function leastEntries(schema: Json | undefined, count: number): JsonObject {
  const others = get(schema, "additionalProperties");
  if (isObject(others) || others === true) return numbered(count, (nth) => leastOf(others, nth));
  const properties = get(schema, "properties");
  const optional = Object.entries(isObject(properties) ? properties : {}).filter(
    ([name]) => !requiredOf(schema).includes(name),
  );
  return Object.fromEntries(optional.slice(0, count).map(([name, field]) => [name, leastOf(field)]));
}

function numbered(count: number, value: (nth: number) => Json): JsonObject {
  const names = Array.from({ length: Math.min(count, mostItems) }, (_, nth) => [`k${nth}`, value(nth)]);
  return Object.fromEntries(names);
}

/** The most items that a list of ours has: a limit beyond that is not tried. */
export const mostItems = 5_000;

/** A list of different items. */
export function leastList(schema: Json | undefined, length: number): readonly Json[] {
  const items = get(schema, "items");
  return Array.from({ length: Math.min(length, mostItems) }, (_, nth) => leastItem(schema, items, nth));
}

function leastItem(schema: Json | undefined, items: Json | undefined, nth: number): Json {
  const item = leastOf(items, nth);
  const keys = get(schema, "x-kubernetes-list-map-keys");
  if (!isArray(keys) || !isObject(item)) return item;
  const named = keys.map((key) => [String(key), leastOf(get(items, "properties", String(key)), nth)]);
  return { ...item, ...Object.fromEntries(named) };
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

function leastText(schema: Json | undefined, nth: number): string {
  const pattern = get(schema, "pattern");
  const least = boundOf(schema, "minLength") ?? 0;
  if (typeof pattern === "string") return textsMatching(pattern, least)[nth] ?? "";
  const known = formats[String(get(schema, "format"))];
  if (known !== undefined) return known.replace("%", String(nth));
  return `${nth === 0 ? "a" : `a${nth}`}`.padEnd(Math.min(least, mostText), "a");
}

/** The longest text of ours. */
export const mostText = 300_000;

/** Texts that match a pattern and are long enough, short ones first; none for a pattern that cannot be drawn from. */
export function textsMatching(pattern: string, least = 0): readonly string[] {
  const known = matching.get(pattern) ?? drawn(pattern);
  matching.set(pattern, known);
  return known.filter((text) => [...text].length >= least);
}

// Drawing takes milliseconds, and a schema uses the same patterns in many places.
const matching = new Map<string, readonly string[]>();

function drawn(pattern: string): readonly string[] {
  try {
    const regexp = new RegExp(pattern);
    // What people write comes before what is drawn.
    const usual = usualTexts.filter((text) => regexp.test(text));
    const made = fc.sample(fc.stringMatching(regexp, { size: "small" }), { numRuns: 60, seed: 1 });
    const shortFirst = made.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return [...new Set([...usual, ...shortFirst])];
  } catch {
    // RE2's own syntax, or a look-around that fast-check cannot draw from.
    return usualTexts;
  }
}

const usualTexts = [
  "a",
  "a1",
  "a2",
  "a.example",
  "v1",
  "1",
  "10",
  "1s",
  "5m",
  "1h0m0s",
  "1Gi",
  "100m",
  "50%",
  "A",
  "Ready",
  "/a",
  "https://a.example",
  "10.0.0.1",
  "10.0.0.0/24",
  "a=b",
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
];

/** A text of each format that API servers check; `%` is a number that makes it another one. */
const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:0%Z",
  date: "2026-01-0%",
  datetime: "2026-01-01T00:00:0%Z",
  duration: "1%s",
  uuid: "8a1b7c1e-0000-4000-8000-00000000000%",
  uuid4: "8a1b7c1e-0000-4000-8000-00000000000%",
  ipv4: "10.0.0.%",
  ipv6: "::%",
  cidr: "10.%.0.0/16",
  uri: "https://a%.example",
  email: "a%@a.example",
  hostname: "a%.example",
  mac: "00:00:00:00:00:0%",
  byte: "YQ==",
  "k8s-short-name": "a%",
  "k8s-long-name": "a%",
};

function leastNumber(schema: Json | undefined, nth: number): number {
  const step = boundOf(schema, "multipleOf") ?? 1;
  const [least, most] = limitsOf(schema);
  const start = least > 0 ? Math.ceil(least / step) * step : Math.min(0, Math.floor(most / step) * step);
  const value = start + nth * step;
  return value <= most ? value : start;
}

/** The smallest and the largest number that a schema admits, its exclusive limits taken for whole numbers. */
export function limitsOf(schema: Json | undefined): readonly [least: number, most: number] {
  const [least, most] = [boundOf(schema, "minimum") ?? -Infinity, boundOf(schema, "maximum") ?? Infinity];
  return [
    least + (get(schema, "exclusiveMinimum") === true ? 1 : 0),
    most - (get(schema, "exclusiveMaximum") === true ? 1 : 0),
  ];
}
