import fc from "fast-check";
import { GoFault } from "../go/fault.ts";
import { compileRegexp } from "../go/regexp.ts";
import { equal } from "../json/equal.ts";
import { isNumber, toDouble, toInteger } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { formatOf } from "../schema/format/format.ts";
import { branchesOf } from "./combinators.ts";

/**
 * Texts that Go types behind `type: string` accept: a plain name, a duration, a quantity, a time, a URL, addresses, a
 * percentage, encoded bytes, JSON.
 */
const words = [
  "a",
  "10m",
  "1Gi",
  "2026-03-01T06:45:00Z",
  "https://example.com/a",
  "10.1.2.3",
  "10.1.2.0/24",
  "example.com",
  "50%",
  "YQ==",
  "abcdef.0123456789abcdef",
  "1",
  "v1",
  "A",
  "{}",
  "true",
  "8a1b7c1e-0001-4000-8000-000000000001",
  "00:00:5e:00:53:01",
  "a@example.com",
  "2026-03-01",
  "fd00::1",
  "/a",
  "*",
  "a/b",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
] as const;

/** What a field's name says about its text. */
const hints: readonly (readonly [name: RegExp, word: string])[] = [
  [/(time|timestamp|date)$/i, "2026-03-01T06:45:00Z"],
  [/(timeout|duration|period|interval|after|ttl|delay)$/i, "10m"],
  [/(url|uri|endpoint|server)$/i, "https://example.com/a"],
  [/(cidr|subnet)s?$/i, "10.1.2.0/24"],
  [/(ip|address)(es)?$/i, "10.1.2.3"],
  [/(size|memory|storage|cpu|limit)s?$/i, "1Gi"],
  [/(host|hostname|domain)s?$/i, "example.com"],
  [/(percent|percentage)$/i, "50%"],
];

/** Whether a field's name says that a plain word will not do. */
function isHinted(name: string): boolean {
  return hints.some(([pattern]) => pattern.test(name));
}

/** A text for each format that an API server checks (apiextensions-apiserver, pkg/apiserver/validation/formats.go). */
const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-03-01T06:45:00Z",
  datetime: "2026-03-01T06:45:00Z",
  date: "2026-03-01",
  duration: "10m",
  uri: "https://example.com/a",
  hostname: "example.com",
  ipv4: "10.1.2.3",
  ipv6: "fd00::1",
  ip: "10.1.2.3",
  cidr: "10.1.2.0/24",
  byte: "YQ==",
  email: "a@example.com",
  uuid: "8a1b7c1e-0001-4000-8000-000000000001",
  uuid4: "8a1b7c1e-0001-4000-8000-000000000001",
  mac: "00:00:5e:00:53:01",
};

/** Another text of a format, which an API server admits and the type of Go behind it may not read. */
export function otherSpelling({ format }: JsonObject): Json | undefined {
  return format === "duration" ? "5 minutes" : undefined;
}

/** How long texts are that show whether one is cut: a name of DNS has up to 253 characters, a label up to 63. */
const lengths = [260, 64, 20] as const;

/**
 * Longer texts with upper case, as far as a schema admits them: what a webhook cuts, or prints in lower case, shows with them.
 * The best ones come first.
 */
export function longerTexts(schema: JsonObject): readonly string[] {
  const most = numberAt(schema, "maxLength", lengths[0]);
  const long = [...new Set(lengths.map((length) => Math.min(length, most)))].flatMap((length) => {
    const mixed = "A-Longer-Text-"
      .repeat(length)
      .slice(0, Math.max(length - 1, 0))
      .concat("x");
    const letters = mixed.replaceAll("-", "x");
    const url = "https://example.com/".concat(mixed).slice(0, length);
    return [mixed, mixed.toLowerCase(), letters, letters.toLowerCase(), url];
  });
  return long.filter((text) => branchesOf(schema).some((each) => fitting([text], each).length > 0));
}

/** An integer that a double does not hold, as nanoseconds since 1970 are. */
const beyondDouble = toInteger("1700000000123456789");

// A schema is asked for its values again and again, and patterns are slow.
const known = new WeakMap<object, Map<string, readonly Json[]>>();

