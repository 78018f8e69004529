import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json } from "../json/json.ts";
import { byMark, childOfItem, keysOfNode, marksOf } from "./aligned-list.ts";
import { hidden } from "./item-origins.ts";
import type { Shape } from "./shape.ts";
import { GrowingTree, type Tree } from "./tree.ts";

// A list whose first item is a field of the other version: that item is known by its place. Its node has the second form of
// aligned-list.ts with an empty `#by`. The leaves of the first item stand below `#0`, and each further item is one leaf.

/** Whether a shape is that of such a list. */
export function isFirstList(shape: Shape | undefined): boolean {
  return shape?.namedBy?.length === 0;
}

/** Whether a node is that of such a list. */
export function isFirstNode(node: Tree): boolean {
  return keysOfNode(node)?.length === 0;
}

/** The list, and what came back of it, without and with defaults. */
interface FirstList {
  readonly source: Json | undefined;
  readonly roundTripped: Json | undefined;
  readonly defaulted: Json | undefined;
}

/**
 * The node of such a list, given what compares its items: none where all came back. `leaf` for a list that is one leaf: of
 * values that are no objects, or of which no item came back.
 */
export function nodeOfFirst(
  { source, roundTripped, defaulted }: FirstList,
  compareItem: (item: Json, returned: Json | undefined, filledIn: Json | undefined) => Tree | undefined,
): Tree | undefined | "leaf" {
  if (!isArray(source) || !isArray(roundTripped) || !isArray(defaulted)) return "leaf";
  const shown = [roundTripped, defaulted];
  const areFirst = shown.every((list) => list.length === 1) && source.length > 0;
  if (!areFirst || ![source, ...shown].every((list) => list.every(isObject))) return "leaf";
  const tree = new GrowingTree();
  for (const [index, item] of source.entries()) {
    const child = compareItem(item, roundTripped[index], defaulted[index]);
    if (child !== undefined) tree.put(childOfItem(index), child);
  }
  if (tree.isEmpty()) return undefined;
  const origins = source.map((_, index) => (index === 0 ? 0 : hidden));
  const marks = { ...marksOf(origins, roundTripped, defaulted, undefined), [byMark]: [] };
  for (const [name, mark] of Object.entries(marks)) tree.put(name, mark);
  return tree.grown();
}

/** Puts the leaves of a node back into a list, if it has a first item: all else went with that. */
export function putFirstBack(
  current: Json | undefined,
  node: Tree,
  putItemBack: (item: Json | undefined, child: Json) => Json | undefined,
): Json | undefined {
  if (!isArray(current) || current.length !== 1) return current;
  const items = Object.keys(node).filter((name) => /^#\d{1,9}$/.test(name));
  const last = Math.max(0, ...items.map((name) => Number(name.slice(1))));
  const result = Array.from({ length: Math.min(last, items.length) + 1 }, (_, index) => {
    const child = node[childOfItem(index)];
    return child === undefined ? current[index] : putItemBack(current[index], child);
  }).filter((item) => item !== undefined);
  return equal(result, current) ? current : result;
}
