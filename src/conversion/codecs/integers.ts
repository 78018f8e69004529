import { isInteger, toDecimal, toInteger } from "../../json/exact.ts";
import type { ExactNumber, Json } from "../../json/json.ts";

/** An integer as JSON has it: a plain number, or an exact one beyond 2^53. */
export type Integer = number | ExactNumber;

/** The integer that a text has in decimal digits; undefined for any other value. */
export function integerOfDigits(text: Json): Integer | undefined {
  return typeof text === "string" && isDigits(text) ? integerOf(BigInt(text)) : undefined;
}

/** The decimal digits of an integer; undefined for any other value. */
export function digitsOf(value: Json): string | undefined {
  const digits = isInteger(value) ? toDecimal(value) : "";
  return isDigits(digits) ? digits : undefined;
}

/** An integer of JSON; undefined for any other value, and for an integer that no int64 holds. */
export function bigintOf(value: Json): bigint | undefined {
  const digits = digitsOf(value);
  return digits === undefined ? undefined : BigInt(digits);
}

/** An integer as JSON; undefined beyond int64, which an API server would reject. */
export function integerOf(value: bigint): Integer | undefined {
  return isInt64(value) ? toInteger(String(value)) : undefined;
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

// An int64 has at most 19 digits.
function isDigits(text: string): boolean {
  return /^-?\d{1,19}$/.test(text);
}
