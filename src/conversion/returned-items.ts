import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject, own, ownField } from "../json/json.ts";
import { isAligned, isMark, keysOfNode } from "./aligned-list.ts";
import { keyedItems } from "./keyed-list.ts";
import { orderKey, readLeaf } from "./leaf.ts";
import { below, type Shape } from "./shape.ts";
import { fromChild } from "./tree.ts";

// An item of a keyed list of which the way back makes an item with another key, as of the id `a:b` of one version the item `a`,
// has two entries in a tree: its own leaves, with nothing shown, since no item with its key comes back; and a leaf that takes the
// other item out. A client that removes the item in its version makes the other item go: then the first must not come back.

/** The names of the children that lead to a leaf of a tree. */
export type LeafPath = readonly string[];

/** The paths of all leaves of a tree, with a path in front of each. */
export function leafPathsOf(tree: Json, path: LeafPath): readonly LeafPath[] {
  if (readLeaf(tree) !== "node" || !isObject(tree)) return [path];
  return Object.keys(tree).flatMap((name) =>
    isMark(name) ? [] : leafPathsOf(tree[name] as Json, [...path, name]),
  );
}

/** Whether a child of a list's node takes out an item that the way back shows of its own accord. */
export function isTakeOut(child: Json): boolean {
  const leaf = readLeaf(child);
  return leaf !== undefined && leaf !== "node" && leaf.value === undefined && leaf.shown !== undefined;
}

/**
 * The leaves of items that may be those which a client removed: of a list in which an item that is to be taken out is gone, all
 * items that the object does not have.
 */
export function doubtfulLeavesOf(
  tree: Json | undefined,
  current: Json | undefined,
  shape: Shape | undefined,
  path: LeafPath = [],
): readonly LeafPath[] {
  if (tree === undefined || readLeaf(tree) !== "node" || !isObject(tree) || isAligned(tree)) return [];
  const children = Object.entries(tree).filter(([name]) => !isMark(name) && name !== orderKey);
  const keys = keysOfNode(tree) ?? shape?.keys;
  if (keys === undefined)
    return children.flatMap(([name, child]) => {
      const field = fromChild(name);
      return doubtfulLeavesOf(child, own(current, field), below(shape, field), [...path, name]);
    });
  const items = keyedItems(isArray(current) ? current : [], keys);
  const isAbsent = ([name]: readonly [string, Json]) => items?.has(fromChild(name)) !== true;
  const absent = children.filter(isAbsent);
  const isDoubtful = absent.some(([, child]) => isTakeOut(child));
  return [
    ...(isDoubtful ? absent.flatMap(([name, child]) => leafPathsOf(child, [...path, name])) : []),
    ...children.flatMap(([name, child]) =>
      doubtfulLeavesOf(child, items?.get(fromChild(name)), shape?.items, [...path, name]),
    ),
  ];
}

/** Whether an image has an item of a list that neither its writer nor another image has. */
export function addsItem(
  image: Json | undefined,
  said: Json | undefined,
  other: Json | undefined,
  shape: Shape | undefined,
): boolean {
  if (image === said || image === other) return false;
  if (isObject(image))
    return Object.keys(image).some((name) =>
      addsItem(ownField(image, name), own(said, name), own(other, name), below(shape, name)),
    );
  if (!isArray(image)) return false;
  const known = [said, other].map((list) => (isArray(list) ? list : []));
  const keys = shape?.keys;
  const [shown, ...items] = keys === undefined ? [] : [image, ...known].map((list) => keyedItems(list, keys));
  const [written, plain] = items;
  if (shown === undefined || written === undefined || plain === undefined)
    return image.some((item) => !known.flat().some((each) => equal(item, each)));
  return [...shown].some(([name, item]: readonly [string, JsonObject]) => {
    const [mine, its] = [written.get(name), plain.get(name)];
    return (mine === undefined && its === undefined) || addsItem(item, mine, its, shape?.items);
  });
}
