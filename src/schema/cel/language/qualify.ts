import { indexOf } from "./collections.ts";
import { printValue } from "./print.ts";
import { CelError, isError, isList, isMap, none, Optional, type Value } from "./values.ts";
import type { Work } from "./work.ts";

/** `optional` for what may be missing: `a.?b`, and whatever is selected from an optional. */
type Way = "plain" | "optional";

/** A field or entry of a value by its name (cel-go interpreter/attributes.go). */
export function atKey(value: Value, key: string, way: Way, work: Work): Value {
  return atIndex(value, key, way, work);
}

/** What a value has at a key or an index. */
export function atIndex(value: Value, key: Value, way: Way, work: Work): Value {
  if (value instanceof Optional) {
    return value.value === undefined ? value : wrapped(lookup(value.value, key));
  }
  const found = lookup(value, key);
  if (way === "optional") return wrapped(found);
  return found === undefined ? missing(value, key, work) : found;
}

function wrapped(found: Value | undefined): Value {
  if (found === undefined) return none;
  return isError(found) || found instanceof Optional ? found : new Optional(found);
}

/** Whether a value has a field: `has(a.b)`. */
export function hasField(value: Value, field: string): Value {
  const inner = value instanceof Optional ? value.value : value;
  if (inner === undefined) return false;
  const found = lookup(inner, field);
  return isError(found) ? found : found !== undefined;
}

function lookup(value: Value, key: Value): Value | undefined {
  if (isMap(value)) return value.find(key);
  if (!isList(value)) return undefined;
  const index = indexOf(key);
  if (isError(index)) return index;
  return index >= 0 && index < value.size ? value.get(index) : undefined;
}

function missing(value: Value, key: Value, work: Work): CelError {
  return new CelError(`${isList(value) ? "index out of bounds" : "no such key"}: ${printValue(key, work)}`);
}
