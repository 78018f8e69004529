import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { SchemaStep } from "../../laws/places.ts";
import { requiredOf } from "./least.ts";
import { wordsOf } from "./mend.ts";

/** How deep a schema is kept below a place that differs. */
const mostDepth = 4;

/** How many fields of an object are kept below a place that differs. */
const mostFields = 24;

/**
 * A schema reduced to what decides about some places: the ways to them, what is required on these ways, and what the rules
 * there name. Objects drawn from it are small even where the schema has ten thousand fields.
 */
export function sliceOf(schema: JsonObject, places: readonly (readonly SchemaStep[])[]): JsonObject {
  if (places.some((steps) => steps.length === 0)) return shallow(schema, mostDepth, places);
  const heads = Map.groupBy(places, ([step]) => (typeof step === "string" ? step : `\0${step?.any}`));
  const named = wordsOf(schema);
  const kept = (name: string, below: Json): Json | undefined => {
    const further = heads.get(name)?.map((steps) => steps.slice(1));
    if (further !== undefined) return isObject(below) ? sliceOf(below, further) : below;
    const isNeeded = requiredOf(schema).includes(name) || named.has(name);
    return isNeeded && isObject(below) ? shallow(below, 2, []) : undefined;
  };
  return withInner(withProperties(schema, kept), (step, below) => {
    const further = heads.get(`\0${step}`)?.map((steps) => steps.slice(1));
    return further === undefined ? shallow(below, 2, []) : sliceOf(below, further);
  });
}

/** A schema cut off below some levels, with a limited number of optional fields; those in the places first. */
function shallow(schema: JsonObject, depth: number, places: readonly (readonly SchemaStep[])[]): JsonObject {
  const first = new Set([
    ...wordsOf(schema),
    ...places.flatMap(([step]) => (typeof step === "string" ? [step] : [])),
  ]);
  const properties = get(schema, "properties");
  const names = Object.keys(isObject(properties) ? properties : {}).toSorted(
    (a, b) => Number(first.has(b)) - Number(first.has(a)),
  );
  const chosen = new Set([...requiredOf(schema), ...(depth > 0 ? names.slice(0, mostFields) : [])]);
  const further = (name: string) =>
    places.filter(([step, ...rest]) => step === name && rest.length > 0).map((steps) => steps.slice(1));
  const kept = (name: string, below: Json): Json | undefined =>
    chosen.has(name) && isObject(below) ? shallow(below, Math.max(0, depth - 1), further(name)) : undefined;
  return withInner(withProperties(schema, kept), (_, below) => shallow(below, Math.max(0, depth - 1), []));
}

function withProperties(
  schema: JsonObject,
  kept: (name: string, below: Json) => Json | undefined,
): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const fields = Object.entries(properties).flatMap(([name, below]) => {
    const found = kept(name, below);
    return found === undefined ? [] : [[name, found] as const];
  });
  return set(schema, "properties", Object.fromEntries(fields));
}

function withInner(
  schema: JsonObject,
  change: (step: "item" | "entry", below: JsonObject) => Json,
): JsonObject {
  const { items, additionalProperties } = schema;
  const first = isObject(items) && !isArray(items) ? set(schema, "items", change("item", items)) : schema;
  return isObject(additionalProperties)
    ? set(first, "additionalProperties", change("entry", additionalProperties))
    : first;
}

/** A schema cut off some levels down, of which values can be drawn quickly. */
export function shallowOf(schema: JsonObject): JsonObject {
  return shallow(schema, mostDepth - 1, []);
}
