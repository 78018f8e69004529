import { equal } from "../json/equal.ts";
import {
  define,
  fieldAt,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  own,
  ownField,
  settled,
} from "../json/json.ts";
import {
  isAligned,
  isMark,
  keysOfNode,
  type Placement,
  putAlignedBack,
  shownAmong,
  showsItems,
  usualPlacement,
  withHidden,
  withHiddenScalars,
} from "./aligned-list.ts";
import { deepest } from "./complement.ts";
import { isFirstList, isFirstNode, putFirstBack } from "./first-list.ts";
import { keyedItems, keyName, underKeysOfNode } from "./keyed-list.ts";
import { isEmpty, orderKey, readLeaf } from "./leaf.ts";
import type { GroupedField } from "./row-groups.ts";
import { withoutOutdated } from "./row-guards.ts";
import { type RowRule, ruled } from "./row-rule.ts";
import { below, isEntry, isMap, type Shape } from "./shape.ts";
import { fromChild, type Tree } from "./tree.ts";

/**
 * Puts the leaves of a tree back into an object, each only where the object still shows what it showed when the leaf was
 * made: a client's later change wins. Clients can write trees, so damaged parts are ignored. `doubts` says how, and learns
 * what may be contradicted.
 */
export function restore(
  object: JsonObject,
  tree: Tree | undefined,
  shape: Shape,
  grouped?: GroupedField,
  doubts?: Doubts,
): JsonObject {
  if (tree === undefined || readLeaf(tree) !== "node") return object;
  const restored = putBack(object, tree, shape, grouped, doubts, 0);
  return isObject(restored) ? restored : {};
}

/** What may be contradicted in a restored object. */
export interface Doubts {
  readonly placement: Placement;
  /** Given once something is known to be contradicted: which fields come back together or not at all. */
  readonly rule?: RowRule | undefined;
  /** Found: items came back into a list that lost others, or scalars into any (see returned-items.ts). */
  hasLostItem: boolean;
  /** Found: objects came back into a map. */
  hasEntry: boolean;
}

function putBack(
  current: Json | undefined,
  tree: Json,
  shape: Shape | undefined,
  grouped: GroupedField | undefined,
  doubts: Doubts | undefined,
  depth: number,
): Json | undefined {
  const leaf = readLeaf(tree);
  if (leaf === undefined || depth > deepest) return current;
  if (leaf !== "node") {
    if (equal(current, leaf.shown) || equal(current, leaf.defaulted)) return leaf.value;
    const isHidden = leaf.shown === undefined && leaf.defaulted === undefined;
    if (isHidden && shape?.keys === undefined && !isFirstList(shape)) return withHidden(current, leaf.value);
    const whole = withHiddenScalars(current, leaf, doubts?.placement);
    // The other version may read a scalar as one that its client removed.
    if (whole !== current && doubts !== undefined) doubts.hasLostItem = true;
    return whole;
  }
  const node = tree as Tree;
  if (isAligned(node)) {
    const putItemBack = (item: Json | undefined, child: Json) =>
      putBack(item, child, shape?.items, grouped?.items, doubts, depth + 1);
    if (isFirstNode(node)) return putFirstBack(current, node, putItemBack);
    return putAlignedBack(current, node, putItemBack, doubts?.placement);
  }
  const keys = keysOfNode(node) ?? shape?.keys;
  if (keys !== undefined) return putItemsBack(current, node, shape, keys, grouped, doubts, depth);
  // Null counts as absent, and leaves come back below it: server-side apply sends `spec: null`.
  if (current !== undefined && current !== null && !isObject(current)) return current;
  const inside = isObject(current) ? current : none;
  let result: Record<string, Json> | undefined;
  let gone: Set<string> | undefined;
  let added = 0;
  const left =
    grouped?.object === undefined ? node : withoutOutdated(node, inside, grouped.object, shape, stillShows);
  for (const name in left) {
    const child = fieldAt(left, name);
    const key = fromChild(name);
    const before = ownField(inside, key);
    const inner = grouped?.below.get(key) ?? grouped?.items;
    const back =
      child === null && before === undefined && depth > 0
        ? emptied(below(shape, key))
        : putBack(before, child, below(shape, key), inner, doubts, depth + 1);
    // The key of an entry says something by itself, so that an entry which lost all of its fields is still there.
    const isEmptied =
      back === undefined && isObject(before) && isEntry(shape, key) && readLeaf(child) === "node";
    const after = isEmptied ? {} : back;
    if (after === before) continue;
    result ??= { ...inside };
    if (after !== undefined) define(result, key, after);
    else if (gone === undefined) gone = new Set([key]);
    else gone.add(key);
    if (before !== undefined) continue;
    added++;
    if (doubts !== undefined && isObject(after) && isEntry(shape, key)) doubts.hasEntry = true;
  }
  if (result === undefined) return current;
  const all = gone === undefined ? result : without(result, gone);
  const kept = ruled(all, inside, grouped?.object, doubts?.rule);
  return unlessEmptied(added === 0 ? kept : settled(kept, Object.keys(kept).length), current);
}

