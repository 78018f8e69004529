import type { Json } from "../../../json/json.ts";
import type { Path } from "../../../json/path.ts";
import type { SchemaFault } from "../../fault.ts";
import type { Schema } from "../../model.ts";
import { compileTree } from "./rule-tree.ts";
import { checkRules, type RulesVerdict } from "./walk.ts";

/** The rules of a schema, ready to run. */
export interface CompiledRules {
  /**
   * Runs every rule over a value as the API server does; what did not change ratchets. `root` is the place of `value` in
   * the object: `[]` for the object itself, `["status"]` for its status.
   */
  readonly check: (value: Json, old: Json | undefined, root: Path) => RulesVerdict;
  /** Compiles the rules where the first check would. */
  readonly prepare?: () => void;
}

/** The rules that compile, and what is wrong with the others. */
export interface Compiled {
  readonly rules: CompiledRules;
  /** What the API server reports when the CRD is created. */
  readonly faults: readonly SchemaFault[];
}

/**
 * Compiles the `x-kubernetes-validations` of a schema that stands at a place of a CRD. Rules of
 * nodes that are faulty for another reason are not reported: the API server does not compile them.
 */
export function compileRules(
  schema: Schema,
  at = "",
  isFaulty: (node: string) => boolean = () => false,
): Compiled {
  const { tree, faults } = compileTree(schema, at, isFaulty);
  return { rules: { check: (value, old, path) => checkRules(tree, value, old, path) }, faults };
}
