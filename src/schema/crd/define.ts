import type { Json } from "../../json/json.ts";
import {
  type CrdModel,
  crdModelOf,
  hasStatus,
  isConverted,
  scopeOf,
  type VersionModel,
} from "../model/crd.ts";
import type { SchemaFault } from "../model/fault.ts";
import { checkCrd } from "./check.ts";
import { compileCheckedVersion, compiledSchema, type EngineOptions, type WritableSchema } from "./compile.ts";
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
  readonly deprecation: string | undefined;
  readonly schema: WritableSchema;
  readonly hasStatus: boolean;
}

/** Compiles a CRD; the faults are those that an API server would report on creating it. */
export function compileDefinition(
  json: Json,
  options: EngineOptions = {},
): { readonly definition: Definition } | { readonly faults: readonly SchemaFault[] } {
  const crd = crdModelOf(json);
  const { schemas, faults } = checkCrd(crd, options.kubernetes);
  if (faults.length > 0) return { faults };
  const definition = definitionOf(crd, (version, index, scope) => {
    const { schema, rules } = schemas[index] ?? {};
    return schema && compiledSchema(schema, rules, version, { scope, ...options });
  });
  return { definition };
}

/** The same for a CRD that had no fault before, without looking for faults again. */
export function compileCheckedDefinition(json: Json, options: EngineOptions = {}): Definition {
  return definitionOf(crdModelOf(json), (version, _, scope) =>
    compileCheckedVersion(version, { scope, ...options }),
  );
}

function definitionOf(
  crd: CrdModel,
  compile: (version: VersionModel, index: number, scope: Definition["scope"]) => WritableSchema | undefined,
): Definition {
  const { group, names, versions } = crd.spec;
  const scope = scopeOf(crd);
  return {
    group,
    kind: names.kind,
    plural: names.plural,
    scope,
    conversion: isConverted(crd) ? "Webhook" : "None",
    versions: versions.flatMap((version, index) => {
      const schema = compile(version, index, scope);
      return schema === undefined ? [] : [compiledVersion(version, schema, deprecationOf(version, crd))];
    }),
  };
}

function compiledVersion(
  version: VersionModel,
  schema: WritableSchema,
  deprecation: string | undefined,
): CompiledVersion {
  const { name, served, storage: stored } = version;
  return { name, served, stored, deprecation, schema, hasStatus: hasStatus(version) };
}
