import { toDouble } from "../json/exact.ts";
import { type ExactNumber, isArray, isExactNumber, isObject, type Json } from "../json/json.ts";

// How Go prints values: the API server's sentences show them so.

/** Whether the API server holds a number as an int64, not as a float64: digits alone, and in its range. */
export function isInt64(value: Json | undefined): value is number | ExactNumber {
  if (typeof value === "number") return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
  if (!isExactNumber(value) || !/^-?\d{1,30}$/.test(value.rawJSON)) return false;
  const exact = BigInt(value.rawJSON);
  return exact === BigInt.asIntN(64, exact);
}

/** An int64 without loss. */
export function toInt64(value: number | ExactNumber): bigint {
  return BigInt(typeof value === "number" ? value : value.rawJSON);
}

/** A number as `%v` prints it: `1000000` for an integer, `1e+06` for a float. */
export function printNumber(value: number | ExactNumber): string {
  return isInt64(value) ? String(toInt64(value)) : printFloat(toDouble(value));
}

/** A float64 as `%v` prints it: the shortest digits, with an exponent below 1e-4 and from 1e+06 on. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return toPlain(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A float64 in digits alone (strconv.FormatFloat with 'f'). */
export function toPlain(value: number): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value)) ?? [];
  const point = whole.length + Number(power);
  const digits = (whole + fraction).padEnd(point, "0");
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return point >= digits.length ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** A text as `%q` prints it. */
export function quote(text: string): string {
  if (/^[\w #$%&'()*+,./:;<=>?@[\]^{|}~!-]*$/.test(text)) return `"${text}"`;
  let quoted = "";
  for (const character of text) quoted += quotedCharacter(character);
  return `"${quoted}"`;
}

/** A value as encoding/json writes it: keys in order, `<`, `>` and `&` escaped. */
export function printJson(value: Json): string {
  if (typeof value === "string") return jsonText(value);
  if (typeof value === "number" || isExactNumber(value)) {
    return isInt64(value) ? String(toInt64(value)) : jsonFloat(toDouble(value));
  }
  if (isArray(value)) return `[${value.map(printJson).join(",")}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => compareBytes(a, b));
  return `{${entries.map(([key, below]) => `${jsonText(key)}:${printJson(below)}`).join(",")}}`;
}

/** A value as a sentence about a field shows it (field.Error, ErrorBody): texts quoted, numbers plain, the rest as JSON. */
export function printValue(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || isExactNumber(value)) return printNumber(value);
  return printJson(value);
}

/** The order in which Go sorts texts: by their bytes in UTF-8. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // The order of UTF-16 is that of UTF-8 but for surrogates, which stand above all else in the one and not in the other.
  return /[\ud800-\udfff]/.test(a + b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

function quotedCharacter(character: string): string {
  const short = escapes[character];
  if (short !== undefined) return short;
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, "0");
}

function jsonText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${hex(character.charCodeAt(0), 4)}`,
  );
}

/** JavaScript and encoding/json part ways on none but the zero below zero. */
function jsonFloat(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
