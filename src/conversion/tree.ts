import { define, fieldAt, isArray, isObject, type Json, type JsonObject, settled } from "../json/json.ts";

/**
 * Leaves (see leaf.ts) in a tree that mirrors the object they belong to, so that server-side apply owns each of them
 * separately: `{"spec":{"climate":{"mode":{"=":"Heat"}}}}`. Items of a keyed list stand under their key, fields under their
 * name; a name that starts with a mark is escaped by a backslash. Children are sorted by name, so that equal trees have
 * equal text.
 */
export type Tree = JsonObject;

/** Builds a tree from children in any order, sorted by name in the end. */
export class GrowingTree {
  #node: Record<string, Json> | undefined;
  #last = "";
  #isInOrder = true;
  #children = 0;

  /** Adds the child for a field or key, unless it is undefined. */
  add(field: string, child: Tree | undefined): void {
    if (child !== undefined) this.put(toChild(field), child);
  }

  /** Adds a child whose name is not escaped. */
  put(name: string, child: Json): void {
    this.#node ??= {};
    // Most come in order, as an API server sorts its keys.
    if (this.#children++ > 0 && name < this.#last) this.#isInOrder = false;
    this.#last = name;
    define(this.#node, name, child);
  }

  isEmpty(): boolean {
    return this.#node === undefined;
  }

  /** The tree; undefined when it has no children. */
  grown(): Tree | undefined {
    if (this.#node === undefined) return undefined;
    return this.#isInOrder ? settled(this.#node, this.#children) : inOrder(this.#node);
  }
}

/** An object with its keys sorted; the very same object where they are sorted already, as most are. */
export function inOrder(object: JsonObject): JsonObject {
  let last = "";
  for (const key in object) {
    if (key < last) return reordered(object);
    last = key;
  }
  return object;
}

function reordered(object: JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  const keys = Object.keys(object).sort();
  for (const key of keys) define(result, key, fieldAt(object, key));
  return settled(result, keys.length);
}

/** The name of the child for a field or key. */
export function toChild(name: string): string {
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

/** The field or key that the name of a child stands for. */
export function fromChild(name: string): string {
  return name.startsWith("\\") ? name.slice(1) : name;
}

/** A value with the keys of all its objects sorted, so that equal content has equal text. */
export function sorted<Value extends Json>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return sortedItems(value) as Value;
  return isObject(value) ? (sortedFields(value) as Value) : value;
}

function sortedFields(object: JsonObject): JsonObject {
  let changed: Record<string, Json> | undefined;
  let last = "";
  let isInOrder = true;
  for (const key in object) {
    if (isInOrder && key < last) isInOrder = false;
    last = key;
    const before = fieldAt(object, key);
    // Most fields are scalars.
    if (typeof before !== "object" || before === null) continue;
    const after = sorted(before);
    if (after === before) continue;
    changed ??= { ...object };
    define(changed, key, after);
  }
  const result = changed ?? object;
  return isInOrder ? result : reordered(result);
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
