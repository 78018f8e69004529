import type { Json } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { SchemaFault } from "./fault.ts";

/** The rules of a schema (`x-kubernetes-validations`), compiled. */
export interface Rules {
  readonly check: (
    value: Json,
    old: Json | undefined,
    root: Path,
  ) => { readonly faults: readonly SchemaFault[]; readonly ratcheted: readonly SchemaFault[] };
}

/** Compiles the rules of a schema; undefined where it has none. */
export function rulesOf(
  _schema: Json,
): { readonly rules?: Rules } | { readonly faults: readonly SchemaFault[] } {
  return {};
}
