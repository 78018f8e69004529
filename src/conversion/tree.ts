import {
  define,
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  settled,
} from "../json/json.ts";

/**
 * Leaves as a tree that mirrors the object they belong to, so that server-side apply sees every leaf on its own:
 * `{"spec":{"climate":{"mode":{"=":"Heat"}}}}`. Items of a keyed list stand under their key, fields under their name;
 * a name that starts with one of the marks is escaped by a backslash.
 */
export type Tree = JsonObject;

/**
 * A leaf: `=` what we had, `~` what the far side showed in its place, `^` what it shows after the hub's defaults where
 * that is something else. An absent mark says that there was nothing. `=` and `~` are fields of their own, so that a
 * partial object can lose the guard and keep the value, as server-side apply's pruning needs it.
 */
export interface Leaf {
  readonly mine: Json | undefined;
  readonly shown: Json | undefined;
  readonly defaulted: Json | undefined;
}

/** The child under which a keyed list remembers the order of its items, as a leaf of keys. */
export const orderKey = "#order";

/** A leaf as it stands in a tree. What is after defaults is left out where it is what was shown. */
export function leafOf(
  mine: Json | undefined,
  shown: Json | undefined,
  defaulted: Json | undefined,
  differs: boolean,
): Tree {
  const leaf: Record<string, Json> = {};
  if (mine !== undefined) leaf["="] = packed(mine);
  if (differs) leaf["^"] = defaulted === undefined ? [] : packed(defaulted);
  if (shown !== undefined) leaf["~"] = packed(shown);
  return leaf;
}

/** What a leaf says; undefined for a node, and for a leaf that is damaged. */
export function readLeaf(node: Json): Leaf | "node" | undefined {
  if (!isObject(node)) return undefined;
  const { "=": mine, "~": shown, "^": filled } = node;
  if (mine === undefined && shown === undefined && filled === undefined) return "node";
  if (isDamaged(mine) || isDamaged(shown) || isDamaged(filled)) return undefined;
  return {
    mine: unpacked(mine),
    shown: unpacked(shown),
    defaulted: unpacked(filled === undefined ? shown : filled),
  };
}

/** A tree from its children, by name and in one order for the same content; undefined when there are none. */
export function nodeOf(children: readonly Child[]): Tree | undefined {
  if (children.length === 0) return undefined;
  const node: Record<string, Json> = {};
  for (const [name, child] of inOrder(children)) define(node, name, child);
  return settled(node, children.length);
}

type Child = readonly [name: string, child: Tree];

/** Most nodes have one child, or have them in order. */
function inOrder(children: readonly Child[]): readonly Child[] {
  for (let at = 1; at < children.length; at++) {
    if (byName(children[at - 1] as Child, children[at] as Child) > 0) return [...children].sort(byName);
  }
  return children;
}

function byName([a]: Child, [b]: Child): number {
  return a < b ? -1 : 1;
}

/** A field's or key's name as a child's name. */
export function toChild(name: string): string {
  return marks.has(name[0]) ? `\\${name}` : name;
}

const marks = new Set<string | undefined>(["=", "~", "^", "#", "\\"]);

/** The field or key that a child's name stands for. */
export function fromChild(name: string): string {
  return name.startsWith("\\") ? name.slice(1) : name;
}

/** A value with the keys of its objects in one order, so that the same content is the same text. */
export function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: Record<string, Json> = {};
  const keys = Object.keys(value).sort();
  for (const key of keys) define(result, key, sorted(value[key] as Json));
  return settled(result, keys.length);
}

/** A scalar as it is; anything else in a list of one, which server-side apply takes or leaves as a whole. */
function packed(value: Json): Json {
  return isScalar(value) ? value : [sorted(value)];
}

/** Whether a mark holds what no value was packed into. */
function isDamaged(mark: Json | undefined): boolean {
  return mark !== undefined && !isScalar(mark) && !(isArray(mark) && mark.length <= 1);
}

/** The value that a mark holds, absent for no mark and for an empty list. */
function unpacked(mark: Json | undefined): Json | undefined {
  return isArray(mark) ? mark[0] : mark;
}

/** Whether a value is neither null nor a map nor a list. */
export function isScalar(value: Json): boolean {
  return typeof value === "object" ? isExactNumber(value) : true;
}