/** Values for a leaf of a schema, the plainest first; all differ from what Go has for a field that is not set. */
export function valuesFor(schema: Json | undefined, name: string): readonly Json[] {
  if (!isObject(schema)) return [];
  const byName = known.get(schema) ?? new Map<string, readonly Json[]>();
  known.set(schema, byName);
  const values = byName.get(name) ?? distinct(branchesOf(schema).flatMap((each) => madeFor(each, name)));
  byName.set(name, values);
  return values;
}

/**
 * Up to so many different values for a leaf, out of order: for lists whose items must be told apart. Fewer where the schema
 * admits fewer.
 */
export function differentFor(schema: Json | undefined, name: string, count: number): readonly Json[] {
  if (!isObject(schema)) return [];
  const plain = valuesFor(schema, name);
  const isChosen = isArray(get(schema, "enum"));
  const more = branchesOf(schema).flatMap((each) => fitting(othersOf(each, name, plain[0], count), each));
  const all = isChosen ? plain : [...new Set([...more, ...plain])];
  // Values of an enumeration that stand in its order would hide that a webhook sorts them.
  return isChosen ? all.slice(0, count).toReversed() : all.slice(0, count);
}

/** One of several values for a leaf, the plainest one first; undefined if none is known. */
export function nthFor(schema: Json | undefined, name: string, nth: number): Json | undefined {
  const [plain] = valuesFor(schema, name);
  if (nth === 0 || plain === undefined) return plain;
  const others = differentFor(schema, name, nth + 1).filter((value) => !equal(value, plain));
  return others[(nth - 1) % Math.max(others.length, 1)] ?? plain;
}

/** Values beside the plainest one, neither in ascending nor in descending order. */
function othersOf(schema: JsonObject, name: string, plain: Json | undefined, count: number): readonly Json[] {
  if (get(schema, "enum") !== undefined) return [];
  if (get(schema, "type") === "boolean") return [true, false];
  const numbers = [3, 1, 2, ...Array.from({ length: Math.max(0, count - 3) }, (_, nth) => nth + 4)];
  if (typeof plain === "string" && get(schema, "x-kubernetes-int-or-string") !== true) {
    const isPlain = plain === "a" && !isHinted(name);
    return numbers.map((number) =>
      isPlain ? (letters[number] ?? `a${number}`) : numbered(plain, String(number)),
    );
  }
  if (!isNumber(plain)) return [];
  const step = numberAt(schema, "multipleOf", 1);
  const lowest = Math.min(0, numberAt(schema, "maximum", count) - count * step);
  const first = Math.ceil(numberAt(schema, "minimum", lowest) / step) * step;
  return within(
    [...numbers.map((number) => number * step), ...numbers.map((number) => first + number * step - step)],
    schema,
  );
}

const letters: Readonly<Record<number, string>> = { 1: "a", 2: "b", 3: "c" };

/** A text with another first digit, or with a digit at its end: it stays the time or the address that it was. */
function numbered(text: string, digit: string): string {
  if (text === formats.byte) return btoa(digit);
  return /\d/.test(text) ? text.replace(/\d/, digit) : `${text}${digit}`;
}

function distinct(values: readonly Json[]): readonly Json[] {
  return values.filter((value, index) => values.findIndex((each) => equal(each, value)) === index);
}

function madeFor(schema: JsonObject, name: string): readonly Json[] {
  const choices = get(schema, "enum");
  if (isArray(choices)) return choices.filter((each) => each !== "" && each !== null).slice(0, 8);
  if (get(schema, "x-kubernetes-int-or-string") === true)
    return fitting([3, ...textsFor(schema, name)], schema);
  switch (get(schema, "type")) {
    case "string":
      return textsFor(schema, name);
    case "boolean":
      return get(schema, "default") === true ? [false] : [true];
    case "integer":
      return integersFor(schema);
    case "number":
      return within([0.5, 3], schema);
    default:
      return [];
  }
}

/** Texts for a place, those first that its format or name suggests; a plain word before them where nothing forbids it. */
function textsFor(schema: Json | undefined, name: string): readonly Json[] {
  const formatted = formattedText(schema);
  const hinted = hints.filter(([pattern]) => pattern.test(name)).map(([, word]) => word);
  const all = formatted === undefined ? [words[0], ...hinted, ...words] : [formatted, ...hinted, ...words];
  const found = fitting([...new Set(all)], schema);
  return found.length > 0 ? found : fitting(drawnTexts(schema), schema);
}

