import { equal } from "../json/equal.ts";
import { fieldAt, isArray, isObject, type Json, type JsonObject, own, ownField } from "../json/json.ts";
import {
  byMark,
  childOfItem,
  isListOfObjects,
  keyedBy,
  keysMark,
  marksOf,
  withPrint,
} from "./aligned-list.ts";
import { isFirstList, nodeOfFirst } from "./first-list.ts";
import { originsOf } from "./item-origins.ts";
import { type KeyedItems, keyedItems, underOurKeys } from "./keyed-list.ts";
import { absentLeaf, isEmpty, isScalar, leafOf, orderKey } from "./leaf.ts";
import type { LoneItems } from "./lone-items.ts";
import { orderLeaf } from "./order-leaf.ts";
import { below, isEntry, type Shape } from "./shape.ts";
import { GrowingTree, type Tree } from "./tree.ts";

/**
 * Fields that are stored even where they would come back by themselves, by name. A list of names stands for a field and all
 * below it: beside one of the fields with these names it is stored even if it is absent.
 */
export type AlwaysStored = ReadonlyMap<string, AlwaysStored> | readonly string[];

/**
 * What the source says that does not come back from the round trip through the other version: a tree of leaves, as fine as
 * the fields that server-side apply owns, each with the value that came back in its place. `roundTripped` is the source
 * after the round trip, `defaulted` the same where the API server fills in the hub's defaults on the way. Undefined where
 * nothing is missing. `lone` shows items of lists without keys each alone.
 */
export function complementOf(
  source: JsonObject,
  roundTripped: JsonObject,
  defaulted: JsonObject,
  shape: Shape,
  alwaysStored?: AlwaysStored,
  lone?: LoneItems,
): Tree | undefined {
  return compareFields(source, roundTripped, defaulted, shape, alwaysStored, lone, 0);
}

/** Compares objects of one shape. */
export type Complement = (
  source: JsonObject,
  roundTripped: JsonObject,
  defaulted: JsonObject,
) => Tree | undefined;

/** The comparison for a shape, given the fields to be always stored. */
export function complementFor(shape: Shape, alwaysStored?: AlwaysStored, lone?: LoneItems): Complement {
  return (source, roundTripped, defaulted) =>
    complementOf(source, roundTripped, defaulted, shape, alwaysStored, lone);
}

/** An object nested deeper than this is one leaf: real objects are not, and a hostile one must not exhaust the stack. */
export const deepest = 200;

/** The same for values of any type, `depth` levels below the root. */
function compare(
  source: Json | undefined,
  roundTripped: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
  alwaysStored: AlwaysStored | undefined,
  lone: LoneItems | undefined,
  depth: number,
): Tree | undefined {
  if (alwaysStored === undefined && source === roundTripped && source === defaulted) return undefined;
  if (isFirstList(shape) && depth < deepest) {
    const node = nodeOfFirst({ source, roundTripped, defaulted }, (item, ...others) =>
      compare(item, ...others, shape?.items, alwaysStored, lone, depth + 1),
    );
    if (node !== "leaf") return node;
  }
  if (source !== undefined && roundTripped === undefined && defaulted === undefined)
    return leavesOf(source, shape, depth);
  // Most leaves are scalars, which are never compared by parts.
  if (source !== undefined && isScalar(source))
    return compareLeaf(source, roundTripped, defaulted, alwaysStored);
  if (depth < deepest && isGranularMap(source, roundTripped, defaulted, shape)) {
    return compareFields(source, roundTripped, defaulted, shape, alwaysStored, lone, depth);
  }
  const items = depth < deepest ? granularItems(source, roundTripped, defaulted, shape) : undefined;
  if (items !== undefined) return compareItems(items, shape?.items, alwaysStored, lone, depth);
  const lists = depth < deepest ? objectLists(source, roundTripped, defaulted) : undefined;
  const unkeyed = lists === undefined ? undefined : compareUnkeyed(lists, shape, alwaysStored, lone, depth);
  if (unkeyed !== undefined) return unkeyed.node;
  return compareLeaf(source, roundTripped, defaulted, alwaysStored);
}

