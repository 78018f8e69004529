import { equal } from "../json/equal.ts";
import type { JsonArray } from "../json/json.ts";

/**
 * For each item of the later list, the index of the earlier item that it replaces, or undefined if it is inserted. The
 * indexes rise, so that all other earlier items can be removed and the new ones inserted between.
 */
export interface Alignment {
  readonly indexes: readonly (number | undefined)[];
  /** The indexes of earlier items that are known to be the same item in the later list. */
  readonly same: ReadonlySet<number>;
  /** Whether the items are identified and none of them moved, so that a change of one says nothing about the others. */
  readonly orderly: boolean;
}

/** Aligns two keyed lists: as many items as possible stay in place, others replace items that are gone. */
export function alignByKey(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Alignment {
  const origins = [...after.keys()].map((key) => before.get(key));
  const known = origins.filter((origin) => origin !== undefined);
  const same = longestRise(known);
  let free = 0;
  const indexes = origins.map((origin) => {
    if (origin !== undefined && same.has(origin)) {
      free = origin + 1;
      return origin;
    }
    return free < before.size && !same.has(free) ? free++ : undefined;
  });
  return { indexes, same, orderly: same.size === known.length };
}

/**
 * Aligns a keyed list with one that has all its items, as the same JavaScript values in their order, and new ones between:
 * most webhooks change a list so. Undefined for other lists, which have to be aligned by key.
 */
export function alignByIdentity(before: JsonArray, after: JsonArray): Alignment | undefined {
  let next = 0;
  const indexes = after.map((item) => (next < before.length && item === before[next] ? next++ : undefined));
  return next === before.length ? { indexes, same: noIndexes, orderly: true } : undefined;
}

const noIndexes: ReadonlySet<number> = new Set();

/**
 * Aligns two lists without keys by index; if one is longer, their common end stays at the end. The item of the longer list
 * in front of that end is itself added or removed, so that it is not compared a second time: the whole comparison stays
 * linear, however lists are nested.
 */
export function alignByPosition(before: JsonArray, after: JsonArray): Alignment {
  const longer = after.length - before.length;
  const shared = Math.min(before.length, after.length);
  const end = longer === 0 ? 0 : commonEnd(before, after);
  const indexes = Array.from(after, (_item, index) => {
    if (index < shared - end) return index;
    return index >= after.length - end ? index - longer : undefined;
  });
  return { indexes, same: new Set(), orderly: false };
}

/** How many items two lists share at their ends. */
function commonEnd(before: JsonArray, after: JsonArray): number {
  const shared = Math.min(before.length, after.length);
  let end = 0;
  while (end < shared && equal(before.at(-1 - end), after.at(-1 - end))) end += 1;
  return end;
}

/** The longest rising subsequence of distinct numbers, in n log n: `ends[k]` is the least end of a rise of k + 1. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const number of numbers) {
    const length = countBelow(ends, number);
    previous.set(number, ends[length - 1]);
    ends[length] = number;
  }
  const rise = new Set<number>();
  for (let number = ends.at(-1); number !== undefined; number = previous.get(number)) rise.add(number);
  return rise;
}

/** How many of the rising numbers are below a limit. */
function countBelow(rising: readonly number[], limit: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
