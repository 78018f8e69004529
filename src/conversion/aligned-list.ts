import { equal } from "../json/equal.ts";
import { define, fieldAt, isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import { inPlace, type Run } from "./item-order.ts";
import { hidden, nameOf, type Origins, obviousKeys, twin } from "./item-origins.ts";
import { hasKeyPrints, printOf } from "./item-print.ts";
import { type KeyedItems, keyedItems } from "./keyed-list.ts";
import { type Leaf, readLeaf } from "./leaf.ts";
import { recognised, replacedIn } from "./recognised.ts";
import { inOrder, type Tree } from "./tree.ts";

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
const printMark = "#is";
const shownMark = "#shown";
const defaultedMark = "#defaulted";
const fromMark = "#from";

/** The items of each of some lists by their keys, and the fields that are the keys. */
interface KeyedLists {
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
  return inOrder(marked);
}

/** The value of `#by`: one key, or several. */
export function keysMark(keys: readonly string[]): Json {
  const [key, ...more] = keys;
  return key !== undefined && more.length === 0 ? key : keys;
}

/** Which of several items of the same key is the one that was shown: the only one with the print of its node, or as its leaf says. */
export function shownAmong(items: readonly Json[], node: Json): Json | undefined {
  const [leaf, print] = [readLeaf(node), own(node, printMark)];
  const isShown = (each: Json) =>
    leaf === undefined || leaf === "node" ? printOf(each) === print : equal(each, leaf.shown);
  const [item, ...others] = items.filter(isShown);
  return others.length === 0 ? item : undefined;
}

/** The name of the child for an item. */
export function childOfItem(index: number): string {
  return `#${index}`;
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
type PutItemBack = (current: Json | undefined, node: Json) => Json | undefined;

/** Where the new items of a list stand, if our order parts those that they stood between. */
export interface Placement {
  /** So many of them stand in front of the item that follows them, the others behind the one before them. */
  readonly ahead: number;
  /** Whether changed items, and those that stand for others that are gone, count as new. */
  readonly isStrict: boolean;
}

export const usualPlacement: Placement = { ahead: 0, isStrict: false };

const noReplaced: ReadonlyMap<number, number> = new Map();

/**
 * Puts the leaves of a node of the second form back into a list, each item's into the item that is recognised as the one
 * that was shown. New items get nothing. Hidden items return behind the items that they followed, unless the list that
 * was shown is empty now. Clients can write nodes, so damaged ones are ignored.
 */
export function putAlignedBack(
  current: Json | undefined,
  node: Tree,
  putItemBack: PutItemBack,
  { ahead, isStrict }: Placement = usualPlacement,
): Json | undefined {
  const list = isArray(current) ? current : current === undefined || current === null ? [] : undefined;
  const marks = readMarks(node);
  if (list === undefined || marks === undefined) return current;
  if (list.length === 0 && marks.shown.length > 0) return current;
  const by = isStrict ? "nothing" : (keysOfNode(node) ?? "neighbours");
  const found = recognised(list, marks.shown, marks.defaulted, by);
  const known = new Set(found);
  const newNames = new Set(list.filter((_, index) => !known.has(index)).map(nameOf));
  const first: Json[] = [];
  const runs: Run[] = [];
  const order: Run[] = [];
  const replaced = isStrict ? noReplaced : replacedIn(found, list.length);
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

/** Whether a list has just the items that a node of the second form says were shown. */
export function showsItems(current: Json | undefined, node: Tree): boolean {
  const marks = readMarks(node);
  if (marks === undefined || !isArray(current)) return marks === undefined;
  const prints = current.map(printOf);
  return equal(prints, marks.shown) || equal(prints, marks.defaulted);
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

/**
 * The scalars of a leaf's list that the other version never showed and that a list lacks, which come back: an addition or removal
 * of others says nothing about them. None if the other version showed any in other words, since an element that is not shown may
 * then be one of those.
 */
export function hiddenScalars(current: Json | undefined, { value, shown }: Leaf): readonly Json[] {
  if (!isListOfScalars(current) || !isListOfScalars(value) || !isListOfScalars(shown)) return [];
  const [all, now] = [new Set(value), new Set(current)];
  // Which of two equal ones is which, nothing says.
  if (all.size < value.length || now.size < current.length) return [];
  if (!shown.every((each) => all.has(each))) return [];
  const seen = new Set(shown);
  return value.filter((each) => !seen.has(each) && !now.has(each));
}

/** Whether a client may have changed scalars that it saw: it removed some, and added others. These may stand for hidden ones too. */
export function mayBeChanged(current: Json | undefined, { shown }: Leaf): boolean {
  const [seen, now] = [shown, current].map((list) => new Set(isArray(list) ? list : [])) as [
    Set<Json>,
    Set<Json>,
  ];
  return !seen.isSubsetOf(now) && !now.isSubsetOf(seen);
}

/** A list with the hidden scalars of a leaf, each behind the scalar that it followed. */
export function withHiddenScalars(
  current: Json | undefined,
  leaf: Leaf,
  placement: Placement = usualPlacement,
): Json | undefined {
  const hidden = new Set(hiddenScalars(current, leaf));
  if (hidden.size === 0) return current;
  const [list, value] = [current, leaf.value] as [readonly Json[], readonly Json[]];
  const places = new Map(list.map((each, at) => [each, at]));
  const slots = slotsOf(value, places, mayBeChanged(list, leaf) ? usualPlacement : placement);
  const returned = [...value.entries()].filter(([, each]) => hidden.has(each));
  const bySlot = Map.groupBy(returned, ([index]) => slots[index]);
  const at = (slot: number) => bySlot.get(slot)?.map(([, each]) => each) ?? [];
  return [...at(0), ...list.flatMap((each, index) => [each, ...at(index + 1)])];
}

/**
 * How many scalars of a list stand in front of each of a leaf's, by the places of those that the list still has. Usually it stands
 * behind the one that it followed. Where that does not agree, it stands ahead of all that followed it, or behind all that it followed.
 */
function slotsOf(
  value: readonly Json[],
  places: ReadonlyMap<Json, number>,
  { ahead, isStrict }: Placement,
): readonly number[] {
  if (ahead > 0) {
    const slots: number[] = [];
    for (const each of value.toReversed())
      slots.push(Math.min(slots.at(-1) ?? places.size, places.get(each) ?? places.size));
    return slots.toReversed();
  }
  const slots: number[] = [];
  for (const each of value) {
    const before = slots.at(-1) ?? 0;
    const at = places.get(each);
    slots.push(at === undefined ? before : isStrict ? Math.max(before, at + 1) : at + 1);
  }
  return slots;
}

function isListOfScalars(value: Json | undefined): value is readonly Json[] {
  return isArray(value) && value.every((each) => typeof each !== "object");
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
