import { isSince } from "../../model/kubernetes-version.ts";
import { Items, itemsOf } from "../language/collections.ts";
import { compare, equals, isComparable } from "../language/compare.ts";
import { type Row, taking } from "../language/function.ts";
import { add } from "../language/operators.ts";
import {
  CelError,
  Duration,
  errorOr,
  isInt,
  isList,
  isValue,
  type ListValue,
  typeName,
  Uint,
  type Value,
} from "../language/values.ts";
import type { Work } from "../language/work.ts";

/** The work of comparing two items. */
const comparing = 2;

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const sumZeros: readonly (readonly [string, Value])[] = [
  ["int", 0n],
  ["uint", new Uint(0n)],
  ["double", 0],
  ["duration", new Duration(0n)],
];

/** Kubernetes' list library, cel-go ext/lists.go version 3, and ext/sets.go. */
export const listRows: readonly Row[] = [
  ...comparable.map(
    (type): Row => [
      `list_${type}_is_sorted_bool`,
      `list(${type}) .isSorted(): bool`,
      taking([isList], isSorted),
    ],
  ),
  ...sumZeros.map(
    ([type, zero]): Row => [
      `list_${type}_sum_${type}`,
      `list(${type}) .sum(): ${type}`,
      taking([isList], (list, work) => sum(list, zero, work)),
    ],
  ),
  ...comparable.map(
    (type): Row => [
      `list_${type}_max_${type}`,
      `list(${type}) .max(): ${type}`,
      taking([isList], (list) => extreme(list, "max")),
    ],
  ),
  ...comparable.map(
    (type): Row => [
      `list_${type}_min_${type}`,
      `list(${type}) .min(): ${type}`,
      taking([isList], (list) => extreme(list, "min")),
    ],
  ),
  [
    "list_a_index_of_int",
    "list(A) .indexOf(A): int",
    taking([isList, isValue], (list, each, work) => indexOf(list, each, 1, work)),
  ],
  [
    "list_a_last_index_of_int",
    "list(A) .lastIndexOf(A): int",
    taking([isList, isValue], (list, each, work) => indexOf(list, each, -1, work)),
  ],
  ["list_slice", "list(T) .slice(int, int): list(T)", taking([isList, isInt, isInt], slice)],
  ["list_flatten", "list(list(T)) .flatten(): list(T)", taking([isList], (list) => flattened(list, 1n))],
  ["list_flatten_int", "list(dyn) .flatten(int): list(dyn)", taking([isList, isInt], flattened)],
  ...comparable.map(
    (type): Row => [
      `list_${type}_sort`,
      `list(${type}) .sort(): list(${type})`,
      taking([isList], (list) => sort(list, list)),
      "singleton",
    ],
  ),
  ...comparable.map(
    (type): Row => [
      `list_${type}_sortByAssociatedKeys`,
      `list(T) .@sortByAssociatedKeys(list(${type})): list(T)`,
      taking([isList, isList], sort),
      "singleton",
    ],
  ),
  ["lists_range", "lists.range(int): list(int)", taking([isInt], range)],
  [
    "list_reverse",
    "list(T) .reverse(): list(T)",
    taking([isList], (list) => new Items(itemsOf(list).toReversed())),
  ],
  ["list_distinct", "list(T) .distinct(): list(T)", taking([isList], distinct)],
  ["list_sets_contains_list", "sets.contains(list(T), list(T)): bool", taking([isList, isList], setContains)],
  [
    "list_sets_equivalent_list",
    "sets.equivalent(list(T), list(T)): bool",
    taking([isList, isList], equivalent),
  ],
  [
    "list_sets_intersects_list",
    "sets.intersects(list(T), list(T)): bool",
    taking([isList, isList], intersects),
  ],
];

function isSorted(list: ListValue): Value {
  let previous: Value | undefined;
  for (const item of itemsOf(list)) {
    if (!isComparable(item)) return errorOr(item);
    if (previous !== undefined && compare(previous, item) === 1) return false;
    previous = item;
  }
  return true;
}

