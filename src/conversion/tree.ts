import { define, isArray, isExactNumber, isObject, type Json, type JsonObject } from "../json/json.ts";

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
  return {
    ...(mine === undefined ? {} : { "=": packed(mine) }),
    ...(differs ? { "^": defaulted === undefined ? [] : packed(defaulted) } : {}),
    ...(shown === undefined ? {} : { "~": packed(shown) }),
  };
}

/** What a leaf says; undefined for a node, and for a leaf that is damaged. */
export function readLeaf(node: Json): Leaf | "node" | undefined {
  if (!isObject(node)) return undefined;
  if (!marks.some((mark) => Object.hasOwn(node, mark))) return "node";
  const [mine, shown, changed] = [node["="], node["~"], node["^"]].map(unpacked);
  if (mine === undefined || shown === undefined || changed === undefined) return undefined;
  const defaulted = Object.hasOwn(node, "^") ? changed : shown;
  return { mine: mine.value, shown: shown.value, defaulted: defaulted.value };
}

/** A tree from its children, by name and in one order for the same content; undefined when there are none. */
export function nodeOf(children: ReadonlyMap<string, Tree>): Tree | undefined {
  if (children.size === 0) return undefined;
  const node: Record<string, Json> = {};
  for (const name of [...children.keys()].sort()) define(node, name, children.get(name) as Tree);
  return node;
}

/** A field's or key's name as a child's name. */
export function toChild(name: string): string {
  return /^[=~^#\\]/.test(name) ? `\\${name}` : name;
}

/** The field or key that a child's name stands for. */
export function fromChild(name: string): string {
  return name.startsWith("\\") ? name.slice(1) : name;
}

/** A value with the keys of its objects in one order, so that the same content is the same text. */
export function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) define(result, key, sorted(value[key] as Json));
  return result;
}

const marks = ["=", "~", "^"];

/** A scalar as it is; anything else in a list of one, which server-side apply takes or leaves as a whole. */
function packed(value: Json): Json {
  return isScalar(value) ? value : [sorted(value)];
}

/** The value that a mark holds, absent for no mark and for an empty list; undefined for what no value was packed into. */
function unpacked(mark: Json | undefined): { readonly value: Json | undefined } | undefined {
  if (mark === undefined || isScalar(mark)) return { value: mark };
  return isArray(mark) && mark.length <= 1 ? { value: mark[0] } : undefined;
}

function isScalar(value: Json): boolean {
  return isExactNumber(value) || (value !== null && typeof value !== "object");
}
