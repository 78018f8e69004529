import type { JsonObject } from "../../json/json.ts";
import { type CompiledRules, compileRules } from "../cel/rules/rules.ts";
import { invalid, required, type SchemaFault } from "../model/fault.ts";
import type { KubernetesVersion } from "../model/kubernetes-version.ts";
import { hasRules, readSchema, type Schema } from "../model/schema.ts";
import { faultsOfDefaults } from "./defaults.ts";
import { faultsOfStructure, whyUnstructured } from "./form.ts";
import { faultsOfKeywords } from "./keywords.ts";
import { faultsOfRoot } from "./status-root.ts";

/** A schema, and what the API server finds wrong with it when its CRD is created; if nothing, with its rules. */
export interface CheckedSchema {
  /** Absent where there is none. */
  readonly schema?: Schema;
  readonly rules?: CompiledRules;
  readonly faults: readonly SchemaFault[];
}

/** Reads and checks an `openAPIV3Schema` (apiextensions-apiserver, validateCustomResourceDefinitionValidation). */
export function checkSchema(
  json: JsonObject | undefined,
  at: string,
  hasStatus: boolean,
  kubernetes: KubernetesVersion,
): CheckedSchema {
  const here = `${at}.openAPIV3Schema`;
  if (json === undefined) return { faults: [required(here)] };
  const problems: string[] = [];
  const schema = readSchema(json, problems);
  const [problem] = problems;
  if (problem !== undefined) return { schema, faults: [undecodable(problem)] };
  const unstructured = whyUnstructured(schema);
  const structure = unstructured === undefined ? faultsOfForm(schema, here, kubernetes) : [];
  const keywords = faultsOfKeywords(schema, here);
  // Rules are compiled for a structural schema alone, and not where a node or one below it has another fault.
  const isSound = unstructured === undefined && structure.length === 0;
  const isFaulty = (node: string) => keywords.some(({ field }) => field.startsWith(`${node}.`));
  const compiled =
    isSound && hasRules(schema) ? compileRules(schema, { at: here, isFaulty, kubernetes }) : undefined;
  const faults = [
    ...faultsOfRoot(schema, here, hasStatus),
    ...structure,
    ...keywords,
    ...(compiled?.faults ?? []),
  ];
  if (faults.length > 0) return { schema, faults: faults.map(withoutPath) };
  if (unstructured !== undefined) return { schema, faults: [invalid(here, "", unstructured)] };
  return { schema, faults, ...(compiled === undefined ? {} : { rules: compiled.rules }) };
}

/** What the API server answers to a CRD that it cannot decode. */
export function undecodable(problem: string): SchemaFault {
  const name = "CustomResourceDefinition";
  const detail = `${name} in version "v1" cannot be handled as a ${name}: ${problem}`;
  return { type: "", field: "", message: detail, detail };
}

/** What is wrong with the form of a schema, or, if nothing is, with its defaults. */
function faultsOfForm(schema: Schema, at: string, kubernetes: KubernetesVersion): readonly SchemaFault[] {
  const faults = faultsOfStructure(schema, at);
  return faults.length > 0 ? faults : faultsOfDefaults(schema, at, kubernetes);
}

function withoutPath({ path: _, ...fault }: SchemaFault): SchemaFault {
  return fault;
}
