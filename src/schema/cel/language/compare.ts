import { maxInt, maxUint } from "../../../go/numbers.ts";
import { compareBytes } from "../../../go/text.ts";
import {
  CelError,
  Duration,
  errorOr,
  isError,
  isList,
  isMap,
  isThing,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";
import type { Work } from "./work.ts";

/** Whether two values are equal; an error where they cannot be compared (cel-go types.Equal). Numbers of all types compare. */
export function equals(a: Value, b: Value, work: Work): Value {
  if (a === null || b === null) return a === b;
  switch (typeof a) {
    case "string":
    case "boolean":
      return a === b;
    case "bigint":
    case "number":
      return isNumeric(b) && compareNumbers(a, b) === 0;
  }
  if (a instanceof Uint) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (isList(a) || isMap(a)) return a.equals(b, work);
  if (isThing(a)) return a.equals(b);
  if (isError(a)) return a;
  return equalsSimple(a, b, work);
}

function equalsSimple(
  a: Uint8Array | Timestamp | Duration | TypeValue | Optional,
  b: Value,
  work: Work,
): Value {
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareOctets(a, b) === 0;
  if (!(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value, work);
}

const unordered = new CelError("NaN values cannot be ordered");

/** -1, 0 or 1, or an error: not everything has an order (cel-go traits.Comparer). */
export function compare(a: Value, b: Value): -1 | 0 | 1 | CelError {
  if (isNumeric(a)) {
    if (Number.isNaN(a)) return unordered;
    if (!isNumeric(b)) return errorOr(b);
    return compareNumbers(a, b) ?? unordered;
  }
  if (typeof a === "string") return typeof b === "string" ? compareBytes(a, b) : errorOr(b);
  if (typeof a === "boolean") return typeof b === "boolean" ? sign(Number(a) - Number(b)) : errorOr(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareOctets(a, b) : errorOr(b);
  if (a instanceof Duration) return b instanceof Duration ? order(a.nanos, b.nanos) : errorOr(b);
  if (a instanceof Timestamp) {
    return b instanceof Timestamp ? order(a.seconds, b.seconds) || order(a.nanos, b.nanos) : errorOr(b);
  }
  return errorOr(a);
}

/** Whether a value has an order with others of its type. */
export function isComparable(value: Value): boolean {
  return (
    isNumeric(value) ||
    ["string", "boolean"].includes(typeof value) ||
    value instanceof Uint8Array ||
    value instanceof Duration ||
    value instanceof Timestamp
  );
}

export const isNumeric = (value: Value): value is bigint | number | Uint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

/** The order of two numbers by their values; undefined for NaN. */
export function compareNumbers(a: bigint | number | Uint, b: bigint | number | Uint): -1 | 0 | 1 | undefined {
  if (typeof a === "number") return typeof b === "number" ? orderDoubles(a, b) : compareDouble(a, b);
  if (typeof b === "number") {
    const reversed = compareDouble(b, a);
    return reversed === undefined ? undefined : order(0, reversed);
  }
  return order(a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b);
}

/** A double with an integer: as doubles, once they are within the integer's range (cel-go common/types/compare.go). */
function compareDouble(a: number, b: bigint | Uint): -1 | 0 | 1 | undefined {
  const [low, high, value] =
    b instanceof Uint ? [0, Number(maxUint), b.value] : [-Number(maxInt), Number(maxInt), b];
  if (a < low) return -1;
  return a > high ? 1 : orderDoubles(a, Number(value));
}

function orderDoubles(a: number, b: number): -1 | 0 | 1 | undefined {
  return Number.isNaN(a) || Number.isNaN(b) ? undefined : order(a, b);
}

function order<T extends bigint | number>(a: T, b: T): -1 | 0 | 1 {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

const sign = (value: number): -1 | 0 | 1 => order(value, 0);

function compareOctets(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 || at >= b.length ? order(a.length, b.length) : order(a[at] ?? 0, b[at] ?? 0);
}
