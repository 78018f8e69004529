import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import { below, type Shape } from "../schema/shape.ts";
import { type KeyedItems, keyedItems } from "./keyed-list.ts";
import { isScalar, leafOf, nodeOf, orderKey, type Tree, toChild } from "./tree.ts";

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

function compare(
  mine: Json | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
  always: Always | undefined,
  depth: number,
): Tree | undefined {
  if (always === undefined && mine === plain && mine === defaulted) return undefined;
  // What is neither a map nor a list is a leaf, and most leaves are: no need to ask how it would be parted.
  if (mine !== undefined && isScalar(mine)) return compareLeaf(mine, plain, defaulted, always);
  if (depth < deepest && isGranularMap(mine, plain, defaulted, shape)) {
    return compareFields(mine, plain, defaulted, shape, always, depth);
  }
  const items = depth < deepest ? granularItems(mine, plain, defaulted, shape) : undefined;
  if (items !== undefined) return compareItems(items, shape?.items, always, depth);
  return compareLeaf(mine, plain, defaulted, always);
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
  const children: [string, Tree][] = [];
  for (const name of namesOf(mine, plain, defaulted)) {
    const ours = own(mine, name);
    const theirs = own(plain, name);
    const filled = defaulted === plain ? theirs : own(defaulted, name);
    if (always === undefined && ours === theirs && ours === filled) continue;
    const next = always === true || always === undefined ? always : always.get(name);
    const child = compare(ours, theirs, filled, below(shape, name), next, depth + 1);
    if (child !== undefined) children.push([toChild(name), child]);
  }
  return nodeOf(children);
}

/** The names of all fields of three sides, each once. */
function namesOf(
  mine: JsonObject | undefined,
  plain: Json | undefined,
  defaulted: Json | undefined,
): readonly string[] {
  const names = mine === undefined ? [] : Object.keys(mine);
  if (plain !== mine && isObject(plain)) {
    for (const name of Object.keys(plain)) if (!hasField(mine, name)) names.push(name);
  }
  if (defaulted !== plain && isObject(defaulted)) {
    for (const name of Object.keys(defaulted)) {
      if (!hasField(mine, name) && !hasField(plain, name)) names.push(name);
    }
  }
  return names;
}

function hasField(side: Json | undefined, name: string): boolean {
  return isObject(side) && Object.hasOwn(side, name);
}

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
  const children: [string, Tree][] = [];
  const visit = (name: string) => {
    const item = mine.get(name);
    const theirs = plain.get(name);
    const filled = defaulted.get(name);
    // An item that only the far side shows is taken out as a whole: half an item is none.
    const child =
      item === undefined
        ? leafOf(undefined, theirs, filled, !equal(theirs, filled))
        : compare(item, theirs, filled, shape, always, depth + 1);
    if (child !== undefined) children.push([toChild(name), child]);
  };
  for (const name of mine.keys()) visit(name);
  for (const name of plain.keys()) if (!mine.has(name)) visit(name);
  if (defaulted !== plain) {
    for (const name of defaulted.keys()) if (!mine.has(name) && !plain.has(name)) visit(name);
  }
  const order = orderLeaf([...mine.keys()], [...plain.keys()]);
  if (order !== undefined) children.push([orderKey, order]);
  return nodeOf(children);
}

/** The order of a keyed list, where it is not the one that comes about by itself: what was shown, then what is put back. */
function orderLeaf(mine: readonly string[], shown: readonly string[]): Tree | undefined {
  if (equal(mine, shown)) return undefined;
  const [ours, theirs] = [new Set(mine), new Set(shown)];
  const natural = [
    ...shown.filter((name) => ours.has(name)),
    ...mine.filter((name) => !theirs.has(name)).sort(),
  ];
  return equal(natural, mine) ? undefined : leafOf([...mine], [...shown], undefined, false);
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
  const [mineItems, plainItems] = [keyedItems(mine ?? [], keys), keyedItems(plain ?? [], keys)];
  const defaultedItems = defaulted === plain ? plainItems : keyedItems(defaulted ?? [], keys);
  return mineItems && plainItems && defaultedItems
    ? { mine: mineItems, plain: plainItems, defaulted: defaultedItems }
    : undefined;
}

/** Whether a list or an object has nothing in it. */
export function isEmpty(value: Json | undefined): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
