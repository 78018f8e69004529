import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { isAligned, isMark } from "./aligned-list.ts";
import { readLeaf } from "./leaf.ts";
import type { Shape } from "./shape.ts";
import { fromChild, type Tree } from "./tree.ts";

/** The hub as the lens alone makes it of what a spoke showed, and of what its client wrote. */
export interface Images {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * The leaves of the hub without those in objects that the client of a spoke removed, where such an object has required
 * fields: without these the rest of it would be invalid, so the client could not remove it at all. What only the hub has in
 * an object without required fields stays, as fields do that a client does not touch. `images` is asked only if the hub has
 * such objects among its leaves.
 */
export function withoutRemoved(tree: Tree, shape: Shape, images: () => Images): Tree {
  if (!hasRequired(tree, shape)) return tree;
  const { before, after } = images();
  return left(tree, shape, before, after) ?? {};
}

/** Whether leaves stand in an object that has required fields. */
function hasRequired(tree: Tree, shape: Shape): boolean {
  return nodesIn(tree, shape).some(
    ({ node, below }) => below.required.length > 0 || hasRequired(node, below),
  );
}

function left(tree: Tree, shape: Shape, before: Json | undefined, after: Json | undefined): Tree | undefined {
  let rest = tree;
  for (const { name, node, below } of nodesIn(tree, shape)) {
    const field = fromChild(name);
    const [then, now] = [get(before, field), get(after, field)];
    const isRemoved = now === undefined && below.required.some((each) => get(then, each) !== undefined);
    const kept = isRemoved ? undefined : left(node, below, then, now);
    if (kept !== node) rest = set(rest, name, kept);
  }
  return Object.keys(rest).some((name) => !isMark(name)) ? rest : undefined;
}

interface Node {
  /** The name of the child. */
  readonly name: string;
  readonly node: Tree;
  readonly below: Shape;
}

/** The objects that have leaves, and that the schema declares; not the items of lists, which go with their keys. */
function nodesIn(tree: Tree, { properties }: Shape): readonly Node[] {
  return Object.entries(tree).flatMap(([name, node]) => {
    const below = properties.get(fromChild(name));
    if (below === undefined || below.items !== undefined || isMark(name)) return [];
    if (!isObject(node) || readLeaf(node) !== "node" || isAligned(node)) return [];
    return [{ name, node, below }];
  });
}
