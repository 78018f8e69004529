import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { hasNoFields, isArray, isObject, type Json, type JsonObject, own, ownField } from "../json/json.ts";
import { withoutNulls } from "../json/merge-patch.ts";
import { hiddenScalars, isAligned, isMark, keysOfNode, mayBeChanged } from "./aligned-list.ts";
import { keyedItems, underKeysOfNode } from "./keyed-list.ts";
import { orderKey, readLeaf } from "./leaf.ts";
import { placeIn } from "./narrow.ts";
import { below, isEntry, type Shape } from "./shape.ts";
import { fromChild } from "./tree.ts";

// An item of a keyed list that the way back does not make comes back after each write, since the other version cannot remove what it
// does not show. But the other version may show it as another item: a key `a:b` of a Lock at v1 is the text `a:b` in v1beta1, of
// which the way back makes the key `a`. If a client removes that text, the key `a:b` must not come back. So of a list that lost an
// item that it showed, the others come back only if the writer then sees no item that it did not write.

/** The names of the children that lead to a leaf of a tree. */
export type LeafPath = readonly string[];

/** The paths of all leaves of a tree, with a path in front of each. */
export function leafPathsOf(tree: Json, path: LeafPath): readonly LeafPath[] {
  if (readLeaf(tree) !== "node" || !isObject(tree)) return [path];
  return Object.keys(tree).flatMap((name) =>
    isMark(name) ? [] : leafPathsOf(tree[name] as Json, [...path, name]),
  );
}

/**
 * The leaves of items of keyed lists, of objects in maps and of scalars in changed lists that an object does not have. The name of
 * a scalar is its JSON.
 */
export function leavesOfReturned(
  tree: Json | undefined,
  current: Json | undefined,
  shape: Shape | undefined,
  path: LeafPath = [],
): readonly LeafPath[] {
  const leaf = tree === undefined ? undefined : readLeaf(tree);
  if (tree === undefined || leaf === undefined) return [];
  if (leaf !== "node") {
    const hidden = equal(current, leaf.shown) ? [] : hiddenScalars(current, leaf);
    if (hidden.length > 0 && mayBeChanged(current, leaf)) return [path];
    return hidden.map((each) => [...path, writeJson(each)]);
  }
  if (!isObject(tree) || isAligned(tree)) return [];
  const keys = keysOfNode(tree) ?? shape?.keys;
  const written = keys && keyedItems(isArray(current) ? current : [], keys);
  const items = keys && written && underKeysOfNode(written, tree, keys);
  return Object.entries(tree).flatMap(([name, child]) => {
    if (isMark(name) || name === orderKey) return [];
    const field = fromChild(name);
    const next = [...path, name];
    if (keys === undefined) {
      const value = own(current, field);
      if (value === undefined && isEntry(shape, field)) return leafPathsOf(child, next);
      return leavesOfReturned(child, value, below(shape, field), next);
    }
    const item = items?.get(field);
    return item === undefined ? leafPathsOf(child, next) : leavesOfReturned(child, item, shape?.items, next);
  });
}

/**
 * Whether an image has an item of a list, or an object in a map, that neither its writer nor another image has. What came back of
 * an object in a map says nothing else to the writer, if the writer removed the object: the rest was shown to it. Of a list that
 * lost no item that it showed, items count by the same rule.
 */
export function addsItem(
  image: Json | undefined,
  said: Json | undefined,
  other: Json | undefined,
  shape: Shape | undefined,
  hasLostItem: boolean,
): boolean {
  if (image === said || image === other) return false;
  if (isObject(image))
    return Object.keys(image).some((name) => {
      // The writer could not say a field that its CRD has no place for.
      if (shape !== undefined && placeIn(shape, name) === undefined) return false;
      const [shown, mine, its] = [ownField(image, name), own(said, name), own(other, name)];
      const isNew = mine === undefined && its === undefined && isObject(shown) && isEntry(shape, name);
      return (isNew && hasNoFields(shown)) || addsItem(shown, mine, its, below(shape, name), hasLostItem);
    });
  if (!isArray(image)) return false;
  const known = [said, other].map((list) => (isArray(list) ? list : []));
  const keys = shape?.keys;
  const [shown, ...items] = keys === undefined ? [] : [image, ...known].map((list) => keyedItems(list, keys));
  const [written, plain] = items;
  if (keys === undefined || shown === undefined || written === undefined || plain === undefined)
    return hasOther(image, known.flat());
  return [...shown].some(([name, item]: readonly [string, JsonObject]) => {
    const [mine, its] = [written.get(name), plain.get(name)];
    const isNew = mine === undefined && its === undefined;
    const isBare = hasLostItem || Object.keys(item).every((field) => keys.includes(field));
    return (isNew && isBare) || addsItem(item, mine, its, shape?.items, hasLostItem);
  });
}

/** Whether a list has an item that others lack. A field that is null counts as absent: the API server may have dropped it. */
function hasOther(list: readonly Json[], others: readonly Json[]): boolean {
  const [items, known] = [list, others].map((each) => each.map(withoutNulls)) as [Json[], Json[]];
  return items.some((item) => !known.some((each) => equal(item, each)));
}
