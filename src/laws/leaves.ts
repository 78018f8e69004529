import { keyedItems } from "../conversion/keyed-list.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";

/** The path of a leaf: field names, items of keyed lists by their keys, elements of sets by their value. */
export type LeafPath = readonly LeafStep[];
type LeafStep = string | { readonly item: string; readonly keys: JsonObject } | { readonly element: Json };

/** A part of an object that server-side apply treats as a unit (structured-merge-diff, fieldpath). */
export interface ObjectLeaf {
  readonly path: LeafPath;
  readonly value: Json;
}

/**
 * The leaves of a value by the text of their paths, in order. The existence of an item of a keyed list is a leaf too.
 */
export function leavesOf(value: Json, schema: Json | undefined): ReadonlyMap<string, ObjectLeaf> {
  return visited(value, schema, false);
}

function visited(value: Json, schema: Json | undefined, hasEntries: boolean): Leaves {
  const leaves = new Map<string, ObjectLeaf>();
  visit(value, schema, [], leaves, hasEntries);
  return leaves;
}

type Leaves = ReadonlyMap<string, ObjectLeaf>;

/** The object that consists of these leaves. An item has its keys as soon as it has any leaf. */
export function assembled(leaves: Iterable<ObjectLeaf>): JsonObject {
  let object: Json = {};
  for (const { path, value } of leaves) object = placed(object, path, value);
  return object as JsonObject;
}

/**
 * A value with only the leaves that another value has too, as server-side apply prunes the merged object. The existence of an
 * object in a map counts, too (structured-merge-diff, typed/tofieldset.go, visitMapItems).
 */
export function restricted(merged: Json, pruned: Json, schema: Json | undefined): JsonObject {
  const [all, kept] = [merged, pruned].map((each) => visited(each, schema, true));
  return assembled([...(all ?? [])].filter(([name]) => kept?.has(name)).map(([, leaf]) => leaf));
}

/** The field of a leaf whose path has this text, as people read it. */
export function fieldOfName(name: string): string {
  const steps = JSON.parse(name) as readonly (
    | string
    | { readonly item: string }
    | { readonly element: Json }
  )[];
  return fieldOf(
    steps.map((step) =>
      typeof step === "string" ? step : "item" in step ? step.item : JSON.stringify(step.element),
    ),
  );
}

/** The text of a path, equal for equal paths. */
export function nameOfPath(path: LeafPath): string {
  return JSON.stringify(
    path.map((step) => (typeof step === "string" || "element" in step ? step : { item: step.item })),
  );
}

function visit(
  value: Json,
  schema: Json | undefined,
  path: LeafPath,
  leaves: Map<string, ObjectLeaf>,
  hasEntries: boolean,
): void {
  const add = (at: LeafPath, here: Json) => leaves.set(nameOfPath(at), { path: at, value: here });
  const keys = get(schema, "x-kubernetes-list-map-keys");
  const items = isArray(keys) ? keyedItems(value, keys.map(String)) : undefined;
  if (isArray(keys) && items !== undefined && items.size > 0) {
    for (const [item, fields] of items) {
      const own = Object.fromEntries(keys.map(String).map((key) => [key, fields[key] as Json]));
      const here = [...path, { item, keys: own }];
      add(here, own);
      const others = keys.map(String).reduce((rest, key) => set(rest, key, undefined), fields);
      if (Object.keys(others).length > 0) visit(others, get(schema, "items"), here, leaves, hasEntries);
    }
    return;
  }
  if (get(schema, "x-kubernetes-list-type") === "set" && isArray(value) && value.length > 0) {
    for (const element of value) add([...path, { element }], element);
    return;
  }
  const isAtomic = get(schema, "x-kubernetes-map-type") === "atomic";
  if (!isObject(value) || isAtomic || Object.keys(value).length === 0) {
    if (path.length > 0) add(path, value);
    return;
  }
  const others = get(schema, "additionalProperties");
  for (const [name, below] of Object.entries(value)) {
    const [here, field] = [[...path, name], get(schema, "properties", name)];
    const isEntry = field === undefined && isObject(others);
    if (hasEntries && isEntry && isObject(below)) add(here, {});
    visit(below, isEntry ? others : field, here, leaves, hasEntries);
  }
}

function placed(here: Json | undefined, [step, ...rest]: LeafPath, value: Json): Json {
  if (step === undefined) return isObject(here) && isObject(value) ? { ...value, ...here } : value;
  if (typeof step === "string") {
    const object = isObject(here) ? here : {};
    return set(object, step, placed(get(object, step), rest, value));
  }
  const list = isArray(here) ? here : [];
  if ("element" in step) return [...list, value];
  const names = Object.keys(step.keys);
  const index = list.findIndex((each) => isObject(each) && keyedItems([each], names)?.has(step.item));
  const after = placed(index < 0 ? step.keys : list[index], rest, rest.length === 0 ? step.keys : value);
  return index < 0 ? [...list, after] : list.with(index, after);
}
