import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { define, fieldAt, isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import { inPlace, type Run } from "./item-order.ts";
import { hasKeyPrints, printOf } from "./item-print.ts";
import { type KeyedItems, keyedItems } from "./keyed-list.ts";
import { isScalar, readLeaf } from "./leaf.ts";
import { recognised, replacedIn } from "./recognised.ts";
import type { Tree } from "./tree.ts";

// Lists of objects whose schema names no keys: most published CRDs have no others. Each item keeps its own leaves, in a node
// of the tree that has one of two forms:
//
// - With an obvious key, `{"#by":"name","lamp":{"#is":"…",…}}`: the items have distinct names, and are identified by them.
//   Each has a print of the item that was shown, in case a client adds another one of the same name.
// - Without, `{"#shown":["…","…"],"#from":[0,-1,1],"#0":{…},"#1":{"=":[{…}]}}`: prints of the items that the other version
//   showed, and for each of our items the index of the one that showed it. The leaves of item 1 stand below `#1`. `#from` is
//   left out where each item was shown in its own place; `#defaulted` has the prints after the hub's defaults, where they are
//   others. If not all of our items have the key that the shown ones have, `#by` stands here too, and changed items are
//   recognised by that key.

/** The child that names the fields by which the items of a list are identified. */
export const byMark = "#by";
/** The child with the print of the item that was shown. */
export const printMark = "#is";
const shownMark = "#shown";
const defaultedMark = "#defaulted";
const fromMark = "#from";

/** Fields that identify the items of a list where the schema names none, most telling first. */
export const obviousKeys: readonly string[] = ["name", "id", "key", "type"];

/** The items of each of some lists by their keys, and the fields that are the keys. */
export interface KeyedLists {
  readonly keys: readonly string[];
  readonly lists: readonly KeyedItems[];
}

/**
 * Some lists by fields that are distinct scalars in the items of each: those that the author of the kind named, else an
 * obvious one. Undefined if there are none.
 */
export function keyedBy(
  lists: readonly (readonly Json[])[],
  namedBy: readonly string[] | undefined,
): KeyedLists | undefined {
  const candidates = obviousKeys.map((key) => [key]);
  for (const keys of namedBy === undefined ? candidates : [namedBy, ...candidates]) {
    const keyed = allKeyed(lists, keys);
    if (keyed !== undefined) return { keys, lists: keyed };
  }
  return undefined;
}

/** All lists by the same keys; a list that stands there twice is read once. */
function allKeyed(lists: readonly (readonly Json[])[], keys: readonly string[]): KeyedItems[] | undefined {
  const keyed: KeyedItems[] = [];
  for (const [at, list] of lists.entries()) {
    const items = at > 0 && list === lists[at - 1] ? keyed[at - 1] : keyedItems(list, keys);
    if (items === undefined) return undefined;
    keyed.push(items);
  }
  return keyed;
}

/** The fields that identify the items of a node's list: in the first form all of ours, in the second one those that were shown. */
export function keysOfNode(node: Tree): readonly string[] | undefined {
  const by = node[byMark];
  return typeof by === "string" ? [by] : textsOf(by);
}

/** Whether a node has the second form. */
export function isAligned(node: Tree): boolean {
  return isArray(node[shownMark]);
}

/** Whether the child of a node describes its list as a whole, and is not one of its leaves. */
export function isMark(name: string): boolean {
  return marks.has(name);
}

const marks = new Set([byMark, printMark, shownMark, defaultedMark, fromMark]);

/** The child for an item of a node of the first form, with the print of the item that was shown; a leaf has none. */
export function withPrint(child: Tree, shown: Json): Tree {
  if (readLeaf(child) !== "node") return child;
  const marked: Record<string, Json> = {};
  define(marked, printMark, printOf(shown));
  for (const name in child) define(marked, name, fieldAt(child, name));
  return marked;
}

/** The value of `#by`: one key, or several. */
export function keysMark(keys: readonly string[]): Json {
  const [key, ...more] = keys;
  return key !== undefined && more.length === 0 ? key : keys;
}

/** Which of several items of the same key is the one that was shown: the only one with the print of its node. */
export function shownAmong(items: readonly Json[], node: Json): Json | undefined {
  const print = own(node, printMark);
  const [item, ...others] = items.filter((each) => printOf(each) === print);
  return others.length === 0 ? item : undefined;
}

/** The name of the child for an item. */
export function childOfItem(index: number): string {
  return `#${index}`;
}

/** How the items of a list were shown: for each its index in the other list, or a negative number for a hidden one. */
export type Origins = readonly number[];

/** An item that was not shown. One that has the same key as a shown item has `twin` of that item's index instead. */
const hidden = -1;

/** The number for the twin of an item, and the item for the number of a twin. */
function twin(index: number): number {
  return -2 - index;
}

/**
 * Which item of the list that came back stands for which of our items: first each equal one, in its place or in order; then, of those that
 * are left, each for the one in its place if they are as many, else for the next one that says all that it says, or is like it.
 * Undefined where that does not account for all that came back.
 */
export function originsOf(source: readonly Json[], returned: readonly Json[]): Origins | undefined {
  if (source.length < returned.length) return undefined;
  // Most lenses take fields out of items, and leave the items in their places.
  if (source.length === returned.length && returned.every((item, index) => isPartOf(item, source[index]))) {
    return source.map((_, index) => index);
  }
  const origins = source.map(() => hidden);
  const prints = source.map(printOf);
  const returnedPrints = returned.map(printOf);
  // An item that came back in its place must not be taken for an equal one elsewhere, of which the other version shows less.
  const isInPlace = (at: number) => source.length === returned.length && prints[at] === returnedPrints[at];
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
export function resembles(source: Json, returned: Json): boolean {
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
function nameOf(item: Json): string | undefined {
  for (const key of obviousKeys) {
    const value = own(item, key);
    if (value !== undefined && value !== null && isScalar(value)) return `${key}:${writeJson(value)}`;
  }
  return undefined;
}

/** The marks of a node of the second form. */
export function marksOf(
  origins: Origins,
  returned: readonly Json[],
  defaulted: readonly Json[],
  namedBy: readonly string[] | undefined,
): Readonly<Record<string, Json>> {
  const marks: Record<string, Json> = {};
  const sides = defaulted === returned ? [returned] : [returned, defaulted];
  const keys = keyedBy(sides, namedBy)?.keys;
  if (keys !== undefined && sides.every((items) => items.every((item) => hasKeyPrints(item, keys))))
    marks[byMark] = keysMark(keys);
  const shown = returned.map(printOf);
  const filledIn = defaulted === returned ? shown : defaulted.map(printOf);
  if (filledIn.some((print, index) => print !== shown[index])) marks[defaultedMark] = filledIn;
  if (origins.some((origin, index) => origin !== index)) marks[fromMark] = origins;
  marks[shownMark] = shown;
  return marks;
}

/** Puts the leaves of one item back: the item as it is now, or undefined for a hidden one, and its node. */
export type PutItemBack = (current: Json | undefined, node: Json) => Json | undefined;

/**
 * Puts the leaves of a node of the second form back into a list, each item's into the item that is recognised as the one
 * that was shown. New items get nothing. Hidden items return behind the items that they followed, unless none is left of
 * those that were shown. Clients can write nodes, so damaged ones are ignored. Where our order parts the neighbours of new
 * items, these stay behind the one before them, but the last `ahead` of them in front of the one after them.
 */
export function putAlignedBack(
  current: Json | undefined,
  node: Tree,
  putItemBack: PutItemBack,
  ahead = 0,
): Json | undefined {
  const list = isArray(current) ? current : current === undefined || current === null ? [] : undefined;
  const marks = readMarks(node);
  if (list === undefined || marks === undefined) return current;
  if (list.length === 0 && marks.shown.length > 0) return current;
  const found = recognised(list, marks.shown, marks.defaulted, keysOfNode(node));
  const known = new Set(found);
  const newNames = new Set(list.filter((_, index) => !known.has(index)).map(nameOf));
  const first: Json[] = [];
  const runs: Run[] = [];
  const order: Run[] = [];
  const replaced = replacedIn(found, list.length);
  for (const [index, origin] of marks.origins.entries()) {
    const child = node[childOfItem(index)];
    const at = found[origin];
    const newAt = replaced.get(origin);
    if (at !== undefined) {
      const item = list[at] as Json;
      const run = { at, items: [child === undefined ? item : (putItemBack(item, child) ?? item)] };
      runs.push(run);
      order.push(run);
    } else if (newAt !== undefined) {
      order.push({ at: newAt, items: [list[newAt] as Json] });
    } else if (origin < 0 && child !== undefined) {
      const item = putItemBack(undefined, child);
      if (isObject(item) && !isReplaced(item, origin, found, newNames))
        (runs.at(-1)?.items ?? first).push(item);
    }
  }
  const result = [...first, ...inPlace(list, runs, order, found, ahead)];
  const isSame = result.length === list.length && result.every((item, index) => item === list[index]);
  return isSame ? current : result;
}

/** Whether a hidden item is gone: with the item of the same name that was shown, or since a client made it anew. */
function isReplaced(
  item: JsonObject,
  origin: number,
  found: readonly (number | undefined)[],
  newNames: ReadonlySet<string | undefined>,
): boolean {
  if (origin !== hidden) return found[twin(origin)] === undefined;
  const name = nameOf(item);
  return name !== undefined && newNames.has(name);
}

interface Marks {
  readonly shown: readonly string[];
  readonly defaulted: readonly string[];
  readonly origins: Origins;
}

/** The marks of a node of the second form; undefined for a damaged one. */
function readMarks(node: Tree): Marks | undefined {
  const shown = textsOf(node[shownMark]);
  const origins = node[fromMark] === undefined ? shown?.map((_, index) => index) : numbersOf(node[fromMark]);
  if (shown === undefined || origins === undefined) return undefined;
  const defaulted = textsOf(node[defaultedMark]);
  const ascending = node[fromMark] === undefined ? origins : withAlikeAscending(origins, shown, node);
  return { shown, defaulted: defaulted?.length === shown.length ? defaulted : shown, origins: ascending };
}

/** Origins in which items that were shown alike, and of which nothing else is known, follow each other as they were shown. */
function withAlikeAscending(origins: Origins, shown: readonly string[], node: Tree): Origins {
  const plain = [...origins.entries()].filter(
    ([index, origin]) => origin >= 0 && node[childOfItem(index)] === undefined,
  );
  const result = [...origins];
  for (const alike of Map.groupBy(plain, ([, origin]) => shown[origin]).values()) {
    const ascending = alike.map(([, origin]) => origin).sort((a, b) => a - b);
    for (const [turn, [index]] of alike.entries()) result[index] = ascending[turn] ?? -1;
  }
  return result;
}

/** A list with items of which none was shown behind those that a client has added since. Other values stay as they are. */
export function withHidden(current: Json | undefined, items: Json | undefined): Json | undefined {
  if (!isListOfObjects(current) || !isListOfObjects(items)) return current;
  const names = new Set(current.map(nameOf));
  const others = items.filter((item) => nameOf(item) === undefined || !names.has(nameOf(item)));
  return others.length === 0 ? current : [...current, ...others];
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  return isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

function numbersOf(value: Json | undefined): readonly number[] | undefined {
  return isArray(value) && value.every((each) => typeof each === "number" && Number.isInteger(each))
    ? (value as readonly number[])
    : undefined;
}

/** Whether a value is a list that is not empty, of objects alone. */
export function isListOfObjects(value: Json | undefined): value is readonly JsonObject[] {
  return isArray(value) && value.length > 0 && value.every((item) => isObject(item));
}
