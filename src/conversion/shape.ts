import { isInteger } from "../json/exact.ts";
import {
  define,
  fieldAt,
  hasNoFields,
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
  ownField,
} from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { Schema } from "../schema/model/schema.ts";

/**
 * What a structural schema says about the structure and types of values, compiled once, without ranges and rules. Every
 * shape has all properties, so that V8 gives all of them one hidden class.
 */
export interface Shape {
  /** The sorts of values that have the right type: a sum of `sorts`. */
  readonly takes: number;
  readonly properties: ReadonlyMap<string, Shape>;
  /** The properties that an object must have. */
  readonly required: readonly string[];
  /** The shape of values under other keys; undefined where other keys have no place. */
  readonly additional: Shape | undefined;
  readonly items: Shape | undefined;
  /** `x-kubernetes-list-map-keys` of a list of type map. */
  readonly keys: readonly string[] | undefined;
  /** The defaults of these keys, which the API server fills in where an item lacks them. */
  readonly keyDefaults: JsonObject | undefined;
  /**
   * Fields that identify the items of a list whose schema names no keys, as the author of the kind says (`listKeys`). None for a
   * list whose first item a row maps: that one is the first of every list.
   */
  readonly namedBy: readonly string[] | undefined;
  /** Whether null may stand for it: also where the schema names no type (kube-openapi, validation/validate/type.go). */
  readonly nullable: boolean;
  /** Whether an object is replaced as a whole (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean;
  /** Whether unknown fields are kept as they are (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserved: boolean;
}

/** Derives the shape of a schema, or of a part of one. */
function shapeOf(schema: Schema): Shape {
  const { properties, required, additional, allowsAdditional, items, keywords } = schema;
  const keys = keywords.has("x-kubernetes-list-map-keys") ? schema.listMapKeys : undefined;
  return {
    takes: sortsOf(schema),
    properties: new Map([...properties].map(([key, part]) => [key, shapeOf(part)])),
    required,
    additional: additional ? shapeOf(additional) : allowsAdditional ? anything : undefined,
    items: items && shapeOf(items),
    keys,
    keyDefaults: keys && items && defaultsOf(keys, items),
    namedBy: undefined,
    nullable: schema.nullable || (schema.type === "" && !schema.intOrString),
    atomic: schema.mapType === "atomic",
    preserved: schema.preserved === true,
  };
}

function defaultsOf(keys: readonly string[], items: Schema): JsonObject | undefined {
  const defaults = keys.flatMap((key): (readonly [string, Json])[] => {
    const value = items.properties.get(key)?.default ?? null;
    return value === null ? [] : [[key, value]];
  });
  return defaults.length === 0 ? undefined : Object.fromEntries(defaults);
}

/** The shape of a custom resource, where apiVersion, kind and metadata always have their place. */
export function resourceShapeOf(schema: Schema): Shape {
  const shape = shapeOf(schema);
  const identity = ["apiVersion", "kind", "metadata"].map((key) => [key, anything] as const);
  return { ...shape, properties: new Map([...shape.properties, ...identity]) };
}

/** Whether a key is one of a map, whose client chooses its keys, and not a field that the schema declares. */
export function isEntry(shape: Shape | undefined, key: string): boolean {
  return shape?.additional !== undefined && shape.additional !== anything && !shape.properties.has(key);
}

/**
 * A shape in which the items of a list are identified by fields, given the list's path, which leads through other lists.
 * Undefined where there is no list of objects with such fields, or where the schema names keys itself.
 */
export function withNamedItems(
  shape: Shape,
  path: readonly string[],
  fields: readonly string[],
): Shape | undefined {
  if (shape.items !== undefined && (path.length > 0 || shape.keys !== undefined)) {
    const items = path.length > 0 ? withNamedItems(shape.items, path, fields) : undefined;
    return items && { ...shape, items };
  }
  const [name, ...rest] = path;
  if (name === undefined) {
    if (shape.items === undefined) return undefined;
    const isNamed = fields.every((field) => shape.items?.properties.has(field));
    return isNamed ? { ...shape, namedBy: fields } : undefined;
  }
  const property = shape.properties.get(name);
  const below = property && withNamedItems(property, rest, fields);
  return below && { ...shape, properties: new Map(shape.properties).set(name, below) };
}

/**
 * The part of an object that has a place and the right type in a shape: everything else is left out, nothing is added,
 * and a container that only this emptied goes too, unless the shape requires it. The very same object comes back when all of
 * it fits. Null fits everywhere, since it counts as absent.
 */
export function fitInto(value: JsonObject, shape: Shape): JsonObject {
  return withRequired((fittedValue(value, shape) ?? {}) as JsonObject, value, shape);
}

/**
 * An object with the objects that a shape requires and that another object has at the same place: empty ones, where nothing of
 * them was left. Without them an API server would refuse what came of a valid object.
 */
export function withRequired(object: JsonObject, source: JsonObject, shape: Shape): JsonObject {
  let result = object;
  for (const name of shape.required) {
    const inner = shape.properties.get(name);
    const value = own(source, name);
    const kept = ownField(result, name);
    if (inner?.takes !== sorts.map || value === kept || !isObject(value)) continue;
    if (kept !== undefined && !isObject(kept)) continue;
    const required = withRequired(kept ?? {}, value, inner);
    if (required !== kept) result = { ...result, [name]: required };
  }
  return result;
}

/** Whether all of a value has a place and the right type in a shape. */
export function fits(value: Json, shape: Shape): boolean {
  return fittedValue(value, shape) === value;
}

/** The keys that identify the items of the list at a path; undefined where the list has none. */
export function listKeysAt(shape: Shape, path: Path): readonly string[] | undefined {
  return shapeAt(shape, path)?.keys;
}

/** Whether a schema says nothing of the type of the value at a path. */
export function isOpenAt(shape: Shape, path: Path): boolean {
  return (shapeAt(shape, path) ?? anything).takes === everySort;
}

/** Whether a schema has a place for the value at a path, or keeps what it does not know there. */
export function hasPlaceAt(shape: Shape, path: Path): boolean {
  return shapeAt(shape, path) !== undefined;
}

/** The shape of the value at a path: of any value where it is kept as it is, undefined where it has no place. */
function shapeAt(shape: Shape, path: Path): Shape | undefined {
  let here: Shape | undefined = shape;
  for (const step of path) {
    const next: Shape | undefined = typeof step === "number" ? here?.items : below(here, step);
    here = next ?? (here?.preserved ? anything : undefined);
  }
  return here;
}

/** Whether a shape takes lists and nothing else. */
export function isList(shape: Shape | undefined): boolean {
  return shape?.takes === sorts.list;
}

/** Whether a shape takes objects and nothing else. */
export function isMap(shape: Shape | undefined): boolean {
  return shape?.takes === sorts.map;
}

/** Whether a shape takes neither lists nor objects. */
export function isScalarShape(shape: Shape | undefined): boolean {
  return shape !== undefined && (shape.takes & (sorts.list | sorts.map)) === 0;
}

/** The shape of the value under a key of an object; undefined where the schema says nothing about it. */
export function below(shape: Shape | undefined, key: string): Shape | undefined {
  return shape === undefined ? undefined : (shape.properties.get(key) ?? shape.additional);
}

/** The sorts of JSON values but null, which fits everywhere. A fraction is any number that is not an integer. */
const sorts = { text: 1, boolean: 2, integer: 4, fraction: 8, list: 16, map: 32 };
const everySort = 63;

/** The shape of any value. */
export const anything: Shape = {
  takes: everySort,
  properties: new Map(),
  additional: undefined,
  items: undefined,
  keys: undefined,
  keyDefaults: undefined,
  namedBy: undefined,
  nullable: true,
  atomic: false,
  required: [],
  preserved: true,
};

/** The shape of a text, such as the value of a label. */
export const text: Shape = { ...anything, takes: sorts.text, nullable: false, preserved: false };

/** Whether a value but null has the right type; what is in it is not looked at. */
export function admits(shape: Shape, value: Exclude<Json, null>): boolean {
  return (shape.takes & sortOf(value)) !== 0;
}

/** The types that two shapes take, in words, if they have none in common: of such fields no value passes from one to the other. */
export function differentTypes(one: Shape, other: Shape): readonly [one: string, other: string] | undefined {
  return (one.takes & other.takes) === 0 ? [wordsFor(one), wordsFor(other)] : undefined;
}

/** The types that a shape takes, in words: `a boolean`, `an integer or a string`. */
export function wordsFor({ takes }: Pick<Shape, "takes">): string {
  const words = [
    [sorts.boolean, "a boolean"],
    [sorts.fraction, "a number"],
    [(takes & sorts.fraction) === 0 ? sorts.integer : 0, "an integer"],
    [sorts.text, "a string"],
    [sorts.list, "a list"],
    [sorts.map, "an object"],
  ] as const;
  return words.flatMap(([sort, word]) => ((takes & sort) === 0 ? [] : [word])).join(" or ");
}

/** The type of a value but null, in the same words. */
export function typeOfValue(value: Exclude<Json, null>): string {
  return wordsFor({ takes: sortOf(value) });
}

/** The same for any value; undefined where nothing of it fits. */
export function fittedValue(value: Json, shape: Shape): Json | undefined {
  if (value === null) return value;
  const sort = sortOf(value);
  if ((shape.takes & sort) === 0) return undefined;
  if (sort === sorts.map) return fittedFields(value as JsonObject, shape);
  if (sort !== sorts.list || shape.items === undefined) return value;
  return fittedItems(value as JsonArray, shape.items, shape);
}

function sortOf(value: Exclude<Json, null>): number {
  if (typeof value === "string") return sorts.text;
  if (typeof value === "number") return Number.isInteger(value) ? sorts.integer : sorts.fraction;
  if (typeof value === "boolean") return sorts.boolean;
  if (isArray(value)) return sorts.list;
  if (!isExactNumber(value)) return sorts.map;
  return isInteger(value) ? sorts.integer : sorts.fraction;
}

function fittedItems(items: readonly Json[], shape: Shape, list: Shape): readonly Json[] | undefined {
  let kept: Json[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Json;
    const part = fittedItem(item, shape, list);
    // Most lists fit: the copy begins with the first item that does not.
    if (kept === undefined && part !== item) kept = items.slice(0, at);
    if (kept !== undefined && part !== undefined) kept.push(part);
  }
  if (kept === undefined) return items;
  return kept.length > 0 ? kept : undefined;
}

/** An item must not be null unless its schema allows that, and must have its keys, or get their defaults. */
function fittedItem(item: Json, shape: Shape, { keys, keyDefaults }: Shape): Json | undefined {
  if (item === null) return shape.nullable ? item : undefined;
  const part = fittedValue(item, shape);
  if (keys === undefined) return part;
  if (!isObject(part)) return undefined;
  let whole = part;
  for (const key of keys) {
    if ((own(part, key) ?? null) !== null) continue;
    const value = keyDefaults && own(keyDefaults, key);
    if (value === undefined) return undefined;
    whole = { ...whole, [key]: value };
  }
  return whole;
}

function fittedFields(object: JsonObject, shape: Shape): JsonObject | undefined {
  let kept: Record<string, Json> | undefined;
  for (const key in object) {
    const value = fieldAt(object, key);
    const part = fittedField(value, key, shape);
    // Most objects fit: the copy begins with the first field that does not.
    if (kept === undefined && (part === undefined || part !== value)) kept = copyUntil(object, key);
    if (kept !== undefined && part !== undefined) define(kept, key, part);
  }
  if (kept === undefined) return object;
  return hasNoFields(kept) ? undefined : kept;
}

/** A lens written by hand may leave undefined behind, as JavaScript spreads it: a field that is not there. */
function fittedField(value: Json | undefined, key: string, shape: Shape): Json | undefined {
  if (value === undefined) return undefined;
  const within = below(shape, key);
  if (within !== undefined) return fittedValue(value, within);
  return shape.preserved ? value : undefined;
}

function copyUntil(object: JsonObject, end: string): Record<string, Json> {
  const copy: Record<string, Json> = {};
  for (const key in object) {
    if (key === end) break;
    define(copy, key, fieldAt(object, key));
  }
  return copy;
}

function sortsOf({ type, intOrString }: Schema): number {
  if (intOrString) return sorts.text | sorts.integer;
  switch (type) {
    case "object":
      return sorts.map;
    case "array":
      return sorts.list;
    case "string":
      return sorts.text;
    case "boolean":
      return sorts.boolean;
    case "integer":
      return sorts.integer;
    case "number":
      return sorts.integer | sorts.fraction;
    default:
      return everySort;
  }
}
