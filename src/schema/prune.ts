import { define, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Schema } from "./model.ts";
import { compareBytes } from "./printed.ts";

/** An object without what its schema does not know, and what that was. */
export interface Pruned {
  readonly object: JsonObject;
  /** Paths as warnings about unknown fields print them: `spec.lights[0].color`. */
  readonly unknown: readonly string[];
}

/**
 * Takes out of an object, or an embedded one, what a schema does not know, and leaves its metadata to others
 * (apiextensions, schema/pruning). What is untouched is not copied.
 */
export function prunerOf(schema: Schema): (object: JsonObject) => Pruned {
  const prune = pruneOf({ ...schema, embedded: true });
  return (object) => {
    const unknown: string[] = [];
    const pruned = prune(object, "", (path) => unknown.push(path));
    return { object: pruned as JsonObject, unknown: unknown.toSorted(compareBytes) };
  };
}

/** A value pruned by the schema of a part. */
export function pruneValue(value: Json, schema: Schema): Json {
  return pruneOf(schema)(value, "", () => {});
}

type Note = (path: string) => unknown;
type Prune = (value: Json, path: string, note: Note) => Json;

function pruneOf(schema: Schema): Prune {
  const fields = new Map([...schema.properties].map(([key, below]) => [key, pruneOf(below)]));
  const { additionalProperties: others, items } = schema;
  const other =
    others === undefined ? undefined : others.schema === undefined ? pruneAll : pruneOf(others.schema);
  const below = (key: string): Prune | "keep" | "drop" => {
    if (schema.embedded && isMeta(key)) return "keep";
    return fields.get(key) ?? other ?? (schema.preserved ? "keep" : "drop");
  };
  const item =
    items?.schema === undefined ? undefined : schema.preserved ? keepOf(items.schema) : pruneOf(items.schema);
  const each: Prune = item ?? (schema.preserved ? (value) => value : pruneAll);
  return (value, path, note) => {
    if (isArray(value)) return pruneItems(value, path, note, each);
    return isObject(value) ? pruneFields(value, path, note, below) : value;
  };
}

/** Items of a preserved list are preserved as well, but for what their schema declares. */
function keepOf(schema: Schema): Prune {
  return pruneOf({ ...schema, preserved: true });
}

/** Where a schema says nothing, objects lose all they have; scalars stay. */
const pruneAll: Prune = (value, path, note) => {
  if (isArray(value)) return pruneItems(value, path, note, pruneAll);
  return isObject(value) ? pruneFields(value, path, note, () => "drop") : value;
};

function pruneItems(items: readonly Json[], path: string, note: Note, prune: Prune): Json {
  const after = items.map((value, index) =>
    typeof value === "object" && value !== null ? prune(value, `${path}[${index}]`, note) : value,
  );
  return after.every((value, index) => value === items[index]) ? items : after;
}

function pruneFields(
  object: JsonObject,
  path: string,
  note: Note,
  below: (key: string) => Prune | "keep" | "drop",
): Json {
  let kept: Record<string, Json> | undefined;
  const keys = Object.keys(object);
  for (const [index, key] of keys.entries()) {
    const value = object[key] as Json;
    const how = below(key);
    const place = typeof value === "object" || how === "drop" ? (path === "" ? key : `${path}.${key}`) : "";
    const after = how === "drop" ? undefined : how === "keep" ? value : how(value, place, note);
    if (how === "drop") note(place);
    if (after === value) {
      if (kept !== undefined) define(kept, key, value);
      continue;
    }
    kept ??= firstOf(object, keys, index);
    if (after !== undefined) define(kept, key, after);
  }
  return kept ?? object;
}

function firstOf(object: JsonObject, keys: readonly string[], count: number): Record<string, Json> {
  const first: Record<string, Json> = {};
  for (const key of keys.slice(0, count)) define(first, key, object[key] as Json);
  return first;
}

function isMeta(key: string): boolean {
  return key === "apiVersion" || key === "kind" || key === "metadata";
}
