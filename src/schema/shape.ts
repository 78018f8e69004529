import { isInteger, isNumber } from "../json/exact.ts";
import { define, get, isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";

/** What a structural schema says of a value's place and type, compiled once; ranges and rules are not its business. */
export interface Shape {
  readonly admits: (value: Json) => boolean;
  readonly properties: ReadonlyMap<string, Shape>;
  /** The shape of values under other keys; absent where other keys have no place. */
  readonly additional?: Shape;
  readonly items?: Shape;
  /** `x-kubernetes-list-map-keys` of a list of type map. */
  readonly keys?: readonly string[];
  /** Whether null may stand for it. */
  readonly nullable: boolean;
  /** Whether an object is taken or left as a whole (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean;
  /** Whether unknown fields are kept as they are (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserved: boolean;
}

/** Compiles the shape of a schema, `openAPIV3Schema` or a part of it. */
export function shapeOf(schema: Json | undefined): Shape {
  const properties = get(schema, "properties");
  const additional = get(schema, "additionalProperties");
  const items = get(schema, "items");
  const keys = get(schema, "x-kubernetes-list-map-keys");
  return {
    admits: typeCheck(schema),
    properties: new Map(
      isObject(properties) ? Object.entries(properties).map(([key, below]) => [key, shapeOf(below)]) : [],
    ),
    ...(isObject(additional)
      ? { additional: shapeOf(additional) }
      : additional === true
        ? { additional: anything }
        : {}),
    ...(items === undefined ? {} : { items: shapeOf(items) }),
    ...(isArray(keys) ? { keys: keys.filter((key) => typeof key === "string") } : {}),
    nullable: get(schema, "nullable") === true,
    atomic: get(schema, "x-kubernetes-map-type") === "atomic",
    preserved: get(schema, "x-kubernetes-preserve-unknown-fields") === true,
  };
}

/** The shape of a whole custom resource, where apiVersion, kind and metadata always have their place (kubernetes.md 2.3). */
export function resourceShapeOf(schema: Json | undefined): Shape {
  const shape = shapeOf(schema);
  const always = ["apiVersion", "kind", "metadata"].map((key) => [key, anything] as const);
  return { ...shape, properties: new Map([...shape.properties, ...always]) };
}

/**
 * The part of an object that has a place and the right type in a shape: everything else is left out, nothing is added,
 * and a container that only this emptied goes too. The very same object comes back when all of it fits. Null fits
 * everywhere: it says that there is no value.
 */
export function fitInto(value: JsonObject, shape: Shape): JsonObject {
  return (fitted(value, shape) ?? {}) as JsonObject;
}

/** The keys by which the items of the list at a path are told apart; undefined where the list has none. */
export function listKeysAt(shape: Shape, path: Path): readonly string[] | undefined {
  let here: Shape | undefined = shape;
  for (const step of path) {
    here = typeof step === "number" ? here?.items : below(here, step);
  }
  return here?.keys;
}

/** The shape of the value under a key of an object; undefined where the schema says nothing about it. */
export function below(shape: Shape | undefined, key: string): Shape | undefined {
  return shape?.properties.get(key) ?? shape?.additional;
}

const anything: Shape = {
  admits: () => true,
  properties: new Map(),
  nullable: true,
  atomic: false,
  preserved: true,
};

function fitted(value: Json, shape: Shape): Json | undefined {
  if (value === null) return value;
  if (!shape.admits(value)) return undefined;
  if (isArray(value)) return shape.items === undefined ? value : fittedItems(value, shape.items, shape.keys);
  return isObject(value) ? fittedFields(value, shape) : value;
}

function fittedItems(
  items: readonly Json[],
  shape: Shape,
  keys: readonly string[] = [],
): readonly Json[] | undefined {
  const from = items.findIndex((item) => fittedItem(item, shape, keys) !== item);
  if (from < 0) return items;
  const kept = items.slice(0, from);
  for (const item of items.slice(from)) {
    const part = fittedItem(item, shape, keys);
    if (part !== undefined) kept.push(part);
  }
  return kept.length > 0 ? kept : undefined;
}

/** An item has to be one: in a list, null is no way to say that there is none, and without its key it is nobody's. */
function fittedItem(item: Json, shape: Shape, keys: readonly string[]): Json | undefined {
  if (item === null) return shape.nullable ? item : undefined;
  const part = fitted(item, shape);
  return keys.every((key) => (own(part, key) ?? null) !== null) ? part : undefined;
}

function fittedFields(object: JsonObject, shape: Shape): JsonObject | undefined {
  let kept: Record<string, Json> | undefined;
  const keys = Object.keys(object);
  for (const key of keys) {
    const value = object[key] as Json;
    const part = fittedField(value, key, shape);
    // Most objects fit: the copy begins with the first field that does not.
    if (part !== value || part === undefined) kept ??= copyOf(object, keys.slice(0, keys.indexOf(key)));
    if (kept !== undefined && part !== undefined) define(kept, key, part);
  }
  if (kept === undefined) return object;
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** A lens written by hand may leave undefined behind, as JavaScript spreads it: a field that is not there. */
function fittedField(value: Json | undefined, key: string, shape: Shape): Json | undefined {
  if (value === undefined) return undefined;
  const within = below(shape, key);
  if (within !== undefined) return fitted(value, within);
  return shape.preserved ? value : undefined;
}

function copyOf(object: JsonObject, keys: readonly string[]): Record<string, Json> {
  const copy: Record<string, Json> = {};
  for (const key of keys) define(copy, key, object[key] as Json);
  return copy;
}

function typeCheck(schema: Json | undefined): (value: Json) => boolean {
  if (get(schema, "x-kubernetes-int-or-string") === true) {
    return (value) => typeof value === "string" || isInteger(value);
  }
  switch (get(schema, "type")) {
    case "object":
      return isObject;
    case "array":
      return isArray;
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "integer":
      return isInteger;
    case "number":
      return isNumber;
    default:
      return () => true;
  }
}
