import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { fieldAt, isArray, isObject, type Json, own } from "../json/json.ts";
import { printOf } from "./item-print.ts";
import { isScalar } from "./leaf.ts";

// Which items of a list without keys came back from the other version, and which it hides.

/** Fields that identify the items of a list where the schema names none, most telling first. */
export const obviousKeys: readonly string[] = ["name", "id", "key", "type"];

/** How the items of a list were shown: for each its index in the other list, or a negative number for a hidden one. */
export type Origins = readonly number[];

/** Stands for an item that was not shown. One that has the same key as a shown item has `twin` of that item's index instead. */
export const hidden = -1;

/** The number for the twin of an item, and the item for the number of a twin. */
export function twin(index: number): number {
  return -2 - index;
}

/**
 * Which item of the list that came back stands for which of our items: first each equal one, in its place or in order; then, of those that
 * are left, each for the one in its place if they are as many, else for the next one that says all that it says, or is like it.
 * Where some of ours are hidden and it is not certain which, `lone` is asked first: it says what comes back of each of ours alone.
 * Undefined where that does not account for all that came back.
 */
export function originsOf(
  source: readonly Json[],
  returned: readonly Json[],
  lone: () => readonly (readonly Json[])[] | undefined,
): Origins | undefined {
  if (source.length < returned.length) return undefined;
  // Most lenses take fields out of items, and leave the items in their places.
  if (source.length === returned.length && returned.every((item, index) => isPartOf(item, source[index]))) {
    return source.map((_, index) => index);
  }
  const origins = source.map(() => hidden);
  const prints = source.map(printOf);
  const returnedPrints = returned.map(printOf);
  const areSomeHidden = source.length > returned.length;
  if (areSomeHidden && !areCertain(prints, returnedPrints)) {
    const known = originsAlone(lone(), returnedPrints);
    if (known !== undefined) return withTwins(known, source);
  }
  // An item that came back in its place must not be taken for an equal one elsewhere, of which the other version shows less.
  const isInPlace = (at: number) => !areSomeHidden && prints[at] === returnedPrints[at];
  const equals = Map.groupBy(
    [...source.keys()].filter((at) => !isInPlace(at)),
    (at) => prints[at],
  );
  const left: number[] = [];
  for (const [index, print] of returnedPrints.entries()) {
    const at = isInPlace(index) ? index : equals.get(print)?.shift();
    if (at === undefined) left.push(index);
    else origins[at] = index;
  }
  const open = [...source.keys()].filter((at) => origins[at] === hidden);
  if (open.length === left.length) {
    for (const [turn, at] of open.entries()) origins[at] = left[turn] as number;
    return origins;
  }
  const pairs =
    pairsOf(source, returned, open, left, "whole first") ?? pairsOf(source, returned, open, left, "in order");
  if (pairs === undefined) return undefined;
  for (const [at, index] of pairs) origins[at] = index;
  return withTwins(origins, source);
}

/** Whether all that came back are items of ours as they are, and as many of each sort as we have. */
function areCertain(prints: readonly string[], returned: readonly string[]): boolean {
  const [ours, theirs] = [prints, returned].map((sides) => Map.groupBy(sides, (print) => print));
  return [...(theirs ?? [])].every(([print, items]) => ours?.get(print)?.length === items.length);
}

/** The same by what comes back of each item alone, if that is what came back of all: each stands for the next one like it. */
function originsAlone(
  lone: readonly (readonly Json[])[] | undefined,
  returned: readonly string[],
): Origins | undefined {
  if (lone === undefined || lone.some((items) => items.length > 1)) return undefined;
  const places = Map.groupBy([...returned.keys()], (index) => returned[index]);
  const origins = lone.map(([item]) => (item === undefined ? hidden : places.get(printOf(item))?.shift()));
  const isWhole = [...places.values()].every((left) => left.length === 0);
  return isWhole && origins.every((origin) => origin !== undefined) ? origins : undefined;
}

/**
 * Pairs in order: our items that are open with those that came back and are left. Of our items the next one that says all that an
 * item says is taken, or one that is like it; `in order` the next one of either sort, in case the others do not suffice then.
 */
function pairsOf(
  source: readonly Json[],
  returned: readonly Json[],
  open: readonly number[],
  left: readonly number[],
  way: "whole first" | "in order",
): readonly (readonly [at: number, index: number])[] | undefined {
  // To compare all of every item with all of every other must stay cheap.
  const isShort = open.length * left.length <= mostComparisons;
  const pairs: (readonly [number, number])[] = [];
  let next = 0;
  for (const [turn, index] of left.entries()) {
    const item = returned[index] as Json;
    // As many must remain as come after this one.
    const ahead = open.slice(next, open.length - (left.length - turn - 1));
    const isWhole = (at: number) => isShort && isWithin(item, source[at], 0);
    const isLike = (at: number) => resembles(source[at] as Json, item);
    const whole = way === "whole first" ? ahead.findIndex(isWhole) : -1;
    const found =
      whole >= 0 ? whole : ahead.findIndex((at) => isLike(at) || (way === "in order" && isWhole(at)));
    if (found < 0) return undefined;
    pairs.push([ahead[found] as number, index]);
    next += found + 1;
  }
  return pairs;
}

/**
 * Whether an item says nothing that another one does not say too, at any depth: a lens that takes out fields, and items, made
 * it of that one.
 */
function isWithin(item: Json, other: Json | undefined, depth: number): boolean {
  if (depth > deepestCompared) return equal(item, other);
  if (isObject(item)) {
    if (!isObject(other)) return false;
    for (const name in item) if (!isWithin(fieldAt(item, name), own(other, name), depth + 1)) return false;
    return true;
  }
  if (!isArray(item) || !isArray(other)) return equal(item, other);
  let next = 0;
  return item.every((each) => {
    while (next < other.length && !isWithin(each, other[next], depth + 1)) next++;
    return next++ < other.length;
  });
}

const deepestCompared = 20;
const mostComparisons = 10_000;

/** Whether an item has no field that another one has not, with the same value. */
function isPartOf(item: Json, other: Json | undefined): boolean {
  if (!isObject(item) || !isObject(other)) return false;
  for (const name in item) if (!equal(fieldAt(item, name), own(other, name))) return false;
  return true;
}

/** Whether at least half of the fields of what came back are the same in an item of ours, or lists or objects in both. */
function resembles(source: Json, returned: Json): boolean {
  if (!isObject(source) || !isObject(returned)) return false;
  const fields = Object.keys(returned);
  const same = fields.filter((field) => {
    const [ours, theirs] = [own(source, field), own(returned, field)];
    const areContainers = (isObject(ours) && isObject(theirs)) || (isArray(ours) && isArray(theirs));
    return ours !== undefined && (areContainers || equal(ours, theirs));
  });
  return 2 * same.length >= fields.length;
}

function withTwins(origins: Origins, source: readonly Json[]): Origins {
  const shown = new Map<string, number>();
  for (const [index, origin] of origins.entries()) {
    const name = nameOf(source[index] as Json);
    if (origin >= 0 && name !== undefined) shown.set(name, origin);
  }
  return origins.map((origin, index) => {
    const of = origin >= 0 ? undefined : shown.get(nameOf(source[index] as Json) ?? "");
    return of === undefined ? origin : twin(of);
  });
}

/** What most likely identifies an item: its first obvious key, with the key's name. */
export function nameOf(item: Json): string | undefined {
  for (const key of obviousKeys) {
    const value = own(item, key);
    if (value !== undefined && value !== null && isScalar(value)) return `${key}:${writeJson(value)}`;
  }
  return undefined;
}
