import { define, type ExactNumber, isArray, isExactNumber, isObject, type Json } from "./json.ts";

// A double holds every integer of up to 15 digits, and every exponent of two digits: only a longer one can lose something.
// Looking costs about a nanosecond a character; a reviver over everything costs two to six times the parsing. A number
// stands after one of these, unless it is all of the text: so the digits within a uid or a hash (`…-4e123-…`) do not count.
const hasWide = /[[:,\s]-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;
// Apart from it, since with another way to begin the search takes twice as long.
const isWide = /^-?\d(?:\d{15}|[\d.]*[eE]\+?\d{3})/;

// V8 remembers the keys of all objects, and takes a key with an escape for one that ends with a backslash where both
// begin alike (nodejs/node#63785; seen on Node 26.10): one request could misname the fields of all that come after it.
// Strings become keys, so that from the first one on that ends so, keys with an escape are read in disguise.
const lastBackslash = /(?<!\\)(?:\\\\)+"/;
let wary = false;

/** Reads JSON text. A number that a double would change beyond recognition keeps its source text. Throws SyntaxError. */
export function parseJson(text: string): Json {
  if (!isWary(text)) return parseNumbers(text);
  const mark = markFor(text);
  const marked = withMarkedKeys(text, mark);
  return marked === text ? parseNumbers(text) : withoutMarks(parseNumbers(marked), mark);
}

function isWary(text: string): boolean {
  // The first look is a plain search, and says no for nearly every text.
  wary ||= text.includes('\\\\"') && lastBackslash.test(text);
  return wary;
}

function parseNumbers(text: string): Json {
  if (!mayBeInexact(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, (_key, value: unknown, context) =>
    typeof value === "number" && context.source !== undefined && isChanged(value, context.source)
      ? JSON.rawJSON(context.source)
      : value,
  ) as Json;
}

function mayBeInexact(text: string): boolean {
  return hasWide.test(text) || isWide.test(text);
}

/** A character that the text does not say, neither plainly nor escaped. */
function markFor(text: string): string {
  let code = 0xe000;
  const isSaid = () =>
    text.includes(String.fromCharCode(code)) || new RegExp(`u${code.toString(16)}`, "i").test(text);
  while (isSaid()) code++;
  return String.fromCharCode(code);
}

/** The text with a mark on either side of every key that is written with an escape: it neither begins nor ends like another. */
function withMarkedKeys(text: string, mark: string): string {
  let marked = "";
  let from = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    let end = start + 1;
    let escaped = false;
    while (end < text.length && text[end] !== '"') {
      if (text[end] === "\\") escaped = true;
      end += text[end] === "\\" ? 2 : 1;
    }
    if (escaped && /^\s*:/.test(text.slice(end + 1, end + 100))) {
      marked += `${text.slice(from, start + 1)}${mark}${text.slice(start + 1, end)}${mark}`;
      from = end;
    }
    start = text.indexOf('"', end + 1);
  }
  return marked + text.slice(from);
}

function withoutMarks(value: Json, mark: string): Json {
  if (isArray(value)) return value.map((item) => withoutMarks(item, mark));
  if (!isObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const [key, below] of Object.entries(value)) {
    define(result, key.startsWith(mark) ? key.slice(1, -1) : key, withoutMarks(below, mark));
  }
  return result;
}

/** Writes JSON text; exact numbers come out as they came in. */
export function writeJson(value: Json): string {
  return JSON.stringify(value);
}

/** The integer that decimal digits say: a plain number where a double holds it, else an exact one. */
export function toInteger(digits: string): number | ExactNumber {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value + 0 : (JSON.rawJSON(digits) as ExactNumber);
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
