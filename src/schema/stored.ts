import { isInt64 } from "../go/json.ts";
import { toDouble } from "../json/exact.ts";
import { isExactNumber, type Json } from "../json/json.ts";
import { mapBelow } from "./copy.ts";

/** A value as Go reads JSON: a number that is not an int64 becomes the nearest double. An untouched value is not copied. */
export function asGoReads(value: Json): Json {
  if (isExactNumber(value)) {
    const double = toDouble(value);
    return isInt64(value) || !Number.isFinite(double) ? value : double;
  }
  return mapBelow(value, asGoReads);
}
