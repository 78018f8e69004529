import { isArray, isExactNumber, isObject, type Json } from "./json.ts";

/**
 * Whether two values are the same JSON, at any depth. The order of keys does not count, the order of items does; null is
 * not absent.
 */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || equalFrom(a, b, 0);
}

// Recursion is faster than a list of our own, but the stack is limited, and stored objects may be nested deeper.
const mostRecursion = 500;

function equalFrom(a: Json | undefined, b: Json | undefined, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > mostRecursion) return equalByList(a, b);
  if (isExactNumber(a)) return isExactNumber(b) && a.rawJSON === b.rawJSON;
  if (isArray(a)) {
    return (
      isArray(b) && a.length === b.length && a.every((item, index) => equalFrom(item, b[index], depth + 1))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalFrom(a[key], b[key], depth + 1))
  );
}

type Pair = readonly [Json | undefined, Json | undefined];

/** The same with a list of pairs that are still to be compared, for any depth. */
function equalByList(a: Json, b: Json): boolean {
  const left: Pair[] = [[a, b]];
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const children = childrenOf(...pair);
    if (children === undefined) return false;
    for (const child of children) if (child[0] !== child[1]) left.push(child);
  }
  return true;
}

/** The children of two values, pair by pair; none for equal leaves, undefined where the two cannot be equal. */
function childrenOf(a: Json | undefined, b: Json | undefined): readonly Pair[] | undefined {
  if (isArray(a)) {
    return isArray(b) && a.length === b.length ? a.map((item, index): Pair => [item, b[index]]) : undefined;
  }
  if (!isObject(a) || !isObject(b)) return equalFrom(a, b, 0) ? [] : undefined;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || !keys.every((key) => Object.hasOwn(b, key))) return undefined;
  return keys.map((key): Pair => [a[key], b[key]]);
}
