import { isObject, type Json, type JsonObject, own, set } from "../../json/json.ts";
import type { Schema } from "../model.ts";
import { embeddingOf } from "./embedded.ts";

/** A schema whose defaults hold embedded resources as the API server would write them (apiextensions, PruneDefaults). */
export function withTidyDefaults(json: JsonObject, schema: Schema): JsonObject {
  const embedding = embeddingOf(schema);
  if (embedding === undefined) return json;
  const coerced = schema.default === undefined ? undefined : embedding.coerce(schema.default);
  const tidy = coerced === undefined || "fault" in coerced ? json : set(json, "default", coerced.value);
  const below = (value: Json | undefined, node: Schema | undefined) =>
    isObject(value) && node !== undefined ? withTidyDefaults(value, node) : value;
  const properties = own(json, "properties");
  const fields = Object.entries(isObject(properties) ? properties : {}).map(
    ([key, value]) => [key, below(value, schema.properties.get(key)) ?? value] as const,
  );
  const withFields = fields.length === 0 ? tidy : set(tidy, "properties", Object.fromEntries(fields));
  const withItems = set(withFields, "items", below(own(json, "items"), schema.items?.schema));
  const others = own(json, "additionalProperties");
  return set(withItems, "additionalProperties", below(others, schema.additionalProperties?.schema));
}
