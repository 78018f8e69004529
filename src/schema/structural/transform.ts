import { compareBytes } from "../../go/text.ts";
import { mapFields, mapItems } from "../../json/copy.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { embeddingOf } from "../metadata/embedded.ts";
import type { Schema } from "../model/schema.ts";

// What an API server does to an object before it validates it: it drops unknown fields and nulls, and fills in defaults.

/** An object without unknown fields, and which they were. */
export interface Pruned {
  readonly object: JsonObject;
  /** Paths as warnings about unknown fields print them: `spec.lights[0].color`. */
  readonly unknown: readonly string[];
}

/**
 * Drops what a schema does not know of an object, or of an embedded one, and leaves its metadata to others
 * (apiextensions-apiserver, schema/pruning).
 */
export function prunerOf(schema: Schema): (object: JsonObject) => Pruned {
  const prune = pruneOf({ ...schema, embedded: true });
  return (object) => {
    const unknown: string[] = [];
    const pruned = prune(object, "", (path) => unknown.push(path));
    return { object: isObject(pruned) ? pruned : {}, unknown: unknown.toSorted(compareBytes) };
  };
}

/** A value pruned by the schema of a part. */
export function pruneValue(value: Json, schema: Schema): Json {
  return pruneOf(schema)(value, "", () => {});
}

type Note = (path: string) => unknown;
type Prune = (value: Json, path: string, note: Note) => Json;

function pruneOf(schema: Schema): Prune {
  const { additional, allowsAdditional, items, preserved } = schema;
  const fields = new Map([...schema.properties].map(([key, part]) => [key, pruneOf(part)]));
  const other = additional === undefined ? pruneAll : pruneOf(additional);
  const unknown = allowsAdditional === undefined ? (preserved ? "keep" : "drop") : other;
  const below = (key: string): Prune | "keep" | "drop" =>
    schema.embedded && isMeta(key) ? "keep" : (fields.get(key) ?? unknown);
  // Items of a preserved list are preserved as well, but for what their schema declares.
  const item = items && pruneOf(preserved ? { ...items, preserved } : items);
  const each: Prune = item ?? (preserved ? (value) => value : pruneAll);
  return (value, path, note) => {
    if (isArray(value)) return pruneItems(value, path, note, each);
    return isObject(value) ? pruneFields(value, path, note, below) : value;
  };
}

/** Where a schema is silent, objects lose all their fields; scalars stay. */
const pruneAll: Prune = (value, path, note) => {
  if (isArray(value)) return pruneItems(value, path, note, pruneAll);
  return isObject(value) ? pruneFields(value, path, note, () => "drop") : value;
};

function pruneItems(items: readonly Json[], path: string, note: Note, prune: Prune): Json {
  return mapItems(items, (value, index) =>
    typeof value === "object" && value !== null ? prune(value, `${path}[${index}]`, note) : value,
  );
}

function pruneFields(
  object: JsonObject,
  path: string,
  note: Note,
  below: (key: string) => Prune | "keep" | "drop",
): Json {
  return mapFields(object, (value, key) => {
    const how = below(key);
    if (how === "keep" || (how !== "drop" && typeof value !== "object")) return value;
    const place = path === "" ? key : `${path}.${key}`;
    if (how !== "drop") return how(value, place, note);
    note(place);
    return undefined;
  });
}

function isMeta(key: string): boolean {
  return key === "apiVersion" || key === "kind" || key === "metadata";
}

/** Changes an object as a schema says; the very same object comes back where nothing changes. */
export type Transform = (object: JsonObject) => JsonObject;

type Change = (value: Json) => Json;

function whole(change: Change | undefined): Transform {
  return (object) => {
    const after = change === undefined ? object : change(object);
    return isObject(after) ? after : object;
  };
}

/**
 * Drops nulls of fields that are neither nullable nor have a default (apiextensions-apiserver,
 * schema/defaulting/prunenulls.go). Null items of lists stay.
 */
export function nullDropOf(schema: Schema): Transform {
  return whole(dropOf(schema));
}

interface Droppable {
  readonly isDropped: boolean;
  readonly drop: Change | undefined;
}

function dropOf({ properties, additional, items }: Schema): Change | undefined {
  const fields = new Map([...properties].map(([key, part]) => [key, droppable(part)]));
  const other = additional && droppable(additional);
  const item = items && dropOf(items);
  if (fields.size === 0 && other === undefined && item === undefined) return undefined;
  return (value) => {
    if (isArray(value)) return item === undefined ? value : mapItems(value, item);
    if (!isObject(value)) return value;
    return mapFields(value, (below, key) => {
      const field = fields.get(key) ?? other;
      if (below === null) return field?.isDropped ? undefined : below;
      return field?.drop === undefined ? below : field.drop(below);
    });
  };
}

function droppable(schema: Schema): Droppable {
  return { isDropped: !schema.nullable && schema.default === undefined, drop: dropOf(schema) };
}

/**
 * Fills in defaults (apiextensions-apiserver, schema/defaulting): a missing field takes its default, and so does a null
 * that is not nullable; defaults are then filled in below, also in what was just filled in. A missing parent without a
 * default is not made.
 */
export function defaultingOf(schema: Schema): Transform {
  return whole(fillOf(schema));
}

interface Fillable {
  readonly preset: Json | undefined;
  readonly nullable: boolean;
  readonly fill: Change | undefined;
}

function fillOf(schema: Schema): Change | undefined {
  const fields = new Map<string, Fillable>();
  for (const [name, part] of schema.properties) {
    const field = fillable(part);
    if (isFilling(field)) fields.set(name, field);
  }
  const other = schema.additional && fillable(schema.additional);
  const item = schema.items && fillable(schema.items);
  if (fields.size === 0 && !isFilling(other) && !isFilling(item)) return undefined;
  return (value) => {
    if (isArray(value)) {
      return item === undefined ? value : mapItems(value, (each) => filled(each, item) ?? each);
    }
    return isObject(value) ? filledFields(value, fields, other) : value;
  };
}

function fillable(schema: Schema): Fillable {
  return { preset: presetOf(schema), nullable: schema.nullable, fill: fillOf(schema) };
}

/** A default; embedded resources in it as the API server would write them (PruneDefaults). */
function presetOf(schema: Schema): Json | undefined {
  const embedding = schema.default === undefined ? undefined : embeddingOf(schema);
  const coerced = schema.default === undefined ? undefined : embedding?.coerce(schema.default);
  return coerced === undefined || "fault" in coerced ? schema.default : coerced.value;
}

function isFilling(field: Fillable | undefined): boolean {
  return field !== undefined && (field.preset !== undefined || field.fill !== undefined);
}

function filledFields(
  object: JsonObject,
  fields: ReadonlyMap<string, Fillable>,
  other: Fillable | undefined,
): JsonObject {
  const changes = new Map<string, Json>();
  const fill = (name: string, before: Json | undefined, field: Fillable) => {
    const after = filled(before, field);
    if (after !== before && after !== undefined) changes.set(name, after);
  };
  for (const [name, field] of fields) fill(name, get(object, name), field);
  for (const [name, before] of other === undefined ? [] : Object.entries(object)) {
    if (other !== undefined && !fields.has(name)) fill(name, before, other);
  }
  return changes.size === 0 ? object : Object.fromEntries([...Object.entries(object), ...changes]);
}

function filled(value: Json | undefined, { preset, nullable, fill }: Fillable): Json | undefined {
  const here = value === undefined || (value === null && !nullable) ? (preset ?? value) : value;
  return here === undefined || fill === undefined ? here : fill(here);
}
