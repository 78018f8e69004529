import type { Json } from "../json/json.ts";
import { type CompiledRules, compileRules } from "./cel/rules.ts";
import type { SchemaFault } from "./fault.ts";
import type { Schema } from "./model.ts";

/** The rules of a schema, compiled. */
export type Rules = CompiledRules;

/** Compiles the rules of a schema; none where it has none. `at` is where it stands in the CRD. */
export function rulesOf(
  json: Json,
  schema: Schema,
  at = "",
): { readonly rules?: Rules } | { readonly faults: readonly SchemaFault[] } {
  return hasRules(schema) ? compileRules(json, at) : {};
}

/** Whether a rule stands at a node of a schema or below it. */
export function hasRules({ validations, properties, additionalProperties, items }: Schema): boolean {
  const below = [...properties.values(), additionalProperties?.schema, items?.schema];
  return validations.length > 0 || below.some((each) => each !== undefined && hasRules(each));
}
