import { fitsInt64, fitsUint64, minInt } from "../../../go/numbers.ts";
import { compare, isComparable } from "./compare.ts";
import { addDuration, duration, subtractTimestamps } from "./times.ts";
import {
  CelError,
  Duration,
  errorOr,
  isList,
  isMap,
  noSuchOverload,
  sizeOf,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";
import type { Work } from "./work.ts";

const intOverflow = new CelError("integer overflow");
const uintOverflow = new CelError("unsigned integer overflow");

/** What an operator does with two values (cel-go common/types); undefined for one that the planner implements. */
export const binaryOperators: ReadonlyMap<string, (a: Value, b: Value, work: Work) => Value> = new Map([
  ["_+_", add],
  ["_-_", subtract],
  ["_*_", multiply],
  ["_/_", divide],
  ["_%_", modulo],
  ["_<_", (a: Value, b: Value) => ordered("_<_", a, b, (order) => order < 0)],
  ["_<=_", (a: Value, b: Value) => ordered("_<=_", a, b, (order) => order <= 0)],
  ["_>_", (a: Value, b: Value) => ordered("_>_", a, b, (order) => order > 0)],
  ["_>=_", (a: Value, b: Value) => ordered("_>=_", a, b, (order) => order >= 0)],
  ["@in", isIn],
]);

/** Whether a value is among a list's items or a map's keys. */
function isIn(value: Value, container: Value, work: Work): Value {
  if (isList(container)) return container.contains(value, work);
  if (!isMap(container)) return errorOr(container);
  const found = container.find(value);
  return found instanceof CelError ? found : found !== undefined;
}

function ordered(name: string, a: Value, b: Value, matches: (order: number) => boolean): Value {
  if (!isComparable(a)) return unsupported(name);
  const order = compare(a, b);
  return typeof order === "number" ? matches(order) : order;
}

function int(value: bigint): Value {
  return fitsInt64(value) ? value : intOverflow;
}

function uint(value: bigint): Value {
  return fitsUint64(value) ? new Uint(value) : uintOverflow;
}

const unsupported = (name: string): CelError => new CelError(`no such overload: ${name}`);

export function add(a: Value, b: Value, work: Work): Value {
  if (typeof a === "bigint") return typeof b === "bigint" ? int(a + b) : errorOr(b);
  if (typeof a === "string") return typeof b === "string" ? a + b : errorOr(b);
  if (typeof a === "number") return typeof b === "number" ? a + b : errorOr(b);
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value + b.value) : errorOr(b);
  if (isList(a)) return isList(b) ? a.add(b, work) : errorOr(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Uint8Array.from([...a, ...b]) : errorOr(b);
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanos + b.nanos);
    return b instanceof Timestamp ? addDuration(b, a) : errorOr(b);
  }
  if (a instanceof Timestamp) return b instanceof Duration ? addDuration(a, b) : errorOr(b);
  return unsupported("_+_");
}

function subtract(a: Value, b: Value): Value {
  if (typeof a === "bigint") return typeof b === "bigint" ? int(a - b) : errorOr(b);
  if (typeof a === "number") return typeof b === "number" ? a - b : errorOr(b);
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value - b.value) : errorOr(b);
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanos - b.nanos) : errorOr(b);
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return subtractTimestamps(a, b);
    return b instanceof Duration ? addDuration(a, new Duration(-b.nanos)) : errorOr(b);
  }
  return typeof a === "string" ? noSuchOverload : unsupported("_-_");
}

function multiply(a: Value, b: Value): Value {
  if (typeof a === "bigint") return typeof b === "bigint" ? int(a * b) : errorOr(b);
  if (typeof a === "number") return typeof b === "number" ? a * b : errorOr(b);
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value * b.value) : errorOr(b);
  return typeof a === "string" ? noSuchOverload : unsupported("_*_");
}

const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");

function divide(a: Value, b: Value): Value {
  if (typeof a === "bigint") {
    if (typeof b !== "bigint") return errorOr(b);
    return b === 0n ? divisionByZero : int(a / b);
  }
  if (typeof a === "number") return typeof b === "number" ? a / b : errorOr(b);
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return errorOr(b);
    return b.value === 0n ? divisionByZero : uint(a.value / b.value);
  }
  return typeof a === "string" ? noSuchOverload : unsupported("_/_");
}

function modulo(a: Value, b: Value): Value {
  if (typeof a === "bigint") {
    if (typeof b !== "bigint") return errorOr(b);
    if (b === 0n) return modulusByZero;
    return a === minInt && b === -1n ? intOverflow : a % b;
  }
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return errorOr(b);
    return b.value === 0n ? modulusByZero : uint(a.value % b.value);
  }
  return typeof a === "string" ? noSuchOverload : unsupported("_%_");
}

/** The negated value. */
export function negate(value: Value): Value {
  if (typeof value === "bigint") return int(-value);
  if (typeof value === "number") return -value;
  if (value instanceof Duration) return duration(-value.nanos);
  if (typeof value === "boolean") return noSuchOverload;
  return typeof value === "string" || value instanceof Timestamp ? noSuchOverload : unsupported("-_");
}

/** Logical negation. */
export function not(value: Value): Value {
  return typeof value === "boolean" ? !value : errorOr(value);
}

/** CEL's size(). */
export function size(value: Value): Value {
  const found = sizeOf(value);
  return found === undefined ? unsupported("size") : BigInt(found);
}
