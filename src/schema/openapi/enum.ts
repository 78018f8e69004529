import { isInt64, printJson, toInt64 } from "../../go/json.ts";
import { equal } from "../../json/equal.ts";
import { toDouble } from "../../json/exact.ts";
import { isArray, isExactNumber, type Json } from "../../json/json.ts";
import { truncated } from "./number.ts";

/** Whether a value is one of an enum, as Go's conversions see it: null never is, and 65 is an "A" (validate.Enum). */
export function isOneOf(value: Json, known: readonly Json[]): boolean {
  return known.some((each) => each !== null && value !== null && isConverted(value, each));
}

/** The values of an enum as the API server lists them. */
export function printedEnum(known: readonly Json[]): readonly string[] {
  return known.map((value) => (typeof value === "string" ? value : printJson(value)));
}

function isConverted(value: Json, known: Json): boolean {
  if (!isNumber(value)) return !isNumber(known) && isArray(value) === isArray(known) && equal(value, known);
  if (typeof known === "string") return isInt64(value) && runeOf(toInt64(value)) === known;
  if (!isNumber(known)) return false;
  if (!isInt64(known)) return toDouble(value) === toDouble(known);
  return (isInt64(value) ? toInt64(value) : truncated(toDouble(value))) === toInt64(known);
}

function isNumber(value: Json) {
  return typeof value === "number" || isExactNumber(value);
}

function runeOf(code: bigint): string {
  const isRune = code >= 0n && code <= 0x10ffffn && !(code >= 0xd800n && code <= 0xdfffn);
  return isRune ? String.fromCodePoint(Number(code)) : "\ufffd";
}
