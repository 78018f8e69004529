import { equal } from "../json/equal.ts";
import { define, isArray, isObject, type Json, type JsonObject, ownField, settled } from "../json/json.ts";
import { deepest, isEmpty } from "./complement.ts";
import { type KeyedItems, keyedItems, keyName } from "./keyed-list.ts";
import { orderKey, readLeaf } from "./leaf.ts";
import { below, type Shape } from "./shape.ts";
import { fromChild, type Tree } from "./tree.ts";

/**
 * Puts the leaves of a tree back into an object, each only where the object still shows what it showed when the leaf was
 * made: a client's later change wins. Clients can write trees, so damaged parts are ignored.
 */
export function restore(object: JsonObject, tree: Tree | undefined, shape: Shape): JsonObject {
  if (tree === undefined || readLeaf(tree) !== "node") return object;
  const restored = putBack(object, tree, shape, 0);
  return isObject(restored) ? restored : {};
}

function putBack(
  current: Json | undefined,
  tree: Json,
  shape: Shape | undefined,
  depth: number,
): Json | undefined {
  const leaf = readLeaf(tree);
  if (leaf === undefined || depth > deepest) return current;
  if (leaf !== "node") {
    return equal(current, leaf.shown) || equal(current, leaf.defaulted) ? leaf.value : current;
  }
  if (shape?.keys !== undefined) return putItemsBack(current, tree as Tree, shape, shape.keys, depth);
  // Null counts as absent, and leaves come back below it: server-side apply sends `spec: null`.
  if (current !== undefined && current !== null && !isObject(current)) return current;
  const inside = isObject(current) ? current : none;
  let result: Record<string, Json> | undefined;
  let gone: Set<string> | undefined;
  let added = 0;
  const node = tree as Tree;
  for (const name in node) {
    const child = node[name] as Json;
    const key = fromChild(name);
    const before = ownField(inside, key);
    const after = putBack(before, child, below(shape, key), depth + 1);
    if (after === before) continue;
    result ??= { ...inside };
    if (after !== undefined) define(result, key, after);
    else if (gone === undefined) gone = new Set([key]);
    else gone.add(key);
    if (before === undefined) added++;
  }
  if (result === undefined) return current;
  const left = gone === undefined ? result : without(result, gone);
  return unlessEmptied(added === 0 ? left : settled(left, Object.keys(left).length), current);
}

const none: JsonObject = {};

function without(object: JsonObject, taken: ReadonlySet<string>): Record<string, Json> {
  const rest: Record<string, Json> = {};
  for (const key in object) if (!taken.has(key)) define(rest, key, object[key] as Json);
  return rest;
}

function putItemsBack(
  current: Json | undefined,
  tree: Tree,
  shape: Shape,
  keys: readonly string[],
  depth: number,
): Json | undefined {
  const items = keyedItems(current ?? [], keys);
  if (items === undefined) return current;
  const returned: [string, JsonObject][] = [];
  for (const name in tree) {
    const child = tree[name] as Json;
    if (name === orderKey) continue;
    const key = fromChild(name);
    const before = items.get(key);
    const after = putBack(before, child, shape.items, depth + 1);
    if (after === before) continue;
    // An item comes back only with its own key: a deleted item stays deleted, a renamed one is another item.
    const isItem = isObject(after) && keyName(after, keys) === key;
    if (isItem && before === undefined) returned.push([key, after]);
    else if (isItem) items.set(key, after);
    else if (after === undefined) items.delete(key);
  }
  for (const [key, item] of returned.sort(([a], [b]) => (a < b ? -1 : 1))) items.set(key, item);
  const order = tree[orderKey];
  const list = order === undefined ? [...items.values()] : inOrder(items, order);
  const isSame =
    isArray(current) && list.length === current.length && list.every((item, at) => item === current[at]);
  return isSame ? current : unlessEmptied(list, current);
}

/** The items in the stored order, unless the shown items have changed their order since. */
function inOrder(items: KeyedItems, tree: Json): readonly Json[] {
  const leaf = readLeaf(tree);
  if (leaf === undefined || leaf === "node" || !isArray(leaf.value)) return [...items.values()];
  const shown = new Set(isArray(leaf.shown) ? leaf.shown : []);
  const names = [...items.keys()];
  const shownNow = names.filter((name) => shown.has(name));
  const shownThen = [...shown].filter((name) => typeof name === "string" && items.has(name));
  if (!equal(shownNow, shownThen)) return [...items.values()];
  const remembered = leaf.value.filter((name): name is string => typeof name === "string" && items.has(name));
  const inPlace = new Set(remembered);
  const next = inPlace.values();
  const placed = names.map((name) => (inPlace.has(name) ? (next.next().value ?? name) : name));
  return placed.flatMap((name) => items.get(name) ?? []);
}

/** The result, unless it is empty: a container that lost all its content is removed, and one that was absent is not made. */
function unlessEmptied<Container extends JsonObject | readonly Json[]>(
  result: Container,
  before: Json | undefined,
): Json | undefined {
  if (!isEmpty(result)) return result;
  return before === undefined || before === null || isEmpty(before) ? before : undefined;
}
