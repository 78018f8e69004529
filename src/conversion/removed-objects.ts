import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { isAligned, isMark, keysOfNode, putAlignedBack } from "./aligned-list.ts";
import { isFirstNode, putFirstBack } from "./first-list.ts";
import { keyName } from "./keyed-list.ts";
import { readLeaf } from "./leaf.ts";
import { below, isEntry, type Shape } from "./shape.ts";
import { fromChild, type Tree } from "./tree.ts";

/** The hub as the lens alone makes it of what a spoke showed, and of what its client wrote. */
interface Images {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * The leaves of the hub without those in objects that the client of a spoke removed: objects in a map, and those with required
 * fields, without which the rest would be invalid, so that the client could not remove it at all. What only the hub has in
 * another object stays, as fields do that a client does not touch. `images` is asked only if the hub has such objects among
 * its leaves.
 */
export function withoutRemoved(tree: Tree, shape: Shape, images: () => Images): Tree {
  if (!hasRemovable(tree, shape)) return tree;
  const { before, after } = images();
  return left(tree, shape, before, after) ?? {};
}

/** Whether leaves stand in an object that may be removed as a whole. */
function hasRemovable(tree: Tree, shape: Shape): boolean {
  return nodesIn(tree, shape).some(({ node, below, isInMap }) => {
    const { items } = below;
    if (items === undefined) return isInMap || below.required.length > 0 || hasRemovable(node, below);
    return Object.entries(node).some(([name, item]) => isNode(name, item) && hasRemovable(item, items));
  });
}

function left(tree: Tree, shape: Shape, before: Json | undefined, after: Json | undefined): Tree | undefined {
  let rest = tree;
  for (const each of nodesIn(tree, shape)) {
    const { name, node } = each;
    const field = fromChild(name);
    const kept = leftOfField(each, get(before, field), get(after, field));
    if (kept !== node) rest = set(rest, name, kept);
  }
  return unlessEmpty(rest);
}

function leftOfField(
  { node, below, isInMap }: Node,
  then: Json | undefined,
  now: Json | undefined,
): Tree | undefined {
  const { items, keys, required } = below;
  if (items !== undefined) return leftOfItems(node, items, keys, then, now);
  const wasThere = isInMap ? then !== undefined : required.some((each) => get(then, each) !== undefined);
  return now === undefined && wasThere ? undefined : left(node, below, then, now);
}

/** The same in the items that the client has left in a list. One that it removed does not come back in any case. */
function leftOfItems(
  node: Tree,
  shape: Shape,
  keys: readonly string[] | undefined,
  then: Json | undefined,
  now: Json | undefined,
): Tree | undefined {
  const [before, after] = [then, now].map((list) => itemsByChild(node, keys, list));
  let rest = node;
  for (const [name, item] of Object.entries(node)) {
    const [was, is] = [before?.get(name), after?.get(name)];
    if (was === undefined || is === undefined || !isNode(name, item)) continue;
    const kept = left(item, shape, was, is);
    if (kept !== item) rest = set(rest, name, kept);
  }
  return isAligned(rest) ? rest : unlessEmpty(rest);
}

/** The items of a list that the children of its node are about; none where several may be meant. */
function itemsByChild(
  node: Tree,
  schemaKeys: readonly string[] | undefined,
  list: Json | undefined,
): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  if (isAligned(node)) {
    const names = new Map(Object.entries(node).map(([name, child]) => [child, name]));
    (isFirstNode(node) ? putFirstBack : putAlignedBack)(list, node, (item, child) => {
      if (item !== undefined) found.set(names.get(child) ?? "", item);
      return item;
    });
    return found;
  }
  const keys = keysOfNode(node) ?? schemaKeys;
  if (keys === undefined) return found;
  const objects = isArray(list) ? list.filter((item) => isObject(item)) : [];
  const byName = Map.groupBy(objects, (item) => keyName(item, keys));
  for (const name of Object.keys(node)) {
    const [item, ...others] = byName.get(fromChild(name)) ?? [];
    if (item !== undefined && others.length === 0) found.set(name, item);
  }
  return found;
}

function unlessEmpty(tree: Tree): Tree | undefined {
  return Object.keys(tree).some((name) => !isMark(name)) ? tree : undefined;
}

interface Node {
  /** The name of the child. */
  readonly name: string;
  readonly node: Tree;
  readonly below: Shape;
  readonly isInMap: boolean;
}

/** The objects and lists that have leaves and that the schema declares. */
function nodesIn(tree: Tree, shape: Shape): readonly Node[] {
  return Object.entries(tree).flatMap(([name, node]) => {
    const field = fromChild(name);
    const inside = below(shape, field);
    if (inside === undefined || !isNode(name, node)) return [];
    return [{ name, node, below: inside, isInMap: isEntry(shape, field) }];
  });
}

function isNode(name: string, node: Json): node is Tree {
  return !isMark(name) && isObject(node) && readLeaf(node) === "node";
}
