import { define, get, isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";

/**
 * The object with its fields in the order in which the schema of its version names them, identity first: an author of a CRD
 * wrote them in the order in which people read them. A conversion keeps no order.
 */
export function inSchemaOrder(object: JsonObject, entry: JsonObject | undefined): JsonObject {
  const { apiVersion, kind, metadata, ...content } = object;
  const identity = Object.entries({ apiVersion, kind, metadata }).filter(([, value]) => value !== undefined);
  const schema = get(entry, "schema", "openAPIV3Schema");
  return { ...(Object.fromEntries(identity) as JsonObject), ...(ordered(content, schema) as JsonObject) };
}

function ordered(value: Json, schema: Json | undefined): Json {
  if (schema === undefined) return value;
  if (isArray(value)) return value.map((item) => ordered(item, own(schema, "items")));
  if (!isObject(value)) return value;
  const properties = own(schema, "properties");
  const named = isObject(properties)
    ? Object.keys(properties).filter((key) => Object.hasOwn(value, key))
    : [];
  const result: Record<string, Json> = {};
  for (const key of new Set([...named, ...Object.keys(value)])) {
    const below = own(properties, key) ?? own(schema, "additionalProperties");
    define(result, key, ordered(own(value, key) ?? null, below));
  }
  return result;
}
