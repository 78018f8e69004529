import { mapBelow } from "../json/copy.ts";
import { parseJson, toDouble, toInteger } from "../json/exact.ts";
import { isExactNumber, isObject, type Json, type JsonObject } from "../json/json.ts";
import { GoFault } from "./fault.ts";
import { isInt64 } from "./json.ts";

// Go decodes a JSON number as an int64 where it is written as one and fits, else as a float64 (apimachinery, util/json). A
// float64 that is whole is an exact number here, written with a fraction, so that it does not pass for an int64.

class OutOfRange extends Error {}

/** A value as Go decodes it, or why it cannot; the very same value where nothing changes. */
export function decodeNumbers(object: JsonObject): JsonObject | GoFault {
  try {
    const decoded = mapBelow(object, decoded64);
    return isObject(decoded) ? decoded : object;
  } catch (error) {
    if (error instanceof OutOfRange) return new GoFault(error.message);
    throw error;
  }
}

function decoded64(value: Json): Json {
  if (!isExactNumber(value)) return mapBelow(value, decoded64);
  const { rawJSON } = value;
  const double = toDouble(value);
  if (isInt64(value)) return double === 0 ? 0 : value;
  if (!Number.isFinite(double)) {
    throw new OutOfRange(`json: cannot unmarshal number ${rawJSON} into Go value of type float64`);
  }
  // Where it would not pass for an int64 a plain number will do.
  return isInt64(double) ? wholeFloat(double) : double;
}

/** A whole float64, written in one way whatever the text was. */
function wholeFloat(double: number): Json {
  const text = Object.is(double, -0) ? "-0.0" : /[.e]/.test(String(double)) ? String(double) : `${double}.0`;
  return parseJson(text, "as written");
}

/** An object as Go writes it: a whole float64 without a fraction, so that it is an integer when it is read again. */
export function withPlainNumbers(object: JsonObject): JsonObject {
  const plain = mapBelow(object, plainNumber);
  return isObject(plain) ? plain : object;
}

/** An object that was stored, as Go reads it again. */
export function storedNumbers(object: JsonObject): JsonObject {
  const decoded = decodeNumbers(withPlainNumbers(object));
  return decoded instanceof GoFault ? object : decoded;
}

/** The same of any value. */
export function plainNumber(value: Json): Json {
  if (!isExactNumber(value)) return mapBelow(value, plainNumber);
  const double = toDouble(value);
  if (isInt64(value) || !Number.isInteger(double)) return value;
  // Below this number JavaScript prints digits alone, and so does Go.
  return Math.abs(double) < 1e21 ? toInteger(String(double)) : double;
}
