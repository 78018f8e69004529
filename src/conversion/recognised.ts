import type { Json } from "../json/json.ts";
import { areAlike, hashesIn, keyPrintsOf, printOf } from "./item-print.ts";

/** By what changed items are recognised: fields that identify them, or the unchanged items that they stand between. */
type ChangedBy = readonly string[] | "neighbours" | "nothing";

/**
 * For each item that was shown, the index of the same item now; undefined for one that is gone. Unchanged items are found
 * wherever they stand, if there are as many equal ones as before. Of the others, those between the same neighbours are paired
 * where they are alike: all in order, if they are as many as before, else those that are like only one another. Where fields
 * identify the items that were shown, those that are unchanged in these are paired, wherever they stand, and no others.
 */
export function recognised(
  list: readonly Json[],
  shown: readonly string[],
  defaulted: readonly string[],
  by: ChangedBy,
): readonly (number | undefined)[] {
  const prints = list.map(printOf);
  if (
    prints.length === shown.length &&
    prints.every((print, at) => print === shown[at] || print === defaulted[at])
  ) {
    return [...shown.keys()];
  }
  const found: (number | undefined)[] = shown.map(() => undefined);
  const taken = new Set<number>();
  for (const known of [shown, defaulted]) pairUnchanged(known, prints, found, taken);
  if (by === "neighbours") pairBetween([shown, defaulted], prints, found, taken);
  else if (by !== "nothing") pairByKeys(list, shown, by, found, taken);
  return found;
}

/** Pairs changed items by the fields that identify them, where only one item has what these were. */
function pairByKeys(
  list: readonly Json[],
  shown: readonly string[],
  keys: readonly string[],
  found: (number | undefined)[],
  taken: ReadonlySet<number>,
): void {
  const open = [...list.keys()].filter((at) => !taken.has(at));
  const prints = new Map(open.map((at) => [at, keyPrintsOf(list[at] as Json, keys)]));
  const byFirst = Map.groupBy(open, (at) => prints.get(at)?.[0]);
  for (const [at, print] of shown.entries()) {
    if (found[at] !== undefined) continue;
    const hashes = hashesIn(print);
    const alike = hashes
      .flatMap((hash) => byFirst.get(hash) ?? [])
      .filter((each) => prints.get(each)?.every((hash) => hashes.includes(hash)));
    if (alike.length === 1) found[at] = alike[0];
  }
}

function pairUnchanged(
  known: readonly string[],
  prints: readonly string[],
  found: (number | undefined)[],
  taken: Set<number>,
): void {
  const before = Map.groupBy(
    [...known.keys()].filter((at) => found[at] === undefined),
    (at) => known[at],
  );
  const now = Map.groupBy(
    [...prints.keys()].filter((at) => !taken.has(at)),
    (at) => prints[at],
  );
  for (const [print, places] of before) {
    const here = now.get(print) ?? [];
    if (here.length !== places.length) continue;
    for (const [turn, at] of places.entries()) {
      found[at] = here[turn];
      taken.add(here[turn] as number);
    }
  }
}

/** Pairs changed items, within each run of items between the same unchanged neighbours. */
function pairBetween(
  known: readonly (readonly string[])[],
  prints: readonly string[],
  found: (number | undefined)[],
  taken: ReadonlySet<number>,
): void {
  for (const { before, now } of runsBetween(found, prints.length))
    if (now.every((each) => !taken.has(each))) pairRun(before, now, known, prints, found);
}

/** For items that are gone, by their index: the index of the only new one between the same neighbours, if each is alone there. */
export function replacedIn(
  found: readonly (number | undefined)[],
  length: number,
): ReadonlyMap<number, number> {
  // Most often all are found.
  if (!found.includes(undefined)) return new Map();
  const known = new Set(found);
  const pairs = runsBetween(found, length).flatMap(({ before, now }) => {
    const [[gone, ...others], [place, ...more]] = [before, now];
    const isAlone = others.length === 0 && more.length === 0;
    return gone !== undefined && place !== undefined && isAlone && !known.has(place)
      ? [[gone, place] as const]
      : [];
  });
  return new Map(pairs);
}

interface RunBetween {
  readonly before: readonly number[];
  readonly now: readonly number[];
}

/** The items between each two that were found, before and now. */
function runsBetween(found: readonly (number | undefined)[], length: number): readonly RunBetween[] {
  const runs: RunBetween[] = [];
  let from = 0;
  let last = -1;
  for (let at = 0; at <= found.length; at++) {
    const place = at === found.length ? length : found[at];
    if (place === undefined) continue;
    // Items that changed their order have no neighbours to stand between.
    runs.push({ before: range(from, at), now: place > last ? range(last + 1, place) : [] });
    from = at + 1;
    last = place;
  }
  return runs;
}

function pairRun(
  before: readonly number[],
  now: readonly number[],
  known: readonly (readonly string[])[],
  prints: readonly string[],
  found: (number | undefined)[],
): void {
  // A client changed the item as it was shown to it, with or without the hub's defaults.
  const alike = (a: number, b: number) =>
    known.some((sides) => areAlike(sides[a] as string, prints[b] as string));
  if (before.length === now.length) {
    for (const [turn, at] of before.entries()) {
      const place = now[turn] as number;
      if (alike(at, place)) found[at] = place;
    }
    return;
  }
  // Every pair of the two is compared, which must stay cheap for a list that a client replaced as a whole.
  if (before.length * now.length > mostComparisons) return;
  for (const at of before) {
    const [place, ...others] = now.filter((each) => alike(at, each));
    if (place === undefined || others.length > 0) continue;
    if (before.every((other) => other === at || !alike(other, place))) found[at] = place;
  }
}

const mostComparisons = 10_000;

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