const none: JsonObject = {};

/**
 * What a map or a keyed list is of whose leaves server-side apply took all: it writes null for an object that it emptied
 * (structured-merge-diff, typed/remove.go, doMap). An applier that still applies the map, but nothing in it, keeps the map.
 */
function emptied(shape: Shape | undefined): Json | undefined {
  if (shape?.keys !== undefined) return [];
  return isMap(shape) ? {} : undefined;
}

/** Whether a value is what the leaves of its place showed when they were made. */
function stillShows(current: Json | undefined, child: Json, shape: Shape | undefined, depth = 0): boolean {
  const leaf = readLeaf(child);
  if (leaf === undefined || depth > deepest) return true;
  if (leaf !== "node") return equal(current, leaf.shown) || equal(current, leaf.defaulted);
  const node = child as Tree;
  if (isAligned(node)) return showsItems(current, node);
  const keys = keysOfNode(node) ?? shape?.keys;
  const written = keys && keyedItems(current ?? [], keys);
  if (keys !== undefined && written === undefined) return false;
  const items = keys && written && underKeysOfNode(written, node, keys);
  return Object.entries(node).every(([name, inner]) => {
    if (isMark(name) || name === orderKey) return true;
    const key = fromChild(name);
    if (keys !== undefined) return stillShows(items?.get(key), inner, shape?.items, depth + 1);
    return stillShows(own(current, key), inner, below(shape, key), depth + 1);
  });
}

function without(object: JsonObject, taken: ReadonlySet<string>): Record<string, Json> {
  const rest: Record<string, Json> = {};
  for (const key in object) if (!taken.has(key)) define(rest, key, fieldAt(object, key));
  return rest;
}

function putItemsBack(
  current: Json | undefined,
  tree: Tree,
  shape: Shape | undefined,
  keys: readonly string[],
  grouped: GroupedField | undefined,
  doubts: Doubts | undefined,
  depth: number,
): Json | undefined {
  const list = isArray(current) ? current : current === undefined || current === null ? [] : undefined;
  if (list === undefined) return current;
  const known = identified(list, keys);
  const items = underKeysOfNode(known.items, tree, keys);
  const { others } = known;
  const order = tree[orderKey];
  const written = order === undefined ? undefined : new Set(items.keys());
  const names = [...items.keys()];
  const returned: [string, JsonObject][] = [];
  for (const name in tree) {
    if (name === orderKey || isMark(name)) continue;
    const child = fieldAt(tree, name);
    const field = fromChild(name);
    const key = others.has(field) ? placeOf(list, shownAmong(others.get(field) ?? [], child)) : field;
    if (key === undefined) continue;
    const before = items.get(key);
    const after = putBack(before, child, shape?.items, grouped?.items, doubts, depth + 1);
    if (after === before) continue;
    // An item comes back only with its own key: a deleted item stays deleted, a renamed one is another item.
    const isItem = isObject(after) && keyName(after, keys) === field;
    if (isItem && before === undefined) returned.push([field, after]);
    else if (isItem) items.set(key, after);
    else if (after === undefined) items.delete(key);
  }
  if (doubts !== undefined && returned.length > 0 && hasLost(tree, items)) doubts.hasLostItem = true;
  for (const [key, item] of returned.sort(([a], [b]) => (a < b ? -1 : 1))) items.set(key, item);
  const usual =
    order === undefined || written === undefined ? [...items.values()] : inOrder(items, order, written);
  const { placement } = doubts ?? { placement: usualPlacement };
  const result = placement === usualPlacement ? usual : inTheirPlaces(usual, names, items, order);
  const isSame = result.length === list.length && result.every((item, at) => item === list[at]);
  return isSame ? current : unlessEmptied(result, current);
}

/** The items of a list, new ones in the places where a client put them. */
function inTheirPlaces(
  usual: readonly Json[],
  names: readonly (string | number)[],
  items: ReadonlyMap<string | number, Json>,
  order: Json | undefined,
): readonly Json[] {
  const shown = namesShown(order);
  const places = new Map(
    [...names.entries()].flatMap(([at, name]): (readonly [Json, number])[] => {
      const item = items.get(name);
      return item === undefined || shown.has(name) ? [] : [[item, at]];
    }),
  );
  const result = usual.filter((item) => !places.has(item));
  for (const [item, at] of places) result.splice(at, 0, item);
  return result;
}

/** The names of the items that a list showed when the leaf of its order was made. */
function namesShown(order: Json | undefined): ReadonlySet<Json> {
  const leaf = order === undefined ? undefined : readLeaf(order);
  return new Set(leaf !== undefined && leaf !== "node" && isArray(leaf.shown) ? leaf.shown : []);
}

