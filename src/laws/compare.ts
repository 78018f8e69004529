import { keyedItems } from "../conversion/keyed-list.ts";
import { below, type Shape } from "../conversion/shape.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, set } from "../json/json.ts";
import { fieldOf, type Path } from "../json/path.ts";

/** The first difference between two values: its field, and what each value has there. */
export interface Difference {
  readonly field: string;
  /** The same as steps; items of keyed lists by the names of their keys. */
  readonly path?: Path;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** The first difference between two values; undefined if they are the same JSON. */
export function differenceOf(
  expected: Json | undefined,
  actual: Json | undefined,
  path: Path = [],
): Difference | undefined {
  if (equal(expected, actual)) return undefined;
  if (isObject(expected) && isObject(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = differenceOf(get(expected, name), get(actual, name), [...path, name]);
      if (found !== undefined) return found;
    }
  }
  if (isArray(expected) && isArray(actual) && expected.length === actual.length) {
    for (const [index, item] of expected.entries()) {
      const found = differenceOf(item, actual[index], [...path, index]);
      if (found !== undefined) return found;
    }
  }
  return { field: fieldOf(path), path, expected, actual };
}

/**
 * A field before and after a write: what it held, what the other side showed before and after, and what it holds now.
 */
export interface Passage {
  readonly held: Json | undefined;
  readonly showed: Json | undefined;
  readonly shows: Json | undefined;
  readonly holds: Json | undefined;
  /** Whether new items may hold more than was written: what they held when they existed before. */
  readonly mayReturn?: boolean;
  /** Whether an object may go as a whole with a field that it requires, as where admission sees that its client removed it. */
  readonly mayGo?: boolean;
}

/**
 * The first field that changed although a write did not touch it. If the other side shows the same before and after, the
 * held value must be unchanged; an item that was removed from a keyed list must be gone, and a new one must be what its
 * writer wrote. As fine as server-side apply: a granular map by field, a keyed list by key; an atomic map, a set or an atomic
 * list as a whole.
 */
function breachOf(passage: Passage, shape: Shape | undefined, path: Path = []): Difference | undefined {
  const { held, showed, shows, holds } = passage;
  if (equal(showed, shows)) return differenceOf(held, holds, path);
  const sides = [held, showed, shows, holds];
  if (shape?.keys !== undefined) return breachOfItems(passage, shape, shape.keys, path);
  if (passage.mayGo && shows === undefined && holds === undefined)
    if (shape?.required.some((name) => get(showed, name) !== undefined)) return undefined;
  const granular = sides.every((each) => each === undefined || each === null || isObject(each));
  if (shape?.atomic || !granular) return undefined;
  // A container that is empty or null on either side is compared as a whole, not by field.
  if (sides.some((each) => isObject(each) && Object.keys(each).length === 0)) return undefined;
  for (const name of new Set(sides.flatMap((each) => (isObject(each) ? Object.keys(each) : [])))) {
    const found = breachOf(
      at(passage, (side) => get(side, name)),
      below(shape, name),
      [...path, name],
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All such fields. */
export function breachesOf(passage: Passage, shape: Shape | undefined): readonly Difference[] {
  const found: Difference[] = [];
  let holds = passage.holds;
  for (;;) {
    const next = breachOf({ ...passage, holds }, shape);
    // A value that cannot stand at its path, such as that of an item without a key, is found again.
    if (next === undefined || found.some(({ field }) => field === next.field)) return found;
    found.push(next);
    holds = withValueAt(holds, next.path ?? [], next.expected, shape);
  }
}

/**
 * Whether the image of a view has fewer items in its lists. Of two words that the lens reads as one item, such as `a:b` and `a` of
 * one id, none says which item was written.
 */
export function losesItems(view: Json | undefined, image: Json | undefined): boolean {
  return itemsIn(image) < itemsIn(view);
}

/** The number of items in all lists of a value. */
function itemsIn(value: Json | undefined): number {
  const below = isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return below.reduce<number>((sum, each) => sum + itemsIn(each), isArray(value) ? value.length : 0);
}

function breachOfItems(
  passage: Passage,
  shape: Shape,
  keys: readonly string[],
  path: Path,
): Difference | undefined {
  const [held, showed, shows, holds] = [passage.held, passage.showed, passage.shows, passage.holds].map(
    (side) => (side === undefined || side === null ? new Map<string, Json>() : keyedItems(side, keys)),
  );
  if (!held || !showed || !shows || !holds) return undefined;
  for (const name of new Set([...held.keys(), ...showed.keys(), ...shows.keys(), ...holds.keys()])) {
    const here = [...path, name];
    const [now, then] = [holds.get(name), held.get(name)];
    const isGone = showed.has(name) && !shows.has(name);
    const isNew = then === undefined && !showed.has(name) && shows.has(name);
    if (isNew && passage.mayReturn) continue;
    const expected = isGone ? undefined : shows.get(name);
    const found =
      isGone || isNew
        ? differenceOf(expected, now, here)
        : breachOf(
            { ...passage, held: then, showed: showed.get(name), shows: shows.get(name), holds: now },
            shape.items,
            here,
          );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A value with another one at a path, as `Difference` has it; parents that are missing are made. */
export function withValueAt(
  here: Json | undefined,
  [step, ...rest]: Path,
  value: Json | undefined,
  shape: Shape | undefined,
): Json | undefined {
  if (step === undefined) return value;
  if (isArray(here) && typeof step === "number")
    return here.with(step, withValueAt(here[step], rest, value, shape?.items) ?? null);
  if (shape?.keys !== undefined) {
    const items: Map<string, Json> = new Map(keyedItems(here ?? [], shape.keys));
    const item = withValueAt(items.get(String(step)), rest, value, shape.items);
    if (item === undefined) items.delete(String(step));
    else items.set(String(step), item);
    return [...items.values()];
  }
  const inner = withValueAt(get(here, String(step)), rest, value, below(shape, String(step)));
  return set(isObject(here) ? here : {}, String(step), inner);
}

function at(passage: Passage, pick: (side: Json | undefined) => Json | undefined): Passage {
  return {
    held: pick(passage.held),
    showed: pick(passage.showed),
    shows: pick(passage.shows),
    holds: pick(passage.holds),
    mayReturn: passage.mayReturn ?? false,
    mayGo: passage.mayGo ?? false,
  };
}
