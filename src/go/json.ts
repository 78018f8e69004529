import { toDouble } from "../json/exact.ts";
import { type ExactNumber, isArray, isExactNumber, isObject, type Json } from "../json/json.ts";
import { printFloat } from "./numbers.ts";
import { compareBytes, quote } from "./text.ts";

// JSON values as Go holds and prints them: the API server's sentences show them so.

/** Whether the API server holds a number as an int64, not as a float64: digits alone, and in its range. */
export function isInt64(value: Json | undefined): value is number | ExactNumber {
  // The least int64 is an exact number: its double prints other digits, which are out of range.
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
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

function jsonText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** encoding/json prints floats as JavaScript does, but for negative zero. */
function jsonFloat(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** The sort of a JSON value, as encoding/json names it where it does not fit a Go type. */
export function jsonSort(value: Json): string {
  if (isArray(value)) return "array";
  if (typeof value === "number" || isExactNumber(value)) return "number";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "object";
}

/** The Go type of a decoded JSON value: `%T`. */
export function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || isExactNumber(value)) return isInt64(value) ? "int64" : "float64";
  return isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** A decoded JSON value as `%v` prints it: texts bare, maps by their keys in order. */
export function printPlainly(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value === "number" || isExactNumber(value)) return printNumber(value);
  if (isArray(value)) return `[${value.map(printPlainly).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => compareBytes(a, b));
  return `map[${entries.map(([key, below]) => `${key}:${printPlainly(below)}`).join(" ")}]`;
}
