import {
  hasEscapedKey,
  type Keys,
  markFor,
  revealed,
  withMarkedKeys,
  withMarkedNumbers,
} from "./disguise.ts";
import { type ExactNumber, isExactNumber, type Json } from "./json.ts";

// A double holds every integer of up to 15 digits, and every exponent of two digits: only a longer one can lose something.
// Looking costs about a nanosecond a character. A number stands after one of these, unless it is all of the text: so the
// digits within a uid or a hash (`…-4e123-…`) do not count.
const hasWide = /[[:,\s]-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;
// Apart from it, since with another way to begin the search takes twice as long.
const isWide = /^-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;
// The same, to the end of the number; what only looks like one is left for JSON.parse to refuse.
const wide =
  /(?:^|[[:,\s])(?=-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3}))-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![-+.\deE])/g;

// Those as well that have a fraction or an exponent.
const written =
  /(?:^|[[:,\s])(?=-?\d(?:\d{15}|\d*[.eE]))-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![-+.\deE])/g;

// V8 remembers the keys of all objects, and takes a key with an escape for one that ends with a backslash where both
// begin alike (nodejs/node#63785; seen on Node 26.10): one request could misname the fields of all that come after it.
// Strings become keys, so that from the first one on that ends so, keys with an escape are read in disguise. Other texts
// are not: one request must not slow down all that come after it either.
const lastBackslash = /(?<!\\)(?:\\\\)+"/;
let wary = false;

/**
 * What becomes of numbers that a double holds: each is a plain number, or, where it matters how it is written, one that is
 * whole but not written as an integer (`1.0`, `1e3`) keeps its source text as well.
 */
export type Numbers = "by value" | "as written";

/**
 * Reads JSON text. A number that a double would change beyond recognition keeps its source text. Throws SyntaxError.
 */
export function parseJson(text: string, numbers: Numbers = "by value"): Json {
  // The first look is a plain search, which costs next to nothing.
  const hidesKeys = text.includes("\\") && isWary(text) && hasEscapedKey(text);
  const isByValue = numbers === "by value";
  const first = isByValue ? firstWide(text) : text.search(written);
  if (!hidesKeys && first < 0) return JSON.parse(text) as Json;
  const mark = markFor(text);
  const numberFrom = isByValue ? numberOf : writtenNumberOf;
  const read = (keys: Keys): Json | undefined => {
    const shown = hidesKeys ? withMarkedKeys(text, mark, keys) : text;
    const marked = first < 0 ? shown : withMarkedNumbers(shown, mark, isByValue ? wide : written, first);
    if (marked === text) return JSON.parse(text) as Json;
    return revealed(parseMarked(marked, text), { mark, hidesKeys, numberOf: numberFrom });
  };
  return read("escaped") ?? (read("all") as Json);
}

function firstWide(text: string): number {
  return isWide.test(text) ? 0 : text.search(hasWide);
}

function isWary(text: string): boolean {
  wary ||= text.includes('\\\\"') && lastBackslash.test(text);
  return wary;
}

/** JSON of a text that any client may have written; undefined if it is something else. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Throws what the text itself would: where it is not JSON, its own characters are to be counted. */
function parseMarked(marked: string, text: string): Json {
  try {
    return JSON.parse(marked) as Json;
  } catch (error) {
    JSON.parse(text);
    throw error;
  }
}

function numberOf(source: string): Json {
  const value = Number(source);
  return isChanged(value, source) ? JSON.rawJSON(source) : value;
}

function writtenNumberOf(source: string): Json {
  const isFloat = /[.eE]/.test(source) && Number.isInteger(Number(source));
  return isFloat ? JSON.rawJSON(source) : numberOf(source);
}

/** Writes JSON text; exact numbers come out as they came in. */
export function writeJson(value: Json): string {
  return JSON.stringify(value);
}

/** The integer that decimal digits say, leading zeros or not: the same as of JSON text, so an exact one beyond a double. */
export function toInteger(digits: string): number | ExactNumber {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value + 0 : (numberOf(String(BigInt(digits))) as number | ExactNumber);
}

/** Whether a value is a number without a fraction: `2`, `2.0`, or an exact integer. */
export function isInteger(value: Json | undefined): value is number | ExactNumber {
  return typeof value === "number"
    ? Number.isInteger(value)
    : isExactNumber(value) && /^-?\d+$/.test(value.rawJSON);
}

/** Whether a value is a number of any sort. */
export function isNumber(value: Json | undefined): value is number | ExactNumber {
  return typeof value === "number" || isExactNumber(value);
}

/** The double nearest to a number; infinite for an exact number beyond its range. */
export function toDouble(value: number | ExactNumber): number {
  return typeof value === "number" ? value : Number(value.rawJSON);
}

/** A finite number in decimal digits, never with an exponent: `0.0000001`, `1500000000000000000000`. */
export function toDecimal(value: number | ExactNumber): string {
  const text = typeof value === "number" ? String(value) : value.rawJSON;
  // Most have no exponent.
  if (!/[eE]/.test(text)) return text;
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const point = whole.length + Number(exponent);
  // No double needs more than 1,100 digits; an exact number with a wilder exponent is left as it is written.
  if (Math.abs(point) > 1100) return text;
  const digits = (whole + fraction).padEnd(point, "0");
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return point >= digits.length ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Whether a double printed again would be another number than the text says: a long integer, or one without end. */
function isChanged(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  return /^-?\d+$/.test(source) && String(value) !== source;
}
