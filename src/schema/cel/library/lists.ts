import { Items, itemsOf } from "../language/collections.ts";
import { compare, equals, isComparable } from "../language/compare.ts";
import { type Row, working } from "../language/function.ts";
import { add } from "../language/operators.ts";
import {
  CelError,
  Duration,
  errorOr,
  isList,
  type ListValue,
  typeName,
  Uint,
  type Value,
} from "../language/values.ts";
import type { Work } from "../language/work.ts";

/** How much work it is to compare an item with all those before it, for each of them. */
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
    (type): Row => [`list_${type}_is_sorted_bool`, `list(${type}) .isSorted(): bool`, isSorted],
  ),
  ...sumZeros.map(
    ([type, zero]): Row => [
      `list_${type}_sum_${type}`,
      `list(${type}) .sum(): ${type}`,
      working((work, list) => sum(work, list, zero)),
    ],
  ),
  ...comparable.map(
    (type): Row => [
      `list_${type}_max_${type}`,
      `list(${type}) .max(): ${type}`,
      (list) => extreme(list, "max"),
    ],
  ),
  ...comparable.map(
    (type): Row => [
      `list_${type}_min_${type}`,
      `list(${type}) .min(): ${type}`,
      (list) => extreme(list, "min"),
    ],
  ),
  [
    "list_a_index_of_int",
    "list(A) .indexOf(A): int",
    working((work, list, item) => indexOf(work, list, item, 1)),
  ],
  [
    "list_a_last_index_of_int",
    "list(A) .lastIndexOf(A): int",
    working((work, list, item) => indexOf(work, list, item, -1)),
  ],
  ["list_slice", "list(T) .slice(int, int): list(T)", slice],
  ["list_flatten", "list(list(T)) .flatten(): list(T)", (list) => flattened(list, 1n)],
  ["list_flatten_int", "list(dyn) .flatten(int): list(dyn)", flattened],
  ...comparable.map(
    (type): Row => [`list_${type}_sort`, `list(${type}) .sort(): list(${type})`, (list) => sort(list, list)],
  ),
  ...comparable.map(
    (type): Row => [
      `list_${type}_sortByAssociatedKeys`,
      `list(T) .@sortByAssociatedKeys(list(${type})): list(T)`,
      sort,
    ],
  ),
  ["lists_range", "lists.range(int): list(int)", range],
  [
    "list_reverse",
    "list(T) .reverse(): list(T)",
    (list) => new Items(itemsOf(list as ListValue).toReversed()),
  ],
  ["list_distinct", "list(T) .distinct(): list(T)", working(distinct)],
  ["list_sets_contains_list", "sets.contains(list(T), list(T)): bool", working(setContains)],
  ["list_sets_equivalent_list", "sets.equivalent(list(T), list(T)): bool", working(equivalent)],
  ["list_sets_intersects_list", "sets.intersects(list(T), list(T)): bool", working(intersects)],
];

function isSorted(list: Value): Value {
  let previous: Value | undefined;
  for (const item of itemsOf(list as ListValue)) {
    if (!isComparable(item)) return errorOr(item);
    if (previous !== undefined && compare(previous, item) === 1) return false;
    previous = item;
  }
  return true;
}

function sum(work: Work, list: Value, zero: Value): Value {
  let total = zero;
  for (const item of itemsOf(list as ListValue)) {
    if (item instanceof CelError) return item;
    total = add(total, item, work);
    if (total instanceof CelError) return total;
  }
  return total;
}

function extreme(list: Value, which: "min" | "max"): Value {
  let best: Value | undefined;
  for (const item of itemsOf(list as ListValue)) {
    if (!isComparable(item)) return errorOr(item);
    if (best === undefined || compare(best, item) === (which === "min" ? 1 : -1)) best = item;
  }
  return best ?? new CelError(`${which} called on empty list`);
}

function indexOf(work: Work, list: Value, item: Value, step: 1 | -1): Value {
  const { size } = list as ListValue;
  for (let at = step === 1 ? 0 : size - 1; at >= 0 && at < size; at += step) {
    if (equals((list as ListValue).get(at), item, work) === true) return BigInt(at);
  }
  return -1n;
}

function slice(list: Value, start: Value, end: Value): Value {
  const items = itemsOf(list as ListValue);
  const [from, to] = [start as bigint, end as bigint];
  const fault = (why: string) => new CelError(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) return fault("negative indexes not supported");
  if (from > to) return fault("start index must be less than or equal to end index");
  if (to > items.length) return fault(`list is length ${items.length}`);
  return new Items(items.slice(Number(from), Number(to)));
}

function flattened(list: Value, depth: Value): Value {
  if ((depth as bigint) < 0n) return new CelError("level must be non-negative");
  return new Items(flatten(list as ListValue, depth as bigint));
}

function flatten(list: ListValue, depth: bigint): readonly Value[] {
  return itemsOf(list).flatMap((item) => (isList(item) && depth > 0n ? flatten(item, depth - 1n) : [item]));
}

function sort(list: Value, keys: Value): Value {
  const [items, by] = [itemsOf(list as ListValue), itemsOf(keys as ListValue)];
  if (items.length === 0) return list;
  const first = by[0] as Value;
  if (!isComparable(first)) return new CelError("list elements must be comparable");
  if (by.some((key) => typeName(key) !== typeName(first)) && by.length > 1) {
    return new CelError("list elements must have the same type");
  }
  const order = by.map((_, index) => index);
  order.sort((a, b) => Number(compare(by[a] as Value, by[b] as Value)) || 0);
  return new Items(order.map((index) => items[index] as Value));
}

// The rule that asks for more has long run out of its budget: each number costs a unit.
const longestRange = 1_100_000n;

function range(count: Value): Value {
  const length = (count as bigint) < longestRange ? (count as bigint) : longestRange;
  return new Items(Array.from({ length: Math.max(0, Number(length)) }, (_, index) => BigInt(index)));
}

function distinct(work: Work, list: Value): Value {
  const unique: Value[] = [];
  for (const item of itemsOf(list as ListValue)) {
    work.spend(unique.length * comparing);
    if (!unique.some((known) => equals(item, known, work) === true)) unique.push(item);
  }
  return new Items(unique);
}

function setContains(work: Work, list: Value, part: Value): Value {
  for (const item of itemsOf(part as ListValue)) {
    const found = (list as ListValue).contains(item, work);
    if (found !== true) return found;
  }
  return true;
}

function equivalent(work: Work, a: Value, b: Value): Value {
  const contained = setContains(work, a, b);
  return contained === true ? setContains(work, b, a) : contained;
}

function intersects(work: Work, a: Value, b: Value): Value {
  return itemsOf(a as ListValue).some((item) => (b as ListValue).contains(item, work) === true);
}
