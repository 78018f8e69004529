import type { Json } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import type { SchemaFault } from "../fault.ts";
import { ruleTreeOf } from "./rule-tree.ts";
import { checkRules, type RulesVerdict } from "./walk.ts";

/** The rules of a schema, ready to run. */
export interface CompiledRules {
  /**
   * Runs every rule over an object as the server does; what is unchanged ratchets (kubernetes.md 2.9). `root` is the
   * place of `value` in the object: `[]` for the object itself, `["status"]` for its status.
   */
  readonly check: (value: Json, old: Json | undefined, root: Path) => RulesVerdict;
}

/** Rules that a CRD is refused for. Those of them that are sound can still be run: on the defaults of the schema. */
export interface RefusedRules {
  readonly faults: readonly SchemaFault[];
  readonly sound: CompiledRules;
}

/**
 * Compiles the `x-kubernetes-validations` of a schema, or tells what the API server says of them when the CRD is
 * created. The fields of the faults begin below the schema, and are empty for the schema itself; `at` is where it
 * stands in the CRD, which one of the server's messages names: `spec.validation.openAPIV3Schema`.
 */
export function compileRules(schema: Json, at = ""): { readonly rules: CompiledRules } | RefusedRules {
  const { tree, faults } = ruleTreeOf(schema, at);
  const rules: CompiledRules = { check: (value, old, path) => checkRules(tree, value, old, path) };
  return faults.length > 0 ? { faults, sound: rules } : { rules };
}
