import { equal } from "../json/equal.ts";
import type { JsonArray } from "../json/json.ts";

/**
 * For each item of the later list, the place in the earlier list of the item whose place it takes, or undefined
 * where it is new. The places rise, so whatever is not taken can be removed and the new put in between.
 */
export interface Alignment {
  readonly places: readonly (number | undefined)[];
  /** The places in the earlier list whose items are known to be the same ones in the later list. */
  readonly same: ReadonlySet<number>;
  /** Whether the items are known and none of them moved: then a change of one says nothing about the others. */
  readonly orderly: boolean;
}

/** Aligns two keyed lists: as many items as can be keep their place, others take the places that became free. */
export function alignByKey(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Alignment {
  const origins = [...after.keys()].map((key) => before.get(key));
  const known = origins.filter((origin) => origin !== undefined);
  const same = longestRise(known);
  let free = 0;
  const places = origins.map((origin) => {
    if (origin !== undefined && same.has(origin)) {
      free = origin + 1;
      return origin;
    }
    return free < before.size && !same.has(free) ? free++ : undefined;
  });
  return { places, same, orderly: same.size === known.length };
}

/**
 * Aligns a keyed list with one that has all its very items, in their order, and new ones between: what most webhooks make
 * of one. Undefined where it is not so, and keys have to be looked at.
 */
export function alignByIdentity(before: JsonArray, after: JsonArray): Alignment | undefined {
  let next = 0;
  const places = after.map((item) => (next < before.length && item === before[next] ? next++ : undefined));
  return next === before.length ? { places, same: nobody, orderly: true } : undefined;
}

const nobody: ReadonlySet<number> = new Set();

/**
 * Aligns two lists without keys: from the front place by place; where one is longer, their common end stays the
 * end. Whichever item of the longer list breaks that end is itself added or removed, so it is compared once in vain
 * and never again: the whole comparison stays linear, however lists are nested.
 */
export function alignByPlace(before: JsonArray, after: JsonArray): Alignment {
  const longer = after.length - before.length;
  const shared = Math.min(before.length, after.length);
  const end = longer === 0 ? 0 : commonEnd(before, after);
  const places = Array.from(after, (_item, index) => {
    if (index < shared - end) return index;
    return index >= after.length - end ? index - longer : undefined;
  });
  return { places, same: new Set(), orderly: false };
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
