import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { fieldAt, isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { type Leaf, readLeaf } from "./leaf.ts";
import { fromChild, type Tree, toChild } from "./tree.ts";

/** The items of a keyed list by the names of their keys, in the list's order. */
export type KeyedItems = ReadonlyMap<string, JsonObject>;

/** The items of a list by their keys, as a new map; undefined unless it is a list of objects that all have distinct keys. */
export function keyedItems(list: Json, keys: readonly string[]): Map<string, JsonObject> | undefined {
  if (!isArray(list)) return undefined;
  const items = new Map<string, JsonObject>();
  for (const item of list) {
    if (!isObject(item)) return undefined;
    const name = keyName(item, keys);
    if (name === undefined || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** One text for an item's keys, which are scalars: a single text key as it is, anything else as JSON. */
export function keyName(item: JsonObject, keys: readonly string[]): string | undefined {
  const [first] = keys;
  if (first !== undefined && keys.length === 1) {
    const value = own(item, first);
    return typeof value === "string" ? value : isKey(value) ? writeJson(value) : undefined;
  }
  const values = keys.map((key) => own(item, key));
  return values.every(isKey) ? writeJson(values) : undefined;
}

/**
 * Shown items under our keys: where the other version lacks a part of a key, the API server fills in its default, and an item
 * of ours comes back under another key. It stands for the only one that has the other parts of its key.
 */
export function underOurKeys(
  ours: KeyedItems,
  shown: KeyedItems,
  keys: readonly string[],
  defaults: JsonObject | undefined,
): KeyedItems {
  if (defaults === undefined) return shown;
  const stem = keys.filter((key) => own(defaults, key) === undefined);
  const changed = [...shown].filter(([name]) => !ours.has(name));
  if (stem.length === 0 || changed.length === 0) return shown;
  const [open, back] = [[...ours].filter(([name]) => !shown.has(name)), changed].map((items) =>
    Map.groupBy(items, ([, item]) => keyName(item, stem)),
  );
  const names = new Map(
    [...(back ?? [])].flatMap(([each, same]) => {
      const [mine, its] = [open?.get(each) ?? [], same];
      return mine.length === 1 && its.length === 1 ? [[its[0]?.[0], mine[0]?.[0]] as const] : [];
    }),
  );
  return new Map([...shown].map(([name, item]) => [names.get(name) ?? name, item]));
}

/**
 * Items that a client wrote, under the keys that a node has for them where its leaves say that a part of a key was shown otherwise. Of
 * several that may be meant it is the first one.
 */
export function underKeysOfNode<Name extends string | number>(
  items: Map<Name, Json>,
  node: Tree,
  keys: readonly string[],
): Map<Name, Json> {
  if (keys.length < 2) return items;
  const restored = new Map<string, ReadonlyMap<string, Name>>();
  const names = new Map<Name, Name>();
  for (const child in node) {
    const field = fromChild(child);
    const leaves = items.has(field as Name) ? [] : keyLeavesOf(fieldAt(node, child), keys);
    if (leaves.length === 0) continue;
    const said = writeJson(leaves.map(([key, leaf]) => [key, leaf.value ?? null, leaf.shown ?? null]));
    if (!restored.has(said) && restored.size < mostChanges)
      restored.set(said, byRestored(items, leaves, keys));
    const name = restored.get(said)?.get(field);
    if (name !== undefined && !names.has(name)) names.set(name, field as Name);
  }
  return names.size === 0
    ? items
    : new Map([...items].map(([name, item]) => [names.get(name) ?? name, item]));
}

/** The limit of different changes of keys in one list: each takes a look at all of its items. */
const mostChanges = 64;

/** The names of items that show what leaves of keys say that they showed, by the names that they get with the keys of ours. */
function byRestored<Name>(
  items: ReadonlyMap<Name, Json>,
  leaves: readonly KeyLeaf[],
  keys: readonly string[],
): ReadonlyMap<string, Name> {
  const found = new Map<string, Name>();
  for (const [name, item] of items) {
    const isShown = ([key, { shown, defaulted }]: KeyLeaf) =>
      [shown, defaulted].some((each) => equal(own(item, key), each));
    if (!isObject(item) || !leaves.every(isShown)) continue;
    const whole = leaves.reduce((here, [key, { value }]) => set(here, key, value), item);
    const restored = keyName(whole, keys);
    if (restored !== undefined && !found.has(restored)) found.set(restored, name);
  }
  return found;
}

type KeyLeaf = readonly [key: string, leaf: Leaf];

/** The leaves of an item's keys. */
function keyLeavesOf(node: Json, keys: readonly string[]): readonly KeyLeaf[] {
  return keys.flatMap((key) => {
    const leaf = readLeaf(own(node, toChild(key)) ?? null);
    return leaf === undefined || leaf === "node" ? [] : [[key, leaf] as const];
  });
}

function isKey(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && !isObject(value) && !isArray(value);
}
