import { type CompiledRules, compileRules } from "../cel/rules/rules.ts";
import { invalid, type SchemaFault } from "../fault.ts";
import type { KubernetesVersion } from "../kubernetes-version.ts";
import { hasRules, type Schema } from "../model.ts";
import { faultsOfDefaults } from "./defaults.ts";
import { faultsOfStructure, whyUnstructured } from "./form.ts";
import { faultsOfKeywords } from "./keywords.ts";
import { faultsOfRoot } from "./status-root.ts";

/** The rules of a valid schema, or what the API server finds wrong with a schema when its CRD is created. */
type Checked = { readonly rules?: CompiledRules } | { readonly faults: readonly SchemaFault[] };

/** Checks an `openAPIV3Schema` (apiextensions-apiserver, validateCustomResourceDefinitionValidation). */
export function checkSchema(
  schema: Schema,
  at: string,
  endpoint: "status" | "none",
  kubernetes: KubernetesVersion,
): Checked {
  const here = `${at}.openAPIV3Schema`;
  const unstructured = whyUnstructured(schema);
  const structure = unstructured === undefined ? faultsOfForm(schema, here, kubernetes) : [];
  const keywords = faultsOfKeywords(schema, here);
  // Rules are compiled for a structural schema alone, and not where a node or one below it has another fault.
  const isSound = unstructured === undefined && structure.length === 0;
  const isFaulty = (node: string) => keywords.some(({ field }) => field.startsWith(`${node}.`));
  const compiled =
    isSound && hasRules(schema) ? compileRules(schema, { at: here, isFaulty, kubernetes }) : undefined;
  const faults = [
    ...faultsOfRoot(schema, here, endpoint),
    ...structure,
    ...keywords,
    ...(compiled?.faults ?? []),
  ];
  if (faults.length > 0) return { faults: faults.map(withoutPath) };
  if (unstructured !== undefined) return { faults: [invalid(here, "", unstructured)] };
  return compiled === undefined ? {} : { rules: compiled.rules };
}

/** What is wrong with the form of a schema, or, if nothing is, with its defaults. */
function faultsOfForm(schema: Schema, at: string, kubernetes: KubernetesVersion): readonly SchemaFault[] {
  const faults = faultsOfStructure(schema, at);
  return faults.length > 0 ? faults : faultsOfDefaults(schema, at, kubernetes);
}

function withoutPath({ path: _, ...fault }: SchemaFault): SchemaFault {
  return fault;
}
