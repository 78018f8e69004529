import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import { invalid, type SchemaFault } from "../fault.ts";
import { type Embedding, embeddingOf } from "../metadata/embedded.ts";
import type { Schema } from "../model.ts";
import { onceEach, spotAt } from "../openapi/outcome.ts";
import { walkOf } from "../openapi/walk.ts";
import type { Place } from "../place.ts";
import { pruneValue } from "../prune.ts";
import { type Rules, rulesOf } from "../rules.ts";

/** What is wrong with the defaults of a schema: each must be valid by itself (apiextensions, schema/defaulting/validation.go). */
export function faultsOfDefaults(schema: Schema, json: Json, at: string): readonly SchemaFault[] {
  const whole = { ...schema, embedded: true };
  return faultsOfNode(whole, json, at, { resource: whole, steps: [], insideMeta: false });
}

/** The resource that a node belongs to, itself or one that is embedded, and the way down to the node. */
interface Within {
  readonly resource: Schema;
  readonly steps: readonly (string | 0)[];
  readonly insideMeta: boolean;
}

function faultsOfNode(schema: Schema, json: Json, at: string, above: Within): readonly SchemaFault[] {
  const within = schema.embedded ? { resource: schema, steps: [], insideMeta: false } : above;
  const items = schema.items?.schema;
  const isMeta = (key: string) =>
    schema.embedded && (key === "metadata" || key === "apiVersion" || key === "kind");
  return [
    ...(schema.default === undefined
      ? []
      : faultsOfDefault(schema.default, schema, json, `${at}.default`, within)),
    ...(items === undefined
      ? []
      : faultsOfNode(items, get(json, "items") ?? {}, `${at}.items`, {
          ...within,
          steps: [...within.steps, 0],
        })),
    ...[...schema.properties].flatMap(([key, below]) =>
      faultsOfNode(below, get(json, "properties", key) ?? {}, `${at}.properties[${key}]`, {
        resource: within.resource,
        steps: [...within.steps, key],
        insideMeta: within.insideMeta || isMeta(key),
      }),
    ),
  ];
}

function faultsOfDefault(
  value: Json,
  schema: Schema,
  json: Json,
  at: string,
  within: Within,
): readonly SchemaFault[] {
  const place: Place = { text: at, path: [] };
  const pruned = pruneValue(value, schema);
  const unknown =
    within.insideMeta || equal(pruned, value) ? [] : [invalid(place, value, "must not have unknown fields")];
  const meta = within.insideMeta
    ? faultsOfSurrounded(value, within, place)
    : faultsOfEmbedded(value, embeddingOf(schema), place);
  if (meta.length > 0) return [...unknown, ...meta];
  const faults = onceEach(walkOf(schema, "default")(value, spotAt(place)));
  return [...unknown, ...(faults.length > 0 ? faults : faultsOfRules(value, schema, json, at))];
}

function faultsOfEmbedded(
  value: Json,
  embedding: Embedding | undefined,
  place: Place,
): readonly SchemaFault[] {
  if (embedding === undefined) return [];
  const coerced = embedding.coerce(value, place);
  return "fault" in coerced ? [coerced.fault] : embedding.check(coerced.value, place);
}

/** A default within metadata is judged in an object around it. */
function faultsOfSurrounded(value: Json, { resource, steps }: Within, place: Place): readonly SchemaFault[] {
  const inner = steps
    .toReversed()
    .reduce<Json>((below, step) => (step === 0 ? [below] : { [step]: below }), value);
  const object: JsonObject = {
    kind: "Validation",
    apiVersion: "validation/v1",
    ...(isObject(inner) ? inner : {}),
  };
  const embedding = embeddingOf({ ...resource, embedded: true });
  const coerced = embedding?.coerce(object) ?? { value: object, unknown: [] };
  const faults = "fault" in coerced ? [coerced.fault] : (embedding?.check(coerced.value) ?? []);
  if (faults.length === 0) return [];
  const said = faults.map(({ field, message }) => `${field}: ${message}`);
  const why = said.length === 1 ? said.join("") : `[${[...new Set(said)].join(", ")}]`;
  return [invalid(place, value, `must result in valid metadata: ${why}`)];
}

/** Rules judge a default as what was there before as well, and, where that finds nothing, as what is new. */
function faultsOfRules(value: Json, schema: Schema, json: Json, at: string): readonly SchemaFault[] {
  const runnable = runnableRules(json, schema);
  if ("broken" in runnable) return runnable.broken.map((why) => invalid(at, schema.type, why));
  const { rules } = runnable;
  if (rules === undefined) return [];
  const kept = rules.check(value, value, []).faults;
  const faults = kept.length > 0 ? kept : rules.check(value, undefined, []).faults;
  return faults.map(({ type, field, message }) => ({
    type,
    field: field === "<nil>" ? at : `${at}${/^[[.]/.test(field) ? "" : "."}${field}`,
    message,
  }));
}

/**
 * The rules of a schema, or what is said of a default beside rules that do not compile. A fieldPath that is wrong, and
 * what rules may cost, is told of elsewhere: they run all the same.
 */
function runnableRules(
  json: Json,
  schema: Schema,
): { readonly rules?: Rules } | { readonly broken: readonly string[] } {
  const compiled = rulesOf(json, schema);
  if (!("faults" in compiled)) return compiled;
  const without = rulesOf(runnableSchema(json), schema);
  if (!("faults" in without)) return without;
  return { broken: without.faults.flatMap(whyBroken) };
}

/** Of a rule of the node itself, why it does not compile: it stands behind the rule as Go prints it. */
function whyBroken({ field, message }: SchemaFault): readonly string[] {
  const [, why] = /^Invalid value: \{.*?"OptionalOldSelf":(?:null|true|false)\}: (.*)$/s.exec(message) ?? [];
  const isOwn = /^x-kubernetes-validations\[\d+\]\.rule$/.test(field);
  return isOwn && why !== undefined ? [`rule compile error: ${why}`] : [];
}

/** A schema whose rules have no fieldPath, and cost next to nothing since all values are said to be small. */
function runnableSchema(json: Json): Json {
  if (!isObject(json)) return json;
  const small = { ...json, maxLength: 1, maxItems: 1, maxProperties: 1 };
  const entries = Object.entries(small).map(([key, below]) => [key, runnablePart(key, below)] as const);
  return Object.fromEntries(entries);
}

function runnablePart(key: string, below: Json): Json {
  if (key === "items" || key === "additionalProperties") return runnableSchema(below);
  if (key === "properties" && isObject(below)) {
    return Object.fromEntries(Object.entries(below).map(([name, node]) => [name, runnableSchema(node)]));
  }
  if (key !== "x-kubernetes-validations" || !isArray(below)) return below;
  return below.map((rule) => (isObject(rule) ? set(rule, "fieldPath", undefined) : rule));
}
