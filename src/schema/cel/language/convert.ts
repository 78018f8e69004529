import { fitsInt64, fitsUint64, maxInt, maxUint, parseFloatText, printFloat } from "../../../go/numbers.ts";
import { fromBytes, toBytes } from "../../../go/text.ts";
import { parseDuration, parseMoment, printMoment } from "../../../go/time.ts";
import { printSeconds } from "./print.ts";
import { duration, timestamp } from "./times.ts";
import { CelError, Duration, isThing, Timestamp, TypeValue, typeName, Uint, type Value } from "./values.ts";

const longNames = new Map([
  ["duration", "google.protobuf.Duration"],
  ["timestamp", "google.protobuf.Timestamp"],
]);

/** A value converted to another type, or an error: `int("3")`, `string(1.5)` (cel-go, ConvertToType). */
export function convert(value: Value, to: string): Value {
  if (to === "type") return new TypeValue(typeName(value));
  const from = typeName(value);
  const target = longNames.get(to) ?? to;
  if (from === target || value instanceof CelError) return value;
  return conversions.get(to)?.(value) ?? new CelError(`type conversion error from '${from}' to '${target}'`);
}

const intOverflow = new CelError("integer overflow");
const uintOverflow = new CelError("unsigned integer overflow");

const conversions: ReadonlyMap<string, (value: Value) => Value | undefined> = new Map([
  ["bool", toBool],
  ["bytes", asBytes],
  ["double", toDouble],
  ["duration", toDuration],
  ["int", toInt],
  ["string", toText],
  ["timestamp", toTimestamp],
  ["uint", toUint],
]);

const booleans: ReadonlyMap<Value, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

function toBool(value: Value): Value | undefined {
  return booleans.get(value);
}

function asBytes(value: Value): Value | undefined {
  return typeof value === "string" ? toBytes(value) : undefined;
}

function toDouble(value: Value): Value | undefined {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  return typeof value === "string" ? parseFloatText(value) : undefined;
}

function toDuration(value: Value): Value | undefined {
  const nanos = typeof value === "string" ? parseDuration(value) : undefined;
  return nanos === undefined ? undefined : duration(nanos);
}

function toInt(value: Value): Value | undefined {
  if (value instanceof Uint) return fitsInt64(value.value) ? value.value : intOverflow;
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return value.seconds;
  if (typeof value === "number") {
    const inside = value > -Number(maxInt) - 1 && value < Number(maxInt);
    return inside ? BigInt(Math.trunc(value)) : intOverflow;
  }
  if (typeof value !== "string" || !/^[+-]?\d+$/.test(value) || value.length > 10_000) return undefined;
  const whole = BigInt(value.replace("+", ""));
  return fitsInt64(whole) ? whole : undefined;
}

function toUint(value: Value): Value | undefined {
  if (typeof value === "bigint") return fitsUint64(value) ? new Uint(value) : uintOverflow;
  if (typeof value === "number") {
    return value >= 0 && value < Number(maxUint) ? new Uint(BigInt(Math.trunc(value))) : uintOverflow;
  }
  if (typeof value !== "string" || !/^\d+$/.test(value) || value.length > 10_000) return undefined;
  const whole = BigInt(value);
  return fitsUint64(whole) ? new Uint(whole) : undefined;
}

function toText(value: Value): Value | undefined {
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return printFloat(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return printSeconds(value);
  if (value instanceof Timestamp) return printMoment(value);
  if (value instanceof TypeValue) return value.name;
  if (isThing(value)) return undefined;
  return value instanceof Uint8Array ? decode(value) : undefined;
}

function decode(bytes: Uint8Array): Value {
  return fromBytes(bytes) ?? new CelError("invalid UTF-8 in bytes, cannot convert to string");
}

function toTimestamp(value: Value): Value | undefined {
  if (typeof value === "bigint") return timestamp(value, 0);
  const moment = typeof value === "string" ? parseMoment(value) : undefined;
  return moment === undefined ? undefined : timestamp(moment.seconds, moment.nanos, moment.offsetSeconds);
}
