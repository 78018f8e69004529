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
  if (!differs && shown === undefined && mine !== undefined) return { "=": packed(mine) };
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

/** A tree in the making: children in any order, by name and in one order for the same content in the end. */
export class GrowingTree {
  #node: Record<string, Json> | undefined;
  #last = "";
  #isInOrder = true;
  #children = 0;

  /** Adds the child for a field or key; none where there is nothing to say of it. */
  add(field: string, child: Tree | undefined): void {
    if (child !== undefined) this.put(toChild(field), child);
  }

  /** The same for a child whose name is a mark. */
  put(name: string, child: Tree): void {
    this.#node ??= {};
    // Most come in order, as an API server sorts its keys.
    if (this.#children++ > 0 && name < this.#last) this.#isInOrder = false;
    this.#last = name;
    define(this.#node, name, child);
  }

  /** The tree; undefined when it has no children. */
  grown(): Tree | undefined {
    if (this.#node === undefined) return undefined;
    return this.#isInOrder ? settled(this.#node, this.#children) : inOrder(this.#node);
  }
}

/** An object with its keys in one order; the very same object where they are in it, as most are. */
function inOrder(object: JsonObject): JsonObject {
  let last = "";
  let isInOrder = true;
  for (const key in object) {
    if (key < last) isInOrder = false;
    last = key;
  }
  if (isInOrder) return object;
  const result: Record<string, Json> = {};
  const keys = Object.keys(object).sort();
  for (const key of keys) define(result, key, object[key] as Json);
  return settled(result, keys.length);
}

/** A field's or key's name as a child's name. */
function toChild(name: string): string {
  switch (name.charCodeAt(0)) {
    case 0x3d: // =
    case 0x7e: // ~
    case 0x5e: // ^
    case 0x23: // #
    case 0x5c: // \
      return `\\${name}`;
    default:
      return name;
  }
}

/** The field or key that a child's name stands for. */
export function fromChild(name: string): string {
  return name.startsWith("\\") ? name.slice(1) : name;
}

/** A value with the keys of its objects in one order, so that the same content is the same text. */
export function sorted(value: Json): Json {
  if (isArray(value)) return sortedItems(value);
  if (!isObject(value)) return value;
  let changed: Record<string, Json> | undefined;
  for (const key in value) {
    const before = value[key] as Json;
    const after = sorted(before);
    if (after === before) continue;
    changed ??= { ...value };
    define(changed, key, after);
  }
  return inOrder(changed ?? value);
}

function sortedItems(items: readonly Json[]): readonly Json[] {
  let changed: Json[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const before = items[at] as Json;
    const after = sorted(before);
    if (after === before) continue;
    changed ??= [...items];
    changed[at] = after;
  }
  return changed ?? items;
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
