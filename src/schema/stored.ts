import { toDouble } from "../json/exact.ts";
import { define, isArray, isExactNumber, isObject, type Json } from "../json/json.ts";
import { isInt64 } from "./printed.ts";

/** A value as Go reads JSON: a number that is no int64 becomes the nearest double. What is untouched is not copied. */
export function asGoReads(value: Json): Json {
  if (isExactNumber(value)) {
    const double = toDouble(value);
    return isInt64(value) || !Number.isFinite(double) ? value : double;
  }
  if (isArray(value)) {
    const after = value.map(asGoReads);
    return after.every((each, index) => each === value[index]) ? value : after;
  }
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const after = keys.map((key) => asGoReads(value[key] as Json));
  if (keys.every((key, index) => after[index] === value[key])) return value;
  const copy: Record<string, Json> = {};
  for (const [index, key] of keys.entries()) define(copy, key, after[index] as Json);
  return copy;
}
