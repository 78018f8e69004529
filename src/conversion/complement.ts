import { equal } from "../json/equal.ts";
import { hasNoFields, isArray, isObject, type Json, type JsonObject, own, ownField } from "../json/json.ts";
import { type KeyedItems, keyedItems } from "./keyed-list.ts";
import { below, type Shape } from "./shape.ts";
import { GrowingTree, isScalar, leafOf, orderKey, type Tree } from "./tree.ts";

/** Fields that are always remembered, also where they would come back by themselves: names lead down, `true` is all below. */
export type Always = ReadonlyMap<string, Always> | true;

/**
 * What one side says that does not come back from the other: a tree of leaves as fine as server-side apply's, each
 * with what came back in its place. Undefined where nothing is missing.
 */
export function complementOf(
  mine: JsonObject,
  plain: JsonObject,
  defaulted: JsonObject,
  shape: Shape,
  always?: Always,
): Tree | undefined {
  return compareFields(mine, plain, defaulted, shape, always, 0);
}

/** Below this an object is one leaf: no real object is nested so deep, and a hostile one must not exhaust the stack. */
export const deepest = 200;

/** The same for what stands at a place below, so deep. */
export function compare(
  mine: Json | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
  always: Always | undefined,
  depth: number,
): Tree | undefined {
  if (always === undefined && mine === plain && mine === defaulted) return undefined;
  if (mine !== undefined && plain === undefined && defaulted === undefined)
    return leavesOf(mine, shape, depth);
  // What is neither a map nor a list is a leaf, and most leaves are: no need to ask how it would be parted.
  if (mine !== undefined && isScalar(mine)) return compareLeaf(mine, plain, defaulted, always);
  if (depth < deepest && isGranularMap(mine, plain, defaulted, shape)) {
    return compareFields(mine, plain, defaulted, shape, always, depth);
  }
  const items = depth < deepest ? granularItems(mine, plain, defaulted, shape) : undefined;
  if (items !== undefined) return compareItems(items, shape?.items, always, depth);
  return compareLeaf(mine, plain, defaulted, always);
}

/** The same where the far side has nothing, as it is for most that one version alone can say: there is nothing to compare. */
function leavesOf(mine: Json, shape: Shape | undefined, depth: number): Tree {
  if (isScalar(mine)) return leafOf(mine, undefined, undefined, false);
  const isDeep = depth >= deepest;
  const keys = shape?.keys;
  let tree: Tree | undefined;
  if (keys !== undefined && !isDeep) {
    const items = keyedItems(mine, keys);
    if (items !== undefined) tree = leavesOfItems(items, shape?.items, depth);
  } else if (isObject(mine) && !isDeep && shape?.atomic !== true) {
    tree = leavesOfFields(mine, shape, depth);
  }
  return tree ?? leafOf(mine, undefined, undefined, false);
}

function leavesOfFields(mine: JsonObject, shape: Shape | undefined, depth: number): Tree | undefined {
  const tree = new GrowingTree();
  for (const name in mine) tree.add(name, leavesOf(mine[name] as Json, below(shape, name), depth + 1));
  return tree.grown();
}

function leavesOfItems(mine: KeyedItems, shape: Shape | undefined, depth: number): Tree | undefined {
  const tree = new GrowingTree();
  const order = orderLeaf(mine, noItems);
  if (order !== undefined) tree.put(orderKey, order);
  for (const [name, item] of mine) tree.add(name, leavesOf(item, shape, depth + 1));
  return tree.grown();
}

function compareLeaf(
  mine: Json | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
  always: Always | undefined,
): Tree | undefined {
  const isSame = equal(mine, plain) && equal(mine, defaulted);
  if (isSame && (always !== true || mine === undefined)) return undefined;
  return leafOf(mine, plain, defaulted, !equal(plain, defaulted));
}

function compareFields(
  mine: JsonObject | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
  always: Always | undefined,
  depth: number,
): Tree | undefined {
  if (mine !== undefined && mine === plain && mine === defaulted && always !== true) {
    return rememberedFields(mine, shape, always, depth);
  }
  const tree = new GrowingTree();
  const [there, here] = [isObject(plain) ? plain : none, isObject(defaulted) ? defaulted : none];
  for (const name in mine) {
    const ours = mine[name];
    const theirs = ownField(there, name);
    const filled = here === there ? theirs : ownField(here, name);
    if (always === undefined && ours === theirs && ours === filled) continue;
    const next = alwaysBelow(always, name);
    tree.add(name, compare(ours, theirs, filled, below(shape, name), next, depth + 1));
  }
  if (plain === mine && defaulted === mine) return tree.grown();
  for (const name of othersOf(plain, mine, undefined)) {
    const filled = defaulted === plain ? own(plain, name) : own(defaulted, name);
    const next = alwaysBelow(always, name);
    tree.add(name, compare(undefined, own(plain, name), filled, below(shape, name), next, depth + 1));
  }
  if (defaulted === plain) return tree.grown();
  for (const name of othersOf(defaulted, mine, plain)) {
    const next = alwaysBelow(always, name);
    tree.add(name, compare(undefined, undefined, own(defaulted, name), below(shape, name), next, depth + 1));
  }
  return tree.grown();
}

const none: JsonObject = {};

