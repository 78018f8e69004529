import { equal } from "../../json/equal.ts";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import { compileRules } from "../cel/rules/rules.ts";
import { type Embedding, embeddingOf } from "../metadata/embedded.ts";
import { invalid, type SchemaFault } from "../model/fault.ts";
import type { KubernetesVersion } from "../model/kubernetes-version.ts";
import type { Place } from "../model/place.ts";
import { hasRules, type Schema } from "../model/schema.ts";
import { locationAt, onceEach } from "../openapi/outcome.ts";
import { schemaValidatorOf } from "../openapi/validate.ts";
import { pruneValue } from "./transform.ts";

/** What is wrong with the defaults of a schema: each must be valid by itself (apiextensions-apiserver, schema/defaulting/validation.go). */
export function faultsOfDefaults(
  schema: Schema,
  at: string,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const whole = { ...schema, embedded: true };
  return faultsOfNode(whole, at, { resource: whole, steps: [], insideMeta: false, kubernetes });
}

/** The resource that a node belongs to, itself or one that is embedded, and the way down to the node. */
interface Within {
  readonly resource: Schema;
  readonly steps: readonly (string | 0)[];
  readonly insideMeta: boolean;
  readonly kubernetes: KubernetesVersion;
}

function faultsOfNode(schema: Schema, at: string, above: Within): readonly SchemaFault[] {
  const within = schema.embedded ? { ...above, resource: schema, steps: [], insideMeta: false } : above;
  const { items } = schema;
  const isMeta = (key: string) =>
    schema.embedded && (key === "metadata" || key === "apiVersion" || key === "kind");
  return [
    ...(schema.default === undefined ? [] : faultsOfDefault(schema.default, schema, `${at}.default`, within)),
    ...(items === undefined
      ? []
      : faultsOfNode(items, `${at}.items`, { ...within, steps: [...within.steps, 0] })),
    ...[...schema.properties].flatMap(([key, below]) =>
      faultsOfNode(below, `${at}.properties[${key}]`, {
        ...within,
        steps: [...within.steps, key],
        insideMeta: within.insideMeta || isMeta(key),
      }),
    ),
  ];
}

function faultsOfDefault(value: Json, schema: Schema, at: string, within: Within): readonly SchemaFault[] {
  const place: Place = { text: at, path: [] };
  const pruned = pruneValue(value, schema);
  const unknown =
    within.insideMeta || equal(pruned, value) ? [] : [invalid(place, value, "must not have unknown fields")];
  const meta = within.insideMeta
    ? faultsOfSurrounded(value, within, place)
    : faultsOfEmbedded(value, embeddingOf(schema), place, within.kubernetes);
  if (meta.length > 0) return [...unknown, ...meta];
  const faults = onceEach(schemaValidatorOf(schema, "default")(value, locationAt(place)));
  return [...unknown, ...(faults.length > 0 ? faults : faultsOfRules(value, schema, at, within.kubernetes))];
}

function faultsOfEmbedded(
  value: Json,
  embedding: Embedding | undefined,
  place: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  if (embedding === undefined) return [];
  const coerced = embedding.coerce(value, place);
  return "fault" in coerced ? [coerced.fault] : embedding.check(coerced.value, kubernetes, place);
}

/** A default within metadata is validated in an object around it. */
function faultsOfSurrounded(
  value: Json,
  { resource, steps, kubernetes }: Within,
  place: Place,
): readonly SchemaFault[] {
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
  const faults = "fault" in coerced ? [coerced.fault] : (embedding?.check(coerced.value, kubernetes) ?? []);
  if (faults.length === 0) return [];
  const sentences = faults.map(({ field, message }) => `${field}: ${message}`);
  const why = sentences.length === 1 ? sentences.join("") : `[${[...new Set(sentences)].join(", ")}]`;
  return [invalid(place, value, `must result in valid metadata: ${why}`)];
}

/** Rules run on a default as on an update that changes nothing, and, where that finds nothing, as on a creation. */
function faultsOfRules(
  value: Json,
  schema: Schema,
  at: string,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  if (!hasRules(schema)) return [];
  const { rules } = compileRules(schema, { kubernetes });
  // Nothing is ratcheted: a default that is invalid now is a fault.
  const { faults: found, ratcheted } = rules.check(value, value, []);
  const kept = [...found, ...ratcheted];
  const faults = kept.length > 0 ? kept : rules.check(value, undefined, []).faults;
  return faults.map(({ path: _, field, ...fault }) => ({
    ...fault,
    field: field === "<nil>" ? at : `${at}${/^[[.]/.test(field) ? "" : "."}${field}`,
  }));
}
