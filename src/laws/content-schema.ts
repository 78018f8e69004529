import { carrierField } from "../conversion/carriers.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";

/**
 * A version's schema for what its users write: without identity and metadata, which every kind has, and without the
 * reserved status field.
 */
export function contentSchemaOf(entry: JsonObject): JsonObject {
  const schema = asObject(get(entry, "schema", "openAPIV3Schema"));
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = asObject(schema.properties);
  const declared = get(properties, "status", "properties");
  if (!isObject(declared)) return { ...schema, type: "object", properties };
  const status = set(asObject(properties.status), "properties", set(declared, carrierField, undefined));
  return { ...schema, type: "object", properties: set(properties, "status", status) };
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
