import { get, isArray, isObject, type Json } from "../../json/json.ts";
import { compileCheckedVersion, type EngineOptions, endpointOf, type WritableSchema } from "../compile.ts";
import type { SchemaFault } from "../fault.ts";
import { checkCrd } from "./check.ts";
import { deprecationOf } from "./warnings.ts";

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
  return faults.length > 0 ? { faults } : { definition: definitionOf(crd, schemas) };
}

/** The same for a CRD that had no fault before, without looking for faults again. */
export function compileCheckedDefinition(crd: Json, options: EngineOptions = {}): Definition {
  const scope = scopeOf(crd);
  const schemas = entriesOf(crd).flatMap((entry) => {
    const schema = isObject(entry) ? compileCheckedVersion(entry, { scope, ...options }) : undefined;
    return schema === undefined ? [] : [schema];
  });
  return definitionOf(crd, schemas);
}

function definitionOf(crd: Json, schemas: readonly WritableSchema[]): Definition {
  const spec = get(crd, "spec");
  const entries = entriesOf(crd);
  return {
    group: String(get(spec, "group")),
    kind: String(get(spec, "names", "kind")),
    plural: String(get(spec, "names", "plural")),
    scope: scopeOf(crd),
    conversion: get(spec, "conversion", "strategy") === "Webhook" ? "Webhook" : "None",
    versions: schemas.map((schema, index) => compiledVersion(entries[index] ?? null, schema, spec)),
  };
}

function entriesOf(crd: Json): readonly Json[] {
  const entries = get(crd, "spec", "versions");
  return isArray(entries) ? entries : [];
}

function scopeOf(crd: Json): "Cluster" | "Namespaced" {
  return get(crd, "spec", "scope") === "Cluster" ? "Cluster" : "Namespaced";
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
