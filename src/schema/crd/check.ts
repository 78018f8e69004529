import { quote } from "../../go/text.ts";
import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, own } from "../../json/json.ts";
import { compileVersion, type EngineOptions, endpointOf, type WritableSchema } from "../compile.ts";
import { invalid, invalidAs, notSupported, required, type SchemaFault } from "../fault.ts";
import { type KubernetesVersion, newestKubernetes } from "../kubernetes-version.ts";
import { asReported, faultsOfMetadata, type NameCheck, subdomainNames, textIn } from "../metadata/check.ts";
import { coerceMetadata } from "../metadata/coerce.ts";
import { readSchema } from "../model.ts";
import { child, root } from "../place.ts";
import { faultsOfConversion } from "./conversion.ts";
import { faultsOfGroup, faultsOfLabel, faultsOfNames, namesOf } from "./names.ts";
import { printVersions } from "./print-version.ts";
import {
  faultsOfColumns,
  faultsOfDeprecation,
  faultsOfSelectableFields,
  faultsOfSubresources,
} from "./subresources.ts";

/** A CRD that was checked: its versions' schemas, compiled, and all faults that the API server would report on creation. */
interface CheckedCrd {
  readonly schemas: readonly WritableSchema[];
  readonly faults: readonly SchemaFault[];
}

/** What is the same in all versions: the API server's internal type holds it once, and faults name that place. */
interface Shared {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly additionalPrinterColumns: boolean;
  readonly selectableFields: boolean;
}

/** Checks a CRD (apiextensions, ValidateCustomResourceDefinition). */
export function checkCrd(crd: Json, options: EngineOptions = {}): CheckedCrd {
  const spec = get(crd, "spec");
  const found = get(spec, "versions");
  const versions = (isArray(found) ? found : []).map((entry) => (isObject(entry) ? entry : {}));
  const shared = sharedBy(versions);
  const schemas = versions.map((entry, index) =>
    compiledSchema(entry, index, versions, shared, get(spec, "scope"), options),
  );
  const unreadable = schemas
    .flatMap((each) => ("faults" in each ? each.faults : []))
    .find(({ type }) => type === "");
  if (unreadable !== undefined) return { schemas: [], faults: [unreadable] };
  // A missing schema is reported once, for the version.
  const schemaFaults = schemas.map((each, index) =>
    hasSchema(versions[index]) && "faults" in each ? each.faults : [],
  );
  return {
    schemas: schemas.flatMap((each) => ("schema" in each ? [each.schema] : [])),
    faults: [
      ...faultsOfOwnMetadata(crd, spec, options.kubernetes ?? newestKubernetes),
      ...faultsOfSpec(spec, versions, shared, schemaFaults),
      ...faultsOfStoredVersions(versions),
      ...faultsOfApproval(crd, textIn(spec, "group")),
      ...(own(spec, "preserveUnknownFields") === true ? [preserved] : []),
    ],
  };
}

const preserved = invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

function hasSchema(entry: Json | undefined): boolean {
  return isObject(get(entry, "schema", "openAPIV3Schema"));
}

function sharedBy(versions: readonly JsonObject[]): Shared {
  const [first, ...others] = versions;
  const alike = (key: string) => {
    const value = own(first, key) ?? null;
    return first !== undefined && others.every((entry) => equal(own(entry, key) ?? null, value));
  };
  return {
    schema: alike("schema"),
    subresources: alike("subresources"),
    additionalPrinterColumns: alike("additionalPrinterColumns"),
    selectableFields: alike("selectableFields"),
  };
}

function compiledSchema(
  entry: JsonObject,
  index: number,
  versions: readonly JsonObject[],
  shared: Shared,
  scope: Json | undefined,
  options: EngineOptions,
): ReturnType<typeof compileVersion> {
  const any = versions.some((each) => endpointOf(each) === "status") ? "status" : "none";
  return compileVersion(entry, {
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    at: shared.schema ? "spec.validation" : `spec.versions[${index}].schema`,
    endpoint: shared.schema ? any : endpointOf(entry),
    ...options,
  });
}

