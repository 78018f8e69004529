import { isArray, isExactNumber, isObject, type Json } from "../json/json.ts";

/**
 * Whether two values are the same JSON, however deep they are: the order of keys does not count, that of items
 * does; null is not absent. It keeps its own stack, since what etcd holds may be nested deeper than ours goes.
 */
export function agree(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return false;
  const left: (Json | undefined)[] = [a];
  const right: (Json | undefined)[] = [b];
  while (left.length > 0) {
    const one = left.pop();
    const other = right.pop();
    if (one === other) continue;
    const steps = commonSteps(one, other);
    if (steps === undefined) return false;
    for (const [x, y] of steps) {
      left.push(x);
      right.push(y);
    }
  }
  return true;
}

/** The children of two values, pair by pair; none for equal numbers, undefined where the two cannot agree. */
function commonSteps(one: Json | undefined, other: Json | undefined): Iterable<Pair> | undefined {
  if (isExactNumber(one)) return isExactNumber(other) && one.rawJSON === other.rawJSON ? [] : undefined;
  if (isArray(one)) {
    if (!isArray(other) || one.length !== other.length) return undefined;
    return one.map((item, index): Pair => [item, other[index]]);
  }
  if (!isObject(one) || !isObject(other)) return undefined;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return undefined;
  if (!keys.every((key) => Object.hasOwn(other, key))) return undefined;
  return keys.map((key): Pair => [one[key], other[key]]);
}

type Pair = readonly [Json | undefined, Json | undefined];
