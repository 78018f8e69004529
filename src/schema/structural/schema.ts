import type { Json } from "../../json/json.ts";
import { invalid, type SchemaFault } from "../fault.ts";
import type { Schema } from "../model.ts";
import { type Rules, rulesOf } from "../rules.ts";
import { faultsOfDefaults } from "./defaults.ts";
import { faultsOfKeywords } from "./keywords.ts";
import { faultsOfRoot } from "./status-root.ts";
import { faultsOfStructure } from "./structural.ts";
import { whyUnstructured } from "./unstructured.ts";

/** A schema that was found whole, with its rules, or what the API server says of it when the CRD is created. */
export type Checked = { readonly rules?: Rules } | { readonly faults: readonly SchemaFault[] };

/** Checks an `openAPIV3Schema` (apiextensions, validateCustomResourceDefinitionValidation). */
export function checkSchema(schema: Schema, json: Json, at: string, endpoint: "status" | "none"): Checked {
  const here = `${at}.openAPIV3Schema`;
  const odd = whyUnstructured(schema);
  const structure = odd === undefined ? faultsOfForm(schema, json, here) : [];
  const keywords = faultsOfKeywords(schema, here);
  const isSound = odd === undefined && structure.length === 0;
  const rules = isSound ? rulesOf(json, schema, here) : {};
  const refused = "faults" in rules ? rulesBeside(rules.faults, keywords, here) : [];
  const faults = [...faultsOfRoot(schema, here, endpoint), ...structure, ...keywords, ...refused];
  if (faults.length > 0)
    return { faults: faults.map(({ type, field, message }) => ({ type, field, message })) };
  return odd === undefined ? rules : { faults: [invalid(here, "", odd)] };
}

/** What is wrong with the form of a schema, or if nothing is, with its defaults. */
function faultsOfForm(schema: Schema, json: Json, at: string): readonly SchemaFault[] {
  const faults = faultsOfStructure(schema, at);
  return faults.length > 0 ? faults : faultsOfDefaults(schema, json, at);
}

/** The faults of rules, but for nodes that have another fault at them or below: those the API server does not compile. */
function rulesBeside(
  rules: readonly SchemaFault[],
  keywords: readonly SchemaFault[],
  at: string,
): readonly SchemaFault[] {
  return rules
    .map((fault) => ({
      ...fault,
      field: fault.field === "" || fault.field === "<nil>" ? at : `${at}.${fault.field}`,
    }))
    .filter(({ field }) => {
      const end = field.lastIndexOf(".x-kubernetes-validations");
      const node = end < 0 ? undefined : field.slice(0, end);
      return node === undefined || !keywords.some((each) => each.field.startsWith(`${node}.`));
    });
}
