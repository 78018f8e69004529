import { define, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Schema } from "./model.ts";

/**
 * Takes nulls out of an object that say nothing: those of fields that may not be null and have no default
 * (apiextensions, schema/defaulting/prunenulls.go). Null items of lists stay. What is untouched is not copied.
 */
export function nullDropOf(schema: Schema): (object: JsonObject) => JsonObject {
  const drop = dropOf(schema);
  return (object) => (drop === undefined ? object : (drop(object) as JsonObject));
}

type Drop = (value: Json) => Json;

interface Field {
  readonly droppable: boolean;
  readonly drop: Drop | undefined;
}

function dropOf(schema: Schema): Drop | undefined {
  const fields = new Map([...schema.properties].map(([key, below]) => [key, fieldOf(below)]));
  const others = schema.additionalProperties?.schema;
  const other = others === undefined ? undefined : fieldOf(others);
  const items = schema.items?.schema;
  const item = items === undefined ? undefined : dropOf(items);
  if (fields.size === 0 && other === undefined && item === undefined) return undefined;
  return (value) => {
    if (isArray(value)) return item === undefined ? value : dropInItems(value, item);
    return isObject(value) ? dropInFields(value, (key) => fields.get(key) ?? other) : value;
  };
}

function fieldOf(schema: Schema): Field {
  return { droppable: !schema.nullable && schema.default === undefined, drop: dropOf(schema) };
}

function dropInItems(items: readonly Json[], drop: Drop): Json {
  const after = items.map(drop);
  return after.every((value, index) => value === items[index]) ? items : after;
}

function dropInFields(object: JsonObject, fieldAt: (key: string) => Field | undefined): Json {
  let kept: Record<string, Json> | undefined;
  const keys = Object.keys(object);
  for (const [index, key] of keys.entries()) {
    const value = object[key] as Json;
    const field = fieldAt(key);
    const dropped = value === null && field?.droppable === true;
    const after = field?.drop === undefined ? value : field.drop(value);
    if (dropped || after !== value) {
      kept ??= Object.fromEntries(keys.slice(0, index).map((each) => [each, object[each] as Json]));
    }
    if (kept !== undefined && !dropped) define(kept, key, after);
  }
  return kept ?? object;
}