/** The same where nothing came back, as for most fields that only one version has: there is nothing to compare. */
function leavesOf(source: Json, shape: Shape | undefined, depth: number): Tree {
  if (isScalar(source)) return leafOf(source, undefined, undefined, false);
  const isDeep = depth >= deepest;
  const keys = shape?.keys;
  let tree: Tree | undefined;
  if (keys !== undefined && !isDeep) {
    const items = keyedItems(source, keys);
    if (items !== undefined) tree = leavesOfItems(items, shape?.items, depth);
  } else if (isObject(source) && !isDeep && shape?.atomic !== true) {
    tree = leavesOfFields(source, shape, depth);
  }
  return tree ?? leafOf(source, undefined, undefined, false);
}

function leavesOfFields(source: JsonObject, shape: Shape | undefined, depth: number): Tree | undefined {
  const tree = new GrowingTree();
  for (const name in source) tree.add(name, leavesOf(fieldAt(source, name), below(shape, name), depth + 1));
  return tree.grown();
}

function leavesOfItems(source: KeyedItems, shape: Shape | undefined, depth: number): Tree | undefined {
  const tree = new GrowingTree();
  const order = orderLeaf(source, noItems, noItems);
  if (order !== undefined) tree.put(orderKey, order);
  for (const [name, item] of source) tree.add(name, leavesOf(item, shape, depth + 1));
  return tree.grown();
}

function compareLeaf(
  source: Json | undefined,
  roundTripped: Json | undefined,
  defaulted: Json | undefined,
  alwaysStored: AlwaysStored | undefined,
): Tree | undefined {
  const isSame = equal(source, roundTripped) && equal(source, defaulted);
  if (isSame && (!isWhole(alwaysStored) || source === undefined)) return undefined;
  return leafOf(source, roundTripped, defaulted, !equal(roundTripped, defaulted));
}

function compareFields(
  source: JsonObject | undefined,
  roundTripped: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
  alwaysStored: AlwaysStored | undefined,
  lone: LoneItems | undefined,
  depth: number,
): Tree | undefined {
  if (source !== undefined && source === roundTripped && source === defaulted && !isWhole(alwaysStored)) {
    return alwaysStoredFields(source, shape, alwaysStored, depth);
  }
  const tree = new GrowingTree();
  addAbsent(tree, [source, roundTripped, defaulted], shape, alwaysStored);
  const roundTrippedFields = isObject(roundTripped) ? roundTripped : none;
  const defaultedFields = isObject(defaulted) ? defaulted : none;
  for (const name in source) {
    const value = fieldAt(source, name);
    const returned = ownField(roundTrippedFields, name);
    const filledIn = defaultedFields === roundTrippedFields ? returned : ownField(defaultedFields, name);
    if (alwaysStored === undefined && value === returned && value === filledIn) continue;
    const next = alwaysStoredBelow(alwaysStored, name, shape);
    tree.add(name, compare(value, returned, filledIn, below(shape, name), next, lone, depth + 1));
  }
  if (roundTripped === source && defaulted === source) return tree.grown();
  const takeOut = (name: string, returned: Json | undefined, filledIn: Json | undefined) => {
    // An entry that only the round trip shows is removed as a whole: without fields it would still be there.
    if (isEntry(shape, name))
      tree.add(name, leafOf(undefined, returned, filledIn, !equal(returned, filledIn)));
    else {
      const next = alwaysStoredBelow(alwaysStored, name, shape);
      tree.add(name, compare(undefined, returned, filledIn, below(shape, name), next, lone, depth + 1));
    }
  };
  for (const name of othersOf(roundTripped, source, undefined)) {
    const filledIn = defaulted === roundTripped ? own(roundTripped, name) : own(defaulted, name);
    takeOut(name, own(roundTripped, name), filledIn);
  }
  if (defaulted === roundTripped) return tree.grown();
  for (const name of othersOf(defaulted, source, roundTripped))
    takeOut(name, undefined, own(defaulted, name));
  return tree.grown();
}

const none: JsonObject = {};

/** Adds the leaves of absent fields that are stored beside others of their object. */
function addAbsent(
  tree: GrowingTree,
  sides: readonly [source: Json | undefined, ...others: readonly (Json | undefined)[]],
  shape: Shape | undefined,
  alwaysStored: AlwaysStored | undefined,
): void {
  if (alwaysStored === undefined || isWhole(alwaysStored)) return;
  const [source] = sides;
  for (const [name, next] of alwaysStored) {
    if (!isWhole(next) || isEntry(shape, name) || sides.some((side) => own(side, name) !== undefined))
      continue;
    if (next.some((other) => own(source, other) !== undefined)) tree.add(name, absentLeaf);
  }
}

