import type { Json } from "../../../json/json.ts";
import type { Path } from "../../../json/path.ts";
import type { SchemaFault } from "../../model/fault.ts";
import { type KubernetesVersion, newestKubernetes } from "../../model/kubernetes-version.ts";
import type { Schema } from "../../model/schema.ts";
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
interface Compiled {
  readonly rules: CompiledRules;
  /** What the API server reports when the CRD is created. */
  readonly faults: readonly SchemaFault[];
}

/** Where a schema stands. */
interface RulesOptions {
  /** Its place in the CRD. */
  readonly at?: string;
  /** The nodes that are faulty for another reason, whose rules are not reported: the API server does not compile them. */
  readonly isFaulty?: (node: string) => boolean;
  /** The release of the API server; by default the newest. */
  readonly kubernetes?: KubernetesVersion | undefined;
}

/** Compiles the `x-kubernetes-validations` of a schema. */
export function compileRules(
  schema: Schema,
  { at = "", isFaulty = () => false, kubernetes = newestKubernetes }: RulesOptions = {},
): Compiled {
  const { tree, faults } = compileTree(schema, { at, isFaulty, kubernetes });
  return {
    rules: { check: (value, old, path) => checkRules(tree, value, old, path, kubernetes) },
    faults,
  };
}
