import { printFloat, printPlain } from "../../../go/numbers.ts";
import { printDuration, printMoment } from "../../../go/time.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  isThing,
  Optional,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from "./values.ts";
import type { Work } from "./work.ts";

/** A value as Go prints it with %v within the server's errors: `no such key: 3`. */
export function printValue(value: Value, work: Work): string {
  if (isList(value)) {
    const items = Array.from({ length: value.size }, (_, index) => printValue(value.get(index), work));
    work.spendText(items.length);
    return `[${items.join(", ")}]`;
  }
  if (isMap(value)) {
    const print = (key: Value) => `${printValue(key, work)}: ${printValue(value.find(key) ?? null, work)}`;
    return `{${value.keys(work).map(print).join(", ")}}`;
  }
  if (!(value instanceof Optional)) return printScalar(value);
  return value.value === undefined ? "optional.none()" : `optional(${printValue(value.value, work)})`;
}

/** The same for a value that holds no others; lists, maps and optionals print as their type. */
export function printScalar(value: Value): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return printFloat(value);
    case "bigint":
    case "boolean":
      return String(value);
  }
  if (value === null) return "NULL_VALUE";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  if (value instanceof Duration) return printDuration(value.nanos);
  if (value instanceof Timestamp) return printMoment(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof CelError) return value.message;
  return isThing(value) ? value.print() : typeName(value);
}

/** A duration as CEL's string() gives it: seconds as a decimal number. */
export function printSeconds({ nanos }: Duration): string {
  // Go divides as doubles: seconds plus a fraction.
  const seconds = Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9;
  return `${printPlain(seconds)}s`;
}

/** A value's type as Go names it. */
export function goTypeOf(value: Value): string {
  switch (typeof value) {
    case "string":
      return "types.String";
    case "bigint":
      return "types.Int";
    case "number":
      return "types.Double";
    case "boolean":
      return "types.Bool";
  }
  if (value === null) return "types.Null";
  if (value instanceof Uint) return "types.Uint";
  if (value instanceof Uint8Array) return "types.Bytes";
  if (value instanceof Timestamp) return "types.Timestamp";
  if (value instanceof Duration) return "types.Duration";
  return value instanceof CelError ? "*types.Err" : "*types.Optional";
}