function sum(list: ListValue, zero: Value, work: Work): Value {
  let total = zero;
  for (const item of itemsOf(list)) {
    if (item instanceof CelError) return item;
    total = add(total, item, work);
    if (total instanceof CelError) return total;
  }
  return total;
}

function extreme(list: ListValue, which: "min" | "max"): Value {
  let best: Value | undefined;
  for (const item of itemsOf(list)) {
    if (!isComparable(item)) return errorOr(item);
    if (best === undefined || compare(best, item) === (which === "min" ? 1 : -1)) best = item;
  }
  return best ?? new CelError(`${which} called on empty list`);
}

function indexOf(list: ListValue, item: Value, step: 1 | -1, work: Work): Value {
  const { size } = list;
  for (let at = step === 1 ? 0 : size - 1; at >= 0 && at < size; at += step) {
    if (equals(list.get(at), item, work) === true) return BigInt(at);
  }
  return -1n;
}

function slice(list: ListValue, from: bigint, to: bigint): Value {
  const items = itemsOf(list);
  const fault = (why: string) => new CelError(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) return fault("negative indexes not supported");
  if (from > to) return fault("start index must be less than or equal to end index");
  if (to > items.length) return fault(`list is length ${items.length}`);
  return new Items(items.slice(Number(from), Number(to)));
}

function flattened(list: ListValue, depth: bigint): Value {
  if (depth < 0n) return new CelError("level must be non-negative");
  return new Items(flatten(list, depth));
}

function flatten(list: ListValue, depth: bigint): readonly Value[] {
  return itemsOf(list).flatMap((item) => (isList(item) && depth > 0n ? flatten(item, depth - 1n) : [item]));
}

function sort(list: ListValue, keys: ListValue): Value {
  const [items, by] = [itemsOf(list), itemsOf(keys)];
  if (items.length === 0) return list;
  const first = by[0] ?? null;
  if (!isComparable(first)) return new CelError("list elements must be comparable");
  if (by.some((key) => typeName(key) !== typeName(first)) && by.length > 1) {
    return new CelError("list elements must have the same type");
  }
  const order = by.map((_, index) => index);
  order.sort((a, b) => Number(compare(by[a] ?? null, by[b] ?? null)) || 0);
  return new Items(order.map((index) => items[index] ?? null));
}

// A rule that asks for more exceeds its budget anyway: each number costs a unit.
const longestRange = 1_100_000n;

// cel-go ext/lists.go, defaultMaxRangeSize.
const mostInRange = 1_000_000n;

function range(count: bigint, { kubernetes }: Work): Value {
  if (isSince(kubernetes, "1.37")) {
    if (count < 0n) return new CelError(`lists.range: size must be non-negative, got ${count}`);
    if (count > mostInRange)
      return new CelError(`lists.range: size ${count} exceeds maximum allowed (${mostInRange})`);
  }
  const length = count < longestRange ? count : longestRange;
  return new Items(Array.from({ length: Math.max(0, Number(length)) }, (_, index) => BigInt(index)));
}

function distinct(list: ListValue, work: Work): Value {
  const unique: Value[] = [];
  for (const item of itemsOf(list)) {
    work.spend(unique.length * comparing);
    if (!unique.some((known) => equals(item, known, work) === true)) unique.push(item);
  }
  return new Items(unique);
}

function setContains(list: ListValue, part: ListValue, work: Work): Value {
  for (const item of itemsOf(part)) {
    const found = list.contains(item, work);
    if (found !== true) return found;
  }
  return true;
}

function equivalent(a: ListValue, b: ListValue, work: Work): Value {
  const contained = setContains(a, b, work);
  return contained === true ? setContains(b, a, work) : contained;
}

function intersects(a: ListValue, b: ListValue, work: Work): Value {
  return itemsOf(a).some((item) => b.contains(item, work) === true);
}