/** Whether a field is stored with all below it. */
function isWhole(alwaysStored: AlwaysStored | undefined): alwaysStored is readonly string[] {
  return alwaysStored !== undefined && !(alwaysStored instanceof Map);
}

/** The same where all three are the same object: only the fields that are always stored are in the tree. */
function alwaysStoredFields(
  source: JsonObject,
  shape: Shape | undefined,
  alwaysStored: Exclude<AlwaysStored, readonly string[]> | undefined,
  depth: number,
): Tree | undefined {
  if (alwaysStored === undefined) return undefined;
  const tree = new GrowingTree();
  addAbsent(tree, [source], shape, alwaysStored);
  for (const name of shape?.additional !== undefined ? Object.keys(source) : alwaysStored.keys()) {
    const [value, next] = [own(source, name), alwaysStoredBelow(alwaysStored, name, shape)];
    if (value !== undefined)
      tree.add(name, compare(value, value, value, below(shape, name), next, undefined, depth + 1));
  }
  return tree.grown();
}

/** What is always stored below a field. In each entry of a map it is the same, as in each item of a list. */
function alwaysStoredBelow(
  alwaysStored: AlwaysStored | undefined,
  name: string,
  shape: Shape | undefined,
): AlwaysStored | undefined {
  if (isWhole(alwaysStored)) return allBelow;
  return alwaysStored !== undefined && isEntry(shape, name) ? alwaysStored : alwaysStored?.get(name);
}

const allBelow: AlwaysStored = [];

/** The names of the fields of one object that two others do not have. */
function othersOf(
  side: Json | undefined,
  source: Json | undefined,
  roundTripped: Json | undefined,
): readonly string[] {
  let names = noNames;
  if (!isObject(side)) return names;
  for (const name in side) {
    if (own(source, name) !== undefined || own(roundTripped, name) !== undefined) continue;
    if (names === noNames) names = [];
    names.push(name);
  }
  return names;
}

const noNames: string[] = [];

interface GranularItems {
  readonly source: KeyedItems;
  readonly roundTripped: KeyedItems;
  readonly defaulted: KeyedItems;
}

/**
 * The node of a list whose items have keys. With `namedBy`, which the schema does not say, it has these marks, and an item that
 * the other version does not show is one leaf: a client that makes it anew gets none of it.
 */
function compareItems(
  { source, roundTripped, defaulted }: GranularItems,
  shape: Shape | undefined,
  alwaysStored: AlwaysStored | undefined,
  lone: LoneItems | undefined,
  depth: number,
  namedBy?: readonly string[],
): Tree | undefined {
  const tree = new GrowingTree();
  const add = (name: string, child: Tree | undefined, shown?: Json | undefined): void => {
    if (child === undefined) return;
    if (namedBy !== undefined && tree.isEmpty()) tree.put(byMark, keysMark(namedBy));
    tree.add(name, namedBy === undefined || shown === undefined ? child : withPrint(child, shown));
  };
  const order = orderLeaf(source, roundTripped, defaulted);
  if (order !== undefined) {
    if (namedBy !== undefined) tree.put(byMark, keysMark(namedBy));
    tree.put(orderKey, order);
  }
  for (const [name, item] of source) {
    const [returned, filledIn] = [roundTripped.get(name), defaulted.get(name)];
    const isHidden = returned === undefined && filledIn === undefined;
    const child =
      isHidden && namedBy !== undefined
        ? leafOf(item, undefined, undefined, false)
        : compare(item, returned, filledIn, shape, alwaysStored, lone, depth + 1);
    add(name, child, returned);
  }
  // An item that only the round trip shows is removed as a whole, since a part of it would not be an item.
  const takeOut = (name: string, returned: Json | undefined, filledIn: Json | undefined) =>
    add(name, leafOf(undefined, returned, filledIn, !equal(returned, filledIn)));
  for (const [name, returned] of roundTripped)
    if (!source.has(name)) takeOut(name, returned, defaulted.get(name));
  if (defaulted !== roundTripped) {
    for (const [name, filledIn] of defaulted) {
      if (!source.has(name) && !roundTripped.has(name)) takeOut(name, undefined, filledIn);
    }
  }
  return tree.grown();
}

/** Lists of objects without keys of which items came back. */
interface ObjectLists {
  readonly source: readonly JsonObject[];
  readonly roundTripped: readonly Json[];
  readonly defaulted: readonly Json[];
}

