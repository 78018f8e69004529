import { jsonSort } from "../go/json.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Path, stepsOfField } from "../json/path.ts";
import type { CompiledSchema, EngineOptions } from "../schema/crd/compile.ts";
import { compileDefinition } from "../schema/crd/define.ts";
import type { SchemaFault } from "../schema/model/fault.ts";
import type { KindDefinition } from "./kind.ts";

/** A fault of a CRD, at a version's file by its index with a path in it, or at a property of the definition. */
export type CrdFault = { readonly sentence: string } & (
  | { readonly version: number; readonly path: Path }
  | { readonly property: string }
);

/** The compiled schemas of a kind's versions; else what an API server would find wrong with its CRD. */
type CheckedEntries =
  | { readonly schemas: readonly CompiledSchema[] }
  | { readonly faults: readonly CrdFault[] };

/** Checks the CRD of a kind, given the entries of its versions, the newest last. */
export function checkEntries(
  definition: KindDefinition,
  entries: readonly JsonObject[],
  options: EngineOptions,
): CheckedEntries {
  const compiled = compileDefinition(crdOf(definition, entries), options);
  if ("definition" in compiled) return { schemas: compiled.definition.versions.map(({ schema }) => schema) };
  return { faults: compiled.faults.map((fault) => placed(fault, entries)) };
}

/** The CRD of a kind as it is checked: it converts nothing. */
export function crdOf(definition: KindDefinition, entries: readonly JsonObject[]): JsonObject {
  const { group, kind, plural, scope, categories = [], shortNames = [] } = definition;
  const names = {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    categories,
    shortNames,
  };
  const versions = entries.map((entry, index) => ({ ...entry, storage: index === entries.length - 1 }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    // A protected group needs this annotation, which its owner may add to the generated CRD.
    metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved" } },
    spec: { group, names, scope, versions, conversion: { strategy: "None" } },
  };
}

function placed({ type, field, message }: SchemaFault, entries: readonly JsonObject[]): CrdFault {
  if (type === "") return undecodable(message, entries);
  const [, index, inside = ""] = /^spec\.versions\[(\d+)\]\.?(.*)$/s.exec(field) ?? [];
  if (index !== undefined) return at(Number(index), inside, message);
  // What all versions share stands once, outside of them, in the API server's internal type.
  const [, shared = ""] =
    /^spec\.((?:validation|subresources|additionalPrinterColumns|selectableFields)\b.*)$/s.exec(field) ?? [];
  if (shared !== "") return at(entries.length - 1, shared.replace(/^validation/, "schema"), message);
  return { property: propertyIn(field), sentence: rejected(field, message) };
}

function at(version: number, field: string, message: string): CrdFault {
  return { version, path: stepsOfField(field), sentence: rejected(field, message) };
}

/** A value of another type than its Go field: encoding/json names only the end of its path, and the sort of value. */
function undecodable(message: string, entries: readonly JsonObject[]): CrdFault {
  const [, sort = "", field = ""] =
    /cannot unmarshal (\w+)(?: \S+)? into Go struct field \w+\.(\S+) of type/.exec(message) ?? [];
  const key = field.split(".").at(-1);
  const found = entries.map((entry) =>
    pathTo(entry, (value, name) => name === key && jsonSort(value) === sort),
  );
  const version = found.findIndex((path) => path !== undefined);
  const sentence = rejected("", message);
  return field.startsWith("spec.versions.") && version >= 0
    ? { version, path: found[version] ?? [], sentence }
    : { property: propertyIn(field), sentence };
}

function propertyIn(field: string): string {
  const [, property = "versions"] = /^spec\.(?:names\.)?(\w+)/.exec(field) ?? [];
  return property;
}

/** The path of the first value that is meant, in depth. */
function pathTo(value: Json, isMeant: (value: Json, name: string) => boolean): Path | undefined {
  if (!isObject(value) && !isArray(value)) return undefined;
  for (const [name, below] of Object.entries(value)) {
    if (isMeant(below, name)) return [name];
    const path = pathTo(below, isMeant);
    if (path !== undefined) return [name, ...path];
  }
  return undefined;
}

function rejected(field: string, message: string): string {
  return `the API server would reject it: ${field === "" ? "" : `${field}: `}${message}`;
}
