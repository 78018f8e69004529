import { get, isArray, isObject, type Json } from "../json/json.ts";
import { compileVersion, type WholeSchema } from "./compile.ts";
import type { SchemaFault } from "./fault.ts";
import { type Scale, scaleOf } from "./scale.ts";

/** A CRD, compiled once. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly CompiledVersion[];
}

/** One of its versions. */
export interface CompiledVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: WholeSchema;
  readonly hasStatus: boolean;
  readonly scale?: Scale;
}

/** Compiles a CRD; the faults are what the API server would say on creating it. */
export function compileDefinition(
  crd: Json,
): { readonly definition: Definition } | { readonly faults: readonly SchemaFault[] } {
  const spec = get(crd, "spec");
  const scope = get(spec, "scope") === "Cluster" ? "Cluster" : "Namespaced";
  const entries = get(spec, "versions");
  const versions: CompiledVersion[] = [];
  for (const entry of isArray(entries) ? entries.filter(isObject) : []) {
    const compiled = compileVersion(entry, { scope });
    if ("faults" in compiled) return compiled;
    const scale = scaleOf(get(entry, "subresources", "scale"));
    versions.push({
      name: String(entry.name),
      served: entry.served === true,
      schema: compiled.schema,
      hasStatus: (get(entry, "subresources", "status") ?? null) !== null,
      ...(scale === undefined ? {} : { scale }),
    });
  }
  return {
    definition: {
      group: String(get(spec, "group")),
      kind: String(get(spec, "names", "kind")),
      plural: String(get(spec, "names", "plural")),
      scope,
      versions,
    },
  };
}
