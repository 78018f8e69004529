import type { Json, JsonObject } from "../../../src/json/json.ts";
import { type Draw, pick } from "./draw.ts";

// Random schemas, others that differ from them in a few places, and objects. Nothing of the schema engine is used.

const names = ["alpha", "beta", "gamma", "delta", "omega"];

/** A schema of a few levels. */
export function drawSchema(draw: Draw, depth = 3): JsonObject {
  const sort = depth === 0 ? pick(draw, scalars) : pick(draw, [...scalars, ...containers, ...containers]);
  const nullable = draw() < 0.15 ? { nullable: true } : {};
  switch (sort) {
    case "fields":
      return { ...fields(draw, depth), ...nullable };
    case "map":
      return { type: "object", additionalProperties: drawSchema(draw, depth - 1), ...nullable };
    case "list":
      return { type: "array", items: drawSchema(draw, depth - 1), ...nullable };
    case "open":
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true, ...nullable };
    case "intOrString":
      return { "x-kubernetes-int-or-string": true, ...nullable };
    default:
      return { type: sort, ...nullable };
  }
}

const scalars = ["string", "integer", "boolean", "intOrString"] as const;
const containers = ["fields", "map", "list", "open"] as const;

function fields(draw: Draw, depth: number): JsonObject {
  const properties = Object.fromEntries(
    names
      .filter(() => draw() < 0.7)
      .map((name) => [name, withDefault(draw, drawSchema(draw, depth - 1))] as const),
  );
  return { type: "object", properties };
}

function withDefault(draw: Draw, schema: JsonObject): JsonObject {
  const value = { string: "preset", integer: 7, boolean: true }[String(schema.type)];
  return value === undefined || draw() > 0.25 ? schema : { ...schema, default: value };
}

/** A schema that differs from another one here and there: fields are gone, renamed or new, types and defaults others. */
export function altered(draw: Draw, schema: JsonObject, depth = 3): JsonObject {
  if (draw() < 0.06) return withoutDefault(drawSchema(draw, depth));
  if (draw() < 0.05) return { ...schema, nullable: schema.nullable !== true };
  const { properties, items, additionalProperties } = schema as Record<string, JsonObject | undefined>;
  if (items !== undefined) return { ...schema, items: altered(draw, items, depth - 1) };
  if (additionalProperties !== undefined)
    return { ...schema, additionalProperties: altered(draw, additionalProperties, depth - 1) };
  if (properties === undefined) return draw() < 0.05 ? withDefault(draw, withoutDefault(schema)) : schema;
  const kept = Object.entries(properties).flatMap(([name, field]) => {
    if (draw() < 0.1) return [];
    const left = altered(draw, field as JsonObject, depth - 1);
    return [[draw() < 0.08 ? `${name}2` : name, left] as const];
  });
  const added = draw() < 0.2 ? [["extra", withDefault(draw, { type: "integer" })] as const] : [];
  return { ...schema, properties: Object.fromEntries([...kept, ...added]) };
}

function withoutDefault({ default: _, ...schema }: JsonObject): JsonObject {
  return schema;
}

/** A value that a schema accepts. */
export function drawValue(draw: Draw, schema: JsonObject): Json {
  if (schema.nullable === true && draw() < 0.3) return null;
  if (schema["x-kubernetes-int-or-string"] === true) return draw() < 0.5 ? 8080 : "http";
  const { properties, items, additionalProperties } = schema as Record<string, JsonObject | undefined>;
  switch (schema.type) {
    case "string":
      return pick(draw, ["", "a", "12", "long text"]);
    case "integer":
      return Math.floor(draw() * 100);
    case "boolean":
      return draw() < 0.5;
    case "array":
      return Array.from({ length: Math.floor(draw() * 3) }, () => drawValue(draw, items ?? {}));
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true)
    return pick(draw, [{}, { any: 1 }, { alpha: { deep: [1, { beta: "x" }] }, none: null }]);
  if (additionalProperties !== undefined)
    return Object.fromEntries(
      ["k1", "k2"].filter(() => draw() < 0.6).map((key) => [key, drawValue(draw, additionalProperties)]),
    );
  const present = Object.entries(properties ?? {}).filter(() => draw() < 0.75);
  return Object.fromEntries(present.map(([name, field]) => [name, drawValue(draw, field as JsonObject)]));
}