function objectLists(
  source: Json | undefined,
  roundTripped: Json | undefined,
  defaulted: Json | undefined,
): ObjectLists | undefined {
  if (!isListOfObjects(source) || !isArray(roundTripped) || !isArray(defaulted)) return undefined;
  // Defaults fill in fields of items. If they made items there would be nothing to compare those with.
  if (roundTripped.length !== defaulted.length) return undefined;
  const areObjects =
    roundTripped.every((item) => isObject(item)) &&
    (defaulted === roundTripped || defaulted.every((item) => isObject(item)));
  return areObjects ? { source, roundTripped, defaulted } : undefined;
}

/** The node of a list without keys (see aligned-list.ts): none where all came back; undefined where the list is one leaf. */
function compareUnkeyed(
  { source, roundTripped, defaulted }: ObjectLists,
  shape: Shape | undefined,
  alwaysStored: AlwaysStored | undefined,
  lone: LoneItems | undefined,
  depth: number,
): { readonly node: Tree | undefined } | undefined {
  const keyed = keyedBy([source, roundTripped, defaulted], shape?.namedBy);
  if (keyed !== undefined) {
    const [sourceItems = noItems, roundTrippedItems = noItems, defaultedItems = noItems] = keyed.lists;
    const items = { source: sourceItems, roundTripped: roundTrippedItems, defaulted: defaultedItems };
    return { node: compareItems(items, shape?.items, alwaysStored, lone, depth, keyed.keys) };
  }
  const origins = originsOf(source, roundTripped, () => shape && lone?.(shape, source));
  if (origins === undefined) return undefined;
  const tree = new GrowingTree();
  for (const [index, item] of source.entries()) {
    const origin = origins[index] ?? -1;
    const [returned, filledIn] = [roundTripped[origin], defaulted[origin]];
    const child = compare(item, returned, filledIn, shape?.items, alwaysStored, lone, depth + 1);
    if (child !== undefined) tree.put(childOfItem(index), child);
  }
  if (tree.isEmpty() && origins.every((origin, index) => origin === index)) return { node: undefined };
  for (const [name, mark] of Object.entries(marksOf(origins, roundTripped, defaulted, shape?.namedBy)))
    tree.put(name, mark);
  return { node: tree.grown() };
}

/** Whether values are compared field by field: the source is an object, and the others are objects, null or absent. */
function isGranularMap(
  source: Json | undefined,
  roundTripped: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
): source is JsonObject | undefined {
  if (shape?.atomic || shape?.keys !== undefined) return false;
  if (!isMapOrNothing(roundTripped) || !isMapOrNothing(defaulted)) return false;
  // An empty object has no field that could be a leaf, so it is one itself.
  if (source !== undefined) return isObject(source) && !isEmpty(source);
  const returned = [roundTripped, defaulted].filter((side) => side !== undefined);
  return returned.length > 0 && returned.every((side) => side !== null && !isEmpty(side));
}

/** Null counts as absent: fields of the source below it come back one by one (see `putBack`). */
function isMapOrNothing(side: Json | undefined): boolean {
  return side === undefined || side === null || isObject(side);
}

function granularItems(
  source: Json | undefined,
  roundTripped: Json | undefined,
  defaulted: Json | undefined,
  shape: Shape | undefined,
): GranularItems | undefined {
  const keys = shape?.keys;
  if (keys === undefined) return undefined;
  const returned = [roundTripped, defaulted].filter((side) => side !== undefined);
  // An empty list, or null, has no item that could be a leaf, so it is one itself.
  const isLeaf = (side: Json) => side === null || isEmpty(side);
  if (source === undefined ? returned.some(isLeaf) : isLeaf(source)) return undefined;
  const [sourceItems, roundTrippedItems] = [itemsOf(source, keys), itemsOf(roundTripped, keys)];
  const defaultedItems = defaulted === roundTripped ? roundTrippedItems : itemsOf(defaulted, keys);
  if (!sourceItems || !roundTrippedItems || !defaultedItems) return undefined;
  const ours = (items: KeyedItems) => underOurKeys(sourceItems, items, keys, shape?.keyDefaults);
  const shown = ours(roundTrippedItems);
  return {
    source: sourceItems,
    roundTripped: shown,
    defaulted: defaultedItems === roundTrippedItems ? shown : ours(defaultedItems),
  };
}

function itemsOf(side: Json | undefined, keys: readonly string[]): KeyedItems | undefined {
  return side === undefined || side === null ? noItems : keyedItems(side, keys);
}

const noItems: KeyedItems = new Map();
