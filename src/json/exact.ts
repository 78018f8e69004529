import { type ExactNumber, isExactNumber, type Json } from "./json.ts";

// A double holds every integer of up to 15 digits, and every exponent of two digits: only text with a longer run can
// lose something. Looking costs about a microsecond; a reviver over everything costs two to six times the parsing.
const mayBeInexact = /\d{16}|\d[eE]\+?\d{3}/;

/** Reads JSON text. A number that a double would change beyond recognition keeps its source text. Throws SyntaxError. */
export function parseJson(text: string): Json {
  if (!mayBeInexact.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, (_key, value: unknown, context) =>
    typeof value === "number" && context.source !== undefined && isChanged(value, context.source)
      ? JSON.rawJSON(context.source)
      : value,
  ) as Json;
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
