import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";

/** Fills in what a schema gives a default for; the very same value comes back where nothing was missing. */
export type Defaulting = (object: JsonObject) => JsonObject;

/**
 * The defaulting of a schema, compiled once. As the API server does it (kubernetes.md 2.4): a missing key takes its
 * default, and so does a null that may not be null; defaults are then filled in below, also in what was just filled
 * in; a missing parent without a default is not made.
 */
export function defaultingOf(schema: Json | undefined): Defaulting {
  const fill = fillOf(schema);
  return fill === undefined ? (object) => object : (object) => fill(object) as JsonObject;
}

type Fill = (value: Json) => Json;

interface Field {
  readonly value: Json | undefined;
  readonly nullable: boolean;
  readonly fill: Fill | undefined;
}

function fillOf(schema: Json | undefined): Fill | undefined {
  const properties = get(schema, "properties");
  const fields = new Map<string, Field>();
  for (const [name, below] of isObject(properties) ? Object.entries(properties) : []) {
    const field = fieldOf(below);
    if (field.value !== undefined || field.fill !== undefined) fields.set(name, field);
  }
  const [others, items] = [get(schema, "additionalProperties"), get(schema, "items")];
  const other = isObject(others) ? fieldOf(others) : undefined;
  const item = isObject(items) ? fieldOf(items) : undefined;
  if (fields.size === 0 && !isFilling(other) && !isFilling(item)) return undefined;
  return (value) => {
    if (isArray(value)) return item === undefined ? value : filledItems(value, item);
    return isObject(value) ? filledFields(value, fields, other) : value;
  };
}

function fieldOf(schema: Json): Field {
  return {
    value: get(schema, "default"),
    nullable: get(schema, "nullable") === true,
    fill: fillOf(schema),
  };
}

function isFilling(field: Field | undefined): boolean {
  return field !== undefined && (field.value !== undefined || field.fill !== undefined);
}

function filledFields(
  object: JsonObject,
  fields: ReadonlyMap<string, Field>,
  other: Field | undefined,
): JsonObject {
  const changes = new Map<string, Json>();
  for (const [name, field] of fields) {
    const before = get(object, name);
    const after = filled(before, field);
    if (after !== before && after !== undefined) changes.set(name, after);
  }
  for (const [name, before] of other === undefined ? [] : Object.entries(object)) {
    const after = fields.has(name) ? before : filled(before, other as Field);
    if (after !== before && after !== undefined) changes.set(name, after);
  }
  return changes.size === 0 ? object : Object.fromEntries([...Object.entries(object), ...changes]);
}

function filledItems(items: readonly Json[], field: Field): readonly Json[] {
  const after = items.map((item) => filled(item, field) ?? item);
  return after.every((item, index) => item === items[index]) ? items : after;
}

function filled(value: Json | undefined, { value: preset, nullable, fill }: Field): Json | undefined {
  const here = value === undefined || (value === null && !nullable) ? (preset ?? value) : value;
  return here === undefined || fill === undefined ? here : fill(here);
}
