import { get, isArray, type Json } from "../json/json.ts";
import { type EngineOptions, endpointOf, type WritableSchema } from "./compile.ts";
import { deprecationOf } from "./crd-warnings.ts";
import type { SchemaFault } from "./fault.ts";
import { checkCrd } from "./structural/crd.ts";

/** A CRD, compiled once. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** What converts between versions: nothing but the name, or a webhook. */
  readonly conversion: "None" | "Webhook";
  readonly versions: readonly CompiledVersion[];
}

/** One of its versions. */
export interface CompiledVersion {
  readonly name: string;
  readonly served: boolean;
  readonly stored: boolean;
  /** The warning of every request to it; absent where it is not deprecated. */
  readonly deprecation?: string;
  readonly schema: WritableSchema;
  readonly hasStatus: boolean;
}

/** Compiles a CRD; the faults are those that an API server would report on creating it. */
export function compileDefinition(
  crd: Json,
  options: EngineOptions = {},
): { readonly definition: Definition } | { readonly faults: readonly SchemaFault[] } {
  const { schemas, faults } = checkCrd(crd, options);
  if (faults.length > 0) return { faults };
  const spec = get(crd, "spec");
  const entries = get(spec, "versions");
  const versions = schemas.map((schema, index) =>
    compiledVersion((isArray(entries) ? entries[index] : null) ?? null, schema, spec),
  );
  return {
    definition: {
      group: String(get(spec, "group")),
      kind: String(get(spec, "names", "kind")),
      plural: String(get(spec, "names", "plural")),
      scope: get(spec, "scope") === "Cluster" ? "Cluster" : "Namespaced",
      conversion: get(spec, "conversion", "strategy") === "Webhook" ? "Webhook" : "None",
      versions,
    },
  };
}

function compiledVersion(entry: Json, schema: WritableSchema, spec: Json | undefined): CompiledVersion {
  const deprecation = deprecationOf(entry, spec);
  return {
    name: String(get(entry, "name")),
    served: get(entry, "served") === true,
    stored: get(entry, "storage") === true,
    ...(deprecation === undefined ? {} : { deprecation }),
    schema,
    hasStatus: endpointOf(entry) === "status",
  };
}