/** A text of a schema's format; undefined for a format that is not known. */
function formattedText(schema: Json | undefined): string | undefined {
  const format = get(schema, "format");
  return typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
}

/** Texts that a schema's length, format and pattern admit. A pattern that Go cannot read is left to the validation. */
export function fitting(values: readonly Json[], schema: Json | undefined): readonly Json[] {
  const [least, most] = [numberAt(schema, "minLength", 0), numberAt(schema, "maxLength", 1e9)];
  const [pattern, format] = [get(schema, "pattern"), get(schema, "format")];
  const compiled = typeof pattern === "string" ? compileRegexp(pattern) : undefined;
  const isOfFormat = typeof format === "string" ? formatOf(format) : undefined;
  const fits = (text: string) =>
    text.length >= least &&
    text.length <= most &&
    (isOfFormat?.(text) ?? true) &&
    (compiled === undefined || compiled instanceof GoFault || compiled.isFoundIn(text));
  return values.filter((value) => typeof value !== "string" || fits(value));
}

/** Texts of the least length, and texts drawn from the pattern where JavaScript can read it. */
function drawnTexts(schema: Json | undefined): readonly string[] {
  const least = Math.min(numberAt(schema, "minLength", 1), 100_000);
  const long = ["a", "0", "a1-"].map((unit) => unit.repeat(Math.ceil(least / unit.length)).slice(0, least));
  const pattern = get(schema, "pattern");
  if (typeof pattern !== "string") return long;
  const drawn = matching(pattern);
  return [...long, ...drawn, ...drawn.map((text) => text.padEnd(least, "a"))];
}

/** Texts that match a pattern and have at least so many characters: those of everyday first, then drawn ones, short ones first. */
export function textsMatching(pattern: string, least = 0): readonly string[] {
  const usual = fitting(words, { pattern }).filter((text) => typeof text === "string");
  return [...new Set([...usual, ...matching(pattern)])].filter((text) => [...text].length >= least);
}

// Drawing takes milliseconds, and a schema uses the same patterns in many places.
const drawnFor = new Map<string, readonly string[]>();
const mostPatterns = 1_000;

function matching(pattern: string): readonly string[] {
  const known = drawnFor.get(pattern);
  if (known !== undefined) return known;
  if (drawnFor.size >= mostPatterns) drawnFor.clear();
  const made = drawnOf(pattern).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  drawnFor.set(pattern, made);
  return made;
}

function drawnOf(pattern: string): readonly string[] {
  if (pattern.length > 500) return [];
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern), { size: "small" }), { seed: 1, numRuns: 60 });
  } catch {
    // A pattern of Go's that JavaScript does not know, or one that fast-check cannot draw from.
    return [];
  }
}

function integersFor(schema: Json | undefined): readonly Json[] {
  const isLong = get(schema, "format") !== "int32" && get(schema, "maximum") === undefined;
  const step = numberAt(schema, "multipleOf", 1);
  const [least, most] = [numberAt(schema, "minimum", 1), numberAt(schema, "maximum", 1)];
  const [first, last] = [Math.ceil(least / step) * step, Math.floor(most / step) * step];
  const plain = within([3, 1, 80, first, last, first + step, last - step], schema);
  const unique = distinct(plain.filter(Number.isInteger));
  return isLong ? [...unique.slice(0, 1), beyondDouble] : unique.slice(0, 2);
}

function within(values: readonly number[], schema: Json | undefined): readonly number[] {
  const [least, most] = [numberAt(schema, "minimum", -1e18), numberAt(schema, "maximum", 1e18)];
  const [isAbove, isBelow] = ["exclusiveMinimum", "exclusiveMaximum"].map(
    (name) => get(schema, name) === true,
  );
  const step = numberAt(schema, "multipleOf", 0);
  return values.filter(
    (value) =>
      (isAbove ? value > least : value >= least) &&
      (isBelow ? value < most : value <= most) &&
      value !== 0 &&
      (step === 0 || value % step === 0),
  );
}

function numberAt(schema: Json | undefined, name: string, otherwise: number): number {
  const value = get(schema, name);
  return isNumber(value) ? toDouble(value) : otherwise;
}
