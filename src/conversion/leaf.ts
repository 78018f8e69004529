import { hasNoFields, isArray, isExactNumber, isObject, type Json } from "../json/json.ts";
import { sorted, type Tree } from "./tree.ts";

// The format of leaves. Nothing else knows the marks.

/**
 * One value that only one version can say. In a tree it is an object of up to three marks: `=` the value, `~` what the other
 * version showed in its place, `^` what it shows once the hub's defaults are filled in, where that is something else. An
 * absent mark stands for an absent value. `=` and `~` are separate fields, so that a partial object can lose `~` and keep
 * the value: server-side apply takes out the fields of other managers one by one.
 */
export interface Leaf {
  readonly value: Json | undefined;
  readonly shown: Json | undefined;
  /** The same as `shown` where there is no `^`. */
  readonly defaulted: Json | undefined;
}

/** The child under which a keyed list stores the order of its items: a leaf whose values are lists of keys. */
export const orderKey = "#order";

/** A leaf as it stands in a tree. `^` is written only if the defaulted value differs from the shown one. */
export function leafOf(
  value: Json | undefined,
  shown: Json | undefined,
  defaulted: Json | undefined,
  differs: boolean,
): Tree {
  if (!differs && shown === undefined && value !== undefined) return { "=": packed(value) };
  const leaf: Record<string, Json> = {};
  if (value !== undefined) leaf["="] = packed(value);
  if (differs) leaf["^"] = defaulted === undefined ? [] : packed(defaulted);
  if (shown !== undefined) leaf["~"] = packed(shown);
  return leaf;
}

/** The leaf of a field that neither version has. */
export const absentLeaf: Tree = { "~": [] };

/** Reads a leaf: "node" for a tree that is not one, undefined for a damaged leaf. */
export function readLeaf(node: Json): Leaf | "node" | undefined {
  if (!isObject(node)) return undefined;
  const { "=": value, "~": shown, "^": defaulted } = node;
  if (value === undefined && shown === undefined && defaulted === undefined) return "node";
  if (isDamaged(value) || isDamaged(shown) || isDamaged(defaulted)) return undefined;
  return {
    value: unpacked(value),
    shown: unpacked(shown),
    defaulted: unpacked(defaulted === undefined ? shown : defaulted),
  };
}

/** Whether a child of a node is a leaf whose value the other version does not show in any way. */
export function isHiddenLeaf(child: Json | undefined): boolean {
  const leaf = child === undefined ? undefined : readLeaf(child);
  if (leaf === undefined || leaf === "node") return false;
  return leaf.shown === undefined && leaf.defaulted === undefined;
}

/** A scalar as it is; anything else in a list of one, so that server-side apply owns it as a whole. */
function packed(value: Json): Json {
  return isScalar(value) ? value : [sorted(value)];
}

/** Whether a mark holds something that `packed` does not make. */
function isDamaged(mark: Json | undefined): boolean {
  return mark !== undefined && !isScalar(mark) && !(isArray(mark) && mark.length <= 1);
}

/** The value that a mark holds; undefined for no mark and for an empty list. */
function unpacked(mark: Json | undefined): Json | undefined {
  return isArray(mark) ? mark[0] : mark;
}

/** Whether a value is neither null nor a map nor a list. */
export function isScalar(value: Json): boolean {
  return typeof value === "object" ? isExactNumber(value) : true;
}

/** Whether a value is an empty list or an empty object. */
export function isEmpty(value: Json | undefined): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && hasNoFields(value);
}