/** Whether a list no longer has an item that it showed. Not every item that was shown has left a trace in the tree. */
function hasLost(tree: Tree, items: IdentifiedItems["items"]): boolean {
  if ([...namesShown(tree[orderKey])].some((name) => typeof name === "string" && !items.has(name)))
    return true;
  return Object.entries(tree).some(
    ([name, child]) =>
      name !== orderKey && !isMark(name) && !items.has(fromChild(name)) && wasShown(child, 0),
  );
}

/** Whether the other version showed something of what a tree is about. */
function wasShown(tree: Json, depth: number): boolean {
  const leaf = readLeaf(tree);
  if (leaf !== "node") return leaf?.shown !== undefined;
  if (depth >= deepest) return false;
  return Object.entries(tree as Tree).some(
    ([name, child]) => name !== orderKey && !isMark(name) && wasShown(child, depth + 1),
  );
}

interface IdentifiedItems {
  readonly items: Map<string | number, Json>;
  readonly others: ReadonlyMap<string, readonly Json[]>;
}

const noOthers: IdentifiedItems["others"] = new Map();

/**
 * The items of a list by their keys, in order. Where several have the same key, or an item has none, it stands in the map
 * under its index; the `others` are these items by the keys that they share.
 */
function identified(list: readonly Json[], keys: readonly string[]): IdentifiedItems {
  const distinct = keyedItems(list, keys);
  if (distinct !== undefined) return { items: distinct, others: noOthers };
  const names = list.map((item) => (isObject(item) ? keyName(item, keys) : undefined));
  const items = new Map<string | number, Json>();
  const others = new Map<string, Json[]>();
  const known = new Set<string>();
  for (const name of names) {
    if (name !== undefined && known.has(name)) others.set(name, []);
    else if (name !== undefined) known.add(name);
  }
  for (const [index, name] of names.entries()) {
    const item = list[index] as Json;
    const same = name === undefined ? undefined : others.get(name);
    same?.push(item);
    items.set(name === undefined || same !== undefined ? index : name, item);
  }
  return { items, others };
}

function placeOf(list: readonly Json[], item: Json | undefined): number | undefined {
  return item === undefined ? undefined : list.indexOf(item);
}

/**
 * The items in the stored order, unless the shown items have changed their order since. Those that a client has written anew
 * stay where it put them.
 */
function inOrder(
  items: ReadonlyMap<string | number, Json>,
  tree: Json,
  written: ReadonlySet<string | number>,
): readonly Json[] {
  const leaf = readLeaf(tree);
  if (leaf === undefined || leaf === "node" || !isArray(leaf.value)) return [...items.values()];
  const names = [...items.keys()];
  const readings = [leaf.shown, leaf.defaulted].map((list) => new Set<Json>(isArray(list) ? list : []));
  const unchanged = readings.filter((reading) => isOrderKept(reading, written));
  const [shown] = unchanged.sort((a, b) => b.size - a.size);
  if (shown === undefined) return [...items.values()];
  const isKnown = (name: Json) => typeof name === "string" && items.has(name);
  const isNew = (name: Json) => typeof name === "string" && written.has(name) && !shown.has(name);
  const remembered = leaf.value.filter((name): name is string => isKnown(name) && !isNew(name));
  const order = behindWritten(names, remembered, written);
  return order.flatMap((name) => (items.has(name) ? [items.get(name) as Json] : []));
}

/**
 * All names in the order of the remembered ones, each hidden item behind the written one that it followed. New items stay
 * between the written ones where a client put them: to a version that hides items, no other order would look the same.
 */
function behindWritten(
  names: readonly (string | number)[],
  remembered: readonly string[],
  written: ReadonlySet<string | number>,
): readonly (string | number)[] {
  const ahead: string[] = [];
  const runs: string[][] = [];
  for (const name of remembered) {
    if (!written.has(name)) (runs.at(-1) ?? ahead).push(name);
    else runs.push(runs.length === 0 ? [...ahead, name] : [name]);
  }
  const inPlace = new Set<string | number>(remembered);
  const next = runs.values();
  const placed = names.flatMap((name): readonly (string | number)[] => {
    if (!inPlace.has(name)) return [name];
    return written.has(name) ? (next.next().value ?? []) : [];
  });
  return runs.length === 0 ? [...placed, ...ahead] : placed;
}

/** Whether a client has left the items that were shown in their order. */
function isOrderKept(shown: ReadonlySet<Json>, written: ReadonlySet<string | number>): boolean {
  const now = [...written].filter((name) => typeof name === "string" && shown.has(name));
  const then = [...shown].filter((name) => typeof name === "string" && written.has(name));
  return equal(now, then);
}

/** The result, unless it is empty: a container that lost all its content is removed, and one that was absent is not made. */
function unlessEmptied<Container extends JsonObject | readonly Json[]>(
  result: Container,
  before: Json | undefined,
): Json | undefined {
  if (!isEmpty(result)) return result;
  return before === undefined || before === null || isEmpty(before) ? before : undefined;
}