/** The same where all sides are one: then only what is always remembered is. */
function rememberedFields(
  mine: JsonObject,
  shape: Shape | undefined,
  always: Exclude<Always, true> | undefined,
  depth: number,
): Tree | undefined {
  if (always === undefined) return undefined;
  const tree = new GrowingTree();
  for (const [name, next] of always) {
    const ours = own(mine, name);
    if (ours !== undefined) tree.add(name, compare(ours, ours, ours, below(shape, name), next, depth + 1));
  }
  return tree.grown();
}

/** What is always remembered below a field. */
export function alwaysBelow(always: Always | undefined, name: string): Always | undefined {
  return always === true || always === undefined ? always : always.get(name);
}

/** The names of the fields of one side that two others do not have. */
function othersOf(
  side: Json | undefined,
  mine: Json | undefined,
  plain: Json | undefined,
): readonly string[] {
  let names = noNames;
  if (!isObject(side)) return names;
  for (const name in side) {
    if (own(mine, name) !== undefined || own(plain, name) !== undefined) continue;
    if (names === noNames) names = [];
    names.push(name);
  }
  return names;
}

const noNames: string[] = [];

interface GranularItems {
  readonly mine: KeyedItems;
  readonly plain: KeyedItems;
  readonly defaulted: KeyedItems;
}

function compareItems(
  { mine, plain, defaulted }: GranularItems,
  shape: Shape | undefined,
  always: Always | undefined,
  depth: number,
): Tree | undefined {
  const tree = new GrowingTree();
  const order = orderLeaf(mine, plain);
  if (order !== undefined) tree.put(orderKey, order);
  for (const [name, item] of mine) {
    tree.add(name, compare(item, plain.get(name), defaulted.get(name), shape, always, depth + 1));
  }
  // An item that only the far side shows is taken out as a whole: half an item is none.
  const takeOut = (name: string, theirs: Json | undefined, filled: Json | undefined) =>
    tree.add(name, leafOf(undefined, theirs, filled, !equal(theirs, filled)));
  for (const [name, theirs] of plain) if (!mine.has(name)) takeOut(name, theirs, defaulted.get(name));
  if (defaulted !== plain) {
    for (const [name, filled] of defaulted) {
      if (!mine.has(name) && !plain.has(name)) takeOut(name, undefined, filled);
    }
  }
  return tree.grown();
}

/** The order of a keyed list, where it is not the one that comes about by itself: what was shown, then what is put back. */
function orderLeaf(mine: KeyedItems, shown: KeyedItems): Tree | undefined {
  if (isSameOrder(mine, shown)) return undefined;
  if (shown.size === 0 && isAscending(mine)) return undefined;
  const [ours, theirs] = [[...mine.keys()], [...shown.keys()]];
  const natural = [
    ...theirs.filter((name) => mine.has(name)),
    ...ours.filter((name) => !shown.has(name)).sort(),
  ];
  return equal(natural, ours) ? undefined : leafOf(ours, theirs, undefined, false);
}

function isAscending(items: KeyedItems): boolean {
  let last: string | undefined;
  for (const name of items.keys()) {
    if (last !== undefined && name < last) return false;
    last = name;
  }
  return true;
}

function isSameOrder(mine: KeyedItems, shown: KeyedItems): boolean {
  if (mine.size !== shown.size) return false;
  const theirs = shown.keys();
  for (const name of mine.keys()) if (theirs.next().value !== name) return false;
  return true;
}

/** Whether a place is compared field by field: an object on our side, and nothing but an object on the other. */
function isGranularMap(
  mine: Json | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
): mine is JsonObject | undefined {
  if (shape?.atomic || shape?.keys !== undefined) return false;
  if (!isMapOrNothing(plain) || !isMapOrNothing(defaulted)) return false;
  // An empty object has no field to tell it by: ours is a leaf, and so is theirs where we have nothing.
  if (mine !== undefined) return isObject(mine) && !isEmpty(mine);
  const theirs = [plain, defaulted].filter((side) => side !== undefined);
  return theirs.length > 0 && theirs.every((side) => side !== null && !isEmpty(side));
}

/** Null says that there is nothing: below it our fields come back each on its own, as `putBack` has it. */
function isMapOrNothing(side: Json | undefined): boolean {
  return side === undefined || side === null || isObject(side);
}

function granularItems(
  mine: Json | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
): GranularItems | undefined {
  const keys = shape?.keys;
  if (keys === undefined) return undefined;
  const theirs = [plain, defaulted].filter((side) => side !== undefined);
  // A list that is empty, or null, has no item to tell it by.
  const isLeaf = (side: Json) => side === null || isEmpty(side);
  if (mine === undefined ? theirs.some(isLeaf) : isLeaf(mine)) return undefined;
  const [mineItems, plainItems] = [itemsOf(mine, keys), itemsOf(plain, keys)];
  const defaultedItems = defaulted === plain ? plainItems : itemsOf(defaulted, keys);
  return mineItems && plainItems && defaultedItems
    ? { mine: mineItems, plain: plainItems, defaulted: defaultedItems }
    : undefined;
}

function itemsOf(side: Json | undefined, keys: readonly string[]): KeyedItems | undefined {
  return side === undefined || side === null ? noItems : keyedItems(side, keys);
}

const noItems: KeyedItems = new Map();

/** Whether a list or an object has nothing in it. */
export function isEmpty(value: Json | undefined): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && hasNoFields(value);
}
