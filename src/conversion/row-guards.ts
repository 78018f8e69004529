import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { childOfItem, isAligned, isMark, keysOfNode } from "./aligned-list.ts";
import { keyedItems } from "./keyed-list.ts";
import { isHiddenLeaf, leafOf, readLeaf } from "./leaf.ts";
import type { FieldSteps, GroupedField, GroupedObject } from "./row-groups.ts";
import { below, type Shape } from "./shape.ts";
import { fromChild, sorted, type Tree, toChild } from "./tree.ts";

// A leaf of a field that the other version never shows has no shown value to compare. The other fields of its group guard it: of
// `{ matchType: "=", regex: false }` the flag must not come back beside a matchType that says otherwise.

/** Whether any object below a place has a group of several fields. */
export function hasGuards({ object, below: fields, items }: GroupedField): boolean {
  const places = [...fields.values(), ...(items === undefined ? [] : [items])];
  return (object?.groups.some(({ here }) => here.length > 1) ?? false) || places.some(hasGuards);
}

/** A tree in which each leaf that is never shown stands beside leaves of the fields that are mapped along with it. */
export function withRowGuards(
  tree: Tree | undefined,
  source: JsonObject,
  grouped: GroupedField,
  shape: Shape,
): Tree | undefined {
  return tree === undefined ? undefined : (sorted(guarded(tree, source, grouped, shape)) as Tree);
}

function guarded(
  tree: Tree,
  source: Json | undefined,
  { object, below: fields, items }: GroupedField,
  shape: Shape | undefined,
): Tree {
  if (readLeaf(tree) !== "node") return tree;
  if (items !== undefined && isArray(source)) return guardedItems(tree, source, items, shape);
  let result = tree;
  for (const { here } of object?.groups ?? []) {
    if (!here.some((path) => isHiddenLeaf(childAt(tree, path)))) continue;
    for (const path of here) {
      const value = get(source, ...path) ?? undefined;
      if (value !== undefined && !isReached(tree, path))
        result = set(result, ...steps(path.map(toChild)), leafOf(value, value, undefined, false));
    }
  }
  for (const name of items === undefined ? [] : Object.keys(result)) {
    const [child, value] = [own(result, name), own(source, fromChild(name))];
    if (isObject(child) && items !== undefined && !isMark(name))
      result = set(result, name, guarded(child, value, items, below(shape, fromChild(name))));
  }
  for (const [name, inner] of fields) {
    const child = own(result, toChild(name));
    if (isObject(child))
      result = set(result, toChild(name), guarded(child, own(source, name), inner, below(shape, name)));
  }
  return result;
}

function guardedItems(
  tree: Tree,
  source: readonly Json[],
  grouped: GroupedField,
  shape: Shape | undefined,
): Tree {
  const keys = keysOfNode(tree) ?? shape?.keys;
  const items: ReadonlyMap<string, Json> | undefined = isAligned(tree)
    ? new Map(source.map((item, index) => [childOfItem(index), item]))
    : keys && keyedItems(source, keys);
  const children = Object.entries(tree).map(([name, child]): [string, Json] => {
    const item = items?.get(name) ?? items?.get(fromChild(name));
    const isItem = !isMark(name) && item !== undefined && isObject(child);
    return [name, isItem ? guarded(child, item, grouped, shape?.items) : child];
  });
  return Object.fromEntries(children);
}

/** A node without the leaves of groups of which one must not come back (see `isOutdated`): they come back together or not at all. */
export function withoutOutdated(
  node: Tree,
  current: JsonObject,
  { groups, imageOf, isGuarded }: GroupedObject,
  shape: Shape | undefined,
  holds: Holds,
): Tree {
  return groups.reduce((left, { here, there }) => {
    const targets = there.map((each) => each.path);
    const isGroupOutdated =
      here.length > 1 &&
      here.some(
        (path) =>
          isHiddenLeaf(childAt(node, path)) &&
          isOutdated(path, here, targets, node, current, { imageOf, isGuarded }, shape, holds),
      );
    if (!isGroupOutdated) return left;
    return here.reduce<Tree>((rest, path) => set(rest, ...steps(path.map(toChild)), undefined), left);
  }, node);
}

/** Whether a value is what the leaf, or the leaves, of its place showed when they were made. */
type Holds = (current: Json | undefined, child: Json, shape: Shape | undefined) => boolean;

/**
 * Whether a field must not come back: the other version never shows it, another field of its group shows something else by now,
 * or nothing, and the group would make something else of this field than of those.
 */
function isOutdated(
  path: FieldSteps,
  group: readonly FieldSteps[],
  targets: readonly FieldSteps[],
  node: Tree,
  current: JsonObject,
  { imageOf, isGuarded }: Pick<GroupedObject, "imageOf" | "isGuarded">,
  shape: Shape | undefined,
  holds: Holds,
): boolean {
  const others = group.filter((other) => other !== path);
  const isKept = (other: FieldSteps) => {
    const [child, now] = [childAt(node, other), get(current, ...other) ?? undefined];
    // A field that was shown has a leaf. One that was not shown is kept as long as nothing stands in its place.
    return child === undefined ? now === undefined : holds(now, child, other.reduce(below, shape));
  };
  if (others.every(isKept)) return false;
  const leaf = readLeaf(childAt(node, path) ?? null);
  if (leaf === undefined || leaf === "node") return false;
  const said = (valueAt: (other: FieldSteps) => Json | undefined, fields: readonly FieldSteps[] = others) =>
    imageOf(
      fields.reduce<JsonObject>((object, other) => {
        const value = valueAt(other);
        return value === undefined ? object : set(object, ...steps(other), value);
      }, {}),
    );
  const alone = said(() => leaf.value, [path]);
  const written = (other: FieldSteps) => get(current, ...other) ?? undefined;
  const now = said(written);
  const isOther = targets.some((target) => {
    const [mine, theirs] = [alone, now].map((image) => get(image, ...target));
    return mine !== undefined && !equal(mine, theirs ?? null);
  });
  if (isGuarded || !isOther) return isOther;
  // Without guards nothing says what has changed: the field stays if the group shows the same with it.
  const both = said((other) => (other === path ? leaf.value : written(other)), group);
  return targets.some((target) => !equal(get(both, ...target) ?? null, get(now, ...target) ?? null));
}

/** The child of a tree for a field; undefined where a leaf stands above it. */
function childAt(tree: Tree, path: FieldSteps): Json | undefined {
  return path.reduce<Json | undefined>((here, name) => own(here, toChild(name)), tree);
}

/** Whether a tree has a child for a field, or a leaf on the way to it. */
function isReached(tree: Tree, path: FieldSteps): boolean {
  let here: Json | undefined = tree;
  for (const name of path) {
    if (here !== undefined && readLeaf(here) !== "node") return true;
    here = own(here, toChild(name));
  }
  return here !== undefined;
}

function steps(path: FieldSteps): [string, ...string[]] {
  const [first = "", ...rest] = path;
  return [first, ...rest];
}