function faultsOfOwnMetadata(
  crd: Json,
  spec: Json | undefined,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const coerced = coerceMetadata(get(crd, "metadata") ?? {});
  const metadata = "fault" in coerced ? {} : coerced.metadata;
  const expected = `${textIn(get(spec, "names"), "plural")}.${textIn(spec, "group")}`;
  const names: NameCheck = (text, prefix) => [
    ...subdomainNames(text, prefix),
    ...(text === expected ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  const found = faultsOfMetadata(metadata, "Cluster", names, child(root, "metadata"), kubernetes);
  return withoutPaths(asReported(found, kubernetes));
}

function faultsOfSpec(
  spec: Json | undefined,
  versions: readonly JsonObject[],
  shared: Shared,
  schemaFaults: readonly (readonly SchemaFault[])[],
): readonly SchemaFault[] {
  const scope = textIn(spec, "scope");
  const first = versions[0];
  return [
    ...faultsOfGroup(textIn(spec, "group"), "spec.group"),
    ...(scope === "" ? [required("spec.scope")] : []),
    ...(scope === "" || scope === "Cluster" || scope === "Namespaced"
      ? []
      : [notSupported("spec.scope", scope, ["Cluster", "Namespaced"])]),
    ...versions.flatMap((entry, index) =>
      hasSchema(entry) ? [] : [required(`spec.versions[${index}].schema.openAPIV3Schema`)],
    ),
    ...versions.flatMap((entry, index) => faultsOfVersion(entry, index, shared, schemaFaults[index] ?? [])),
    ...faultsOfStorage(versions, shared),
    ...(first === undefined
      ? []
      : faultsOfLabel(textIn(first, "name"), textIn(first, "name"), "", "spec.version")),
    ...faultsOfNames(namesOf(get(spec, "names")), "spec.names"),
    ...(shared.schema ? (schemaFaults[0] ?? []) : []),
    ...(first === undefined ? [] : faultsOfExtras(first, "spec", shared, true)),
    ...faultsOfConversion(own(spec, "conversion"), "spec.conversion"),
  ];
}

function faultsOfVersion(
  entry: JsonObject,
  index: number,
  shared: Shared,
  schemaFaults: readonly SchemaFault[],
): readonly SchemaFault[] {
  const at = `spec.versions[${index}]`;
  return [
    ...faultsOfLabel(textIn(entry, "name"), textIn(entry, "name"), "", `${at}.name`),
    ...faultsOfDeprecation(entry, at),
    ...(shared.schema ? [] : schemaFaults),
    ...faultsOfExtras(entry, at, shared, false),
  ];
}

/** Faults of what a version has beside its schema: of this version, or of all versions where they share it. */
function faultsOfExtras(
  entry: JsonObject,
  at: string,
  shared: Shared,
  isShared: boolean,
): readonly SchemaFault[] {
  const fields = own(entry, "selectableFields");
  const schema = get(entry, "schema", "openAPIV3Schema");
  return [
    ...(shared.subresources === isShared
      ? faultsOfSubresources(own(entry, "subresources"), `${at}.subresources`)
      : []),
    ...(shared.additionalPrinterColumns === isShared
      ? faultsOfColumns(own(entry, "additionalPrinterColumns"), `${at}.additionalPrinterColumns`)
      : []),
    ...(shared.selectableFields === isShared && isArray(fields) && isObject(schema)
      ? faultsOfSelectableFields(fields, readSchema(schema), `${at}.selectableFields`)
      : []),
  ];
}

function faultsOfStorage(versions: readonly JsonObject[], shared: Shared): readonly SchemaFault[] {
  const names = versions.map((entry) => textIn(entry, "name"));
  const stored = versions.filter((entry) => own(entry, "storage") === true);
  const fault = (why: string) => invalidAs("spec.versions", printVersions(versions, shared), why);
  return [
    ...(new Set(names).size < names.length ? [fault("must contain unique version names")] : []),
    ...(stored.length === 1 ? [] : [fault("must have exactly one version marked as storage version")]),
  ];
}

/** A new CRD gets the first version that is marked as stored. */
function faultsOfStoredVersions(versions: readonly JsonObject[]): readonly SchemaFault[] {
  const [first, ...others] = versions
    .filter((entry) => own(entry, "storage") === true)
    .map((entry) => textIn(entry, "name"));
  const at = "status.storedVersions";
  if (first === undefined) return [invalid(at, null, "must have at least one stored version")];
  return others
    .filter((name) => name !== first)
    .map((name) => invalid(at, [first], `must have the storage version ${name}`));
}

/** Groups of the Kubernetes community need an approval. */
function faultsOfApproval(crd: Json, group: string): readonly SchemaFault[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const key = "api-approved.kubernetes.io";
  const approval = textIn(get(crd, "metadata", "annotations"), key);
  const at = `metadata.annotations[${key}]`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  const must = `protected groups must have approval annotation ${quote(key)}`;
  if (approval === "") return [required(at, `${must}, ${see}`)];
  if (approval.startsWith("unapproved") || /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]/.test(approval)) return [];
  return [invalid(at, approval, `${must} with either a URL or a reason starting with "unapproved", ${see}`)];
}

function withoutPaths(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  return faults.map(({ path: _, ...fault }) => fault);
}
