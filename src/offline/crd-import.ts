import type { VersionSource } from "../draft/kind-files.ts";
import type { KindNames } from "../draft/kind-text.ts";
import { UsageError } from "../errors.ts";
import { get, isObject, type Json, type JsonObject, set, textAt } from "../json/json.ts";
import { compareVersions, compileCrd } from "../schema/index.ts";
import { type CrdModel, crdModelOf, scopeOf, type VersionModel } from "../schema/model/crd.ts";
import { type YamlParts, yamlParts } from "../yaml/part.ts";
import { writeYaml } from "../yaml/yaml.ts";
import { crdsAmong, rejectedCrd } from "./crd-input.ts";
import type { InputText, PlacedObject } from "./input.ts";

/** A CRD that an API server accepts, with its versions in order. */
export interface ImportedCrd {
  readonly crd: CrdModel;
  readonly names: KindNames;
  readonly versions: readonly VersionSource[];
}

/** In which order the versions of CRDs are: oldest first, by default as Kubernetes orders them. */
interface CrdOrder {
  readonly order?: readonly string[];
}

/** The CRDs of a text, and the number of its other objects. Throws UsageError for a CRD that an API server would reject. */
export function crdsIn(
  text: Pick<InputText, "text" | "objects">,
  plan: CrdOrder,
): { readonly crds: readonly ImportedCrd[]; readonly others: number } {
  const crds = crdsAmong(text.objects);
  const parts = crds.length === 0 ? undefined : partsOf(text);
  return {
    crds: crds.map((crd) => importedCrd(crd, parts?.[crd.document], plan)),
    // Crossplane makes up to two CRDs of one XRD.
    others: text.objects.length - new Set(crds.map(({ source }) => source)).size,
  };
}

/** The documents of a YAML text, with comments; JSON has none. */
function partsOf({ text }: Pick<InputText, "text">): readonly YamlParts[] | undefined {
  return /^\ufeff?\s*[{[]/.test(text) ? undefined : yamlParts(text);
}

function importedCrd(
  { source, value, path: at }: PlacedObject,
  parts: YamlParts | undefined,
  { order }: CrdOrder,
): ImportedCrd {
  rejectFaults(source, value, (field) => parts?.lineOf([...at, ...stepsOf(field)]));
  const crd = crdModelOf(value);
  const versions = crd.spec.versions.map((version, index) =>
    versionSource(version, [...at, "spec", "versions", index], parts),
  );
  return { crd, names: namesOf(crd), versions: ordered(source, versions, order) };
}

function versionSource(
  { name, json: entry }: VersionModel,
  at: readonly (string | number)[],
  parts: YamlParts | undefined,
): VersionSource {
  const write = parts?.write ?? ((_: unknown, value: Json) => writeYaml(value));
  return { name, entry, yaml: write(at, entry) };
}

/** The annotation that the groups of Kubernetes itself need. */
const approvalKey = "api-approved.kubernetes.io";

function namesOf(crd: CrdModel): KindNames {
  const { group, names } = crd.spec;
  const { kind, plural, categories, shortNames } = names;
  const approval = textAt(crd.json, "metadata", "annotations", approvalKey);
  const approved = approval === "" ? {} : { approval };
  return { group, kind, plural, scope: scopeOf(crd), categories, shortNames, ...approved };
}

/** Throws UsageError with a line for each reason for which an API server would reject the CRD. */
function rejectFaults(source: string, crd: JsonObject, lineOf: (field: string) => number | undefined): void {
  const compiled = compileCrd(definitionOf(crd));
  if ("crd" in compiled) return;
  const file = source.replace(/:\d+.*$/, "");
  throw rejectedCrd(source, crd, compiled.causes, (field) => {
    const line = lineOf(field);
    return line === undefined ? "" : `${file}:${line}: `;
  });
}

/** What the kind takes over: its labels and conversion are written anew, so that the templates of a chart do not matter there. */
function definitionOf({ apiVersion, kind, metadata, spec }: JsonObject): JsonObject {
  const approved = get(metadata, "annotations", approvalKey);
  const annotations = approved === undefined ? {} : { annotations: { [approvalKey]: approved } };
  return {
    apiVersion: apiVersion ?? "",
    kind: kind ?? "",
    metadata: { name: get(metadata, "name") ?? "", ...annotations },
    spec: isObject(spec) ? set(spec, "conversion", undefined) : (spec ?? null),
  };
}

/** The steps of a field as an API server prints it: `spec.versions[0].schema.openAPIV3Schema.properties[spec].type`. */
function stepsOf(field: string): readonly (string | number)[] {
  const steps = field.match(/[^.[\]]+/g) ?? [];
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** The versions, oldest first. Throws UsageError if the given order does not name exactly these. */
function ordered(
  source: string,
  versions: readonly VersionSource[],
  order: readonly string[] | undefined,
): readonly VersionSource[] {
  if (order === undefined) return versions.toSorted((a, b) => compareVersions(a.name, b.name));
  const names = versions.map(({ name }) => name);
  const isSame = order.length === names.length && names.every((name) => order.includes(name));
  if (!isSame)
    throw new UsageError(
      `--order ${order.join(",")}: ${source} has the versions ${names.join(", ")}; name each of them once, oldest first`,
    );
  return versions.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}
