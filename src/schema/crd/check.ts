import { quote } from "../../go/text.ts";
import { equal } from "../../json/equal.ts";
import { get, type JsonObject, own, textAt } from "../../json/json.ts";
import { asReported, faultsOfMetadata, type NameCheck, subdomainNames } from "../metadata/check.ts";
import { coerceMetadata } from "../metadata/coerce.ts";
import { type CrdModel, hasStatus, schemaIn, type VersionModel } from "../model/crd.ts";
import { invalid, invalidAs, notSupported, required, type SchemaFault } from "../model/fault.ts";
import { type KubernetesVersion, newestKubernetes } from "../model/kubernetes-version.ts";
import { child, root } from "../model/place.ts";
import type { Schema } from "../model/schema.ts";
import { type CheckedSchema, checkSchema, undecodable } from "../structural/schema.ts";
import { faultsOfConversion } from "./conversion.ts";
import { faultsOfGroup, faultsOfLabel, faultsOfNames } from "./names.ts";
import { printVersions, type Shared } from "./print-version.ts";
import {
  faultsOfColumns,
  faultsOfDeprecation,
  faultsOfScale,
  faultsOfSelectableFields,
} from "./subresources.ts";

/** A CRD that was checked: the schemas of its versions, and all faults that the API server would report on creation. */
interface CheckedCrd {
  readonly schemas: readonly CheckedSchema[];
  readonly faults: readonly SchemaFault[];
}

/** Checks a CRD (apiextensions, ValidateCustomResourceDefinition). */
export function checkCrd(crd: CrdModel, kubernetes: KubernetesVersion = newestKubernetes): CheckedCrd {
  const { versions, preserveUnknownFields } = crd.spec;
  const shared = sharedBy(versions);
  const schemas = versions.map((version, index) => {
    const json = schemaIn(version);
    return shared.schema
      ? checkSchema(json, "spec.validation", versions.some(hasStatus), kubernetes)
      : checkSchema(json, `spec.versions[${index}].schema`, hasStatus(version), kubernetes);
  });
  const metadata = coerceMetadata(get(crd.json, "metadata") ?? {});
  const unreadable = [
    ...crd.problems.map(undecodable),
    ...("fault" in metadata ? [undecodable(ofCrd(metadata.fault))] : []),
    ...schemas.flatMap(({ faults }) => faults.filter(({ type }) => type === "")),
  ];
  if ("fault" in metadata || unreadable.length > 0) return { schemas, faults: unreadable.slice(0, 1) };
  return {
    schemas,
    faults: [
      ...faultsOfOwnMetadata(metadata.metadata, crd, kubernetes),
      ...faultsOfSpec(crd, shared, schemas),
      ...faultsOfStoredVersions(versions),
      ...faultsOfApproval(crd),
      ...(preserveUnknownFields ? [preserved] : []),
    ],
  };
}

const preserved = invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

function sharedBy(versions: readonly VersionModel[]): Shared {
  const [first, ...others] = versions;
  const alike = (key: string) => {
    const value = own(first?.json, key) ?? null;
    return first !== undefined && others.every(({ json }) => equal(own(json, key) ?? null, value));
  };
  return {
    schema: alike("schema"),
    subresources: alike("subresources"),
    additionalPrinterColumns: alike("additionalPrinterColumns"),
    selectableFields: alike("selectableFields"),
  };
}

/** The fault of metadata as it is reported of a CRD, whose metadata is a field. */
function ofCrd(fault: string): string {
  return fault.replace(/(?<=into Go struct field \w+\.)/, "metadata.");
}

function faultsOfOwnMetadata(
  metadata: JsonObject,
  { spec: { names, group } }: CrdModel,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const check: NameCheck = (text, prefix) => [
    ...subdomainNames(text, prefix),
    ...(text === `${names.plural}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  const found = faultsOfMetadata(metadata, "Cluster", check, child(root, "metadata"), kubernetes);
  return withoutPaths(asReported(found, kubernetes));
}

function faultsOfSpec(
  { json, spec: { group, scope, names, versions, conversion } }: CrdModel,
  shared: Shared,
  schemas: readonly CheckedSchema[],
): readonly SchemaFault[] {
  const [first] = versions;
  const hasList = (get(json, "spec", "versions") ?? null) !== null;
  // A missing schema is reported once, for the version.
  const ofSchemas = schemas.map(({ schema, faults }) => (schema === undefined ? [] : faults));
  return [
    ...faultsOfGroup(group, "spec.group"),
    ...(scope === "" ? [required("spec.scope")] : []),
    ...(scope === "" || scope === "Cluster" || scope === "Namespaced"
      ? []
      : [notSupported("spec.scope", scope, ["Cluster", "Namespaced"])]),
    ...schemas.flatMap(({ schema }, index) =>
      schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
    ...versions.flatMap((version, index) => {
      const at = `spec.versions[${index}]`;
      return [
        ...faultsOfLabel(version.name, version.name, "", `${at}.name`),
        ...faultsOfDeprecation(version, at),
        ...(shared.schema ? [] : (ofSchemas[index] ?? [])),
        ...faultsOfExtras(version, schemas[index]?.schema, at, shared, false),
      ];
    }),
    ...faultsOfStorage(versions, hasList ? printVersions(versions, schemas, shared) : "null"),
    ...(first === undefined || first.name === ""
      ? []
      : faultsOfLabel(first.name, first.name, "", "spec.version")),
    ...faultsOfNames(names, "spec.names"),
    ...(shared.schema ? (ofSchemas[0] ?? []) : []),
    ...(first === undefined ? [] : faultsOfExtras(first, schemas[0]?.schema, "spec", shared, true)),
    ...faultsOfConversion(conversion, "spec.conversion"),
  ];
}

/** Faults of what a version has beside its schema: of this version, or of all versions where they share it. */
function faultsOfExtras(
  version: VersionModel,
  schema: Schema | undefined,
  at: string,
  shared: Shared,
  isShared: boolean,
): readonly SchemaFault[] {
  return [
    ...(shared.subresources === isShared
      ? faultsOfScale(version.subresources?.scale, `${at}.subresources.scale`)
      : []),
    ...(shared.additionalPrinterColumns === isShared
      ? faultsOfColumns(version.additionalPrinterColumns, `${at}.additionalPrinterColumns`)
      : []),
    ...(shared.selectableFields === isShared
      ? faultsOfSelectableFields(version, schema, `${at}.selectableFields`)
      : []),
  ];
}

function faultsOfStorage(versions: readonly VersionModel[], printed: string): readonly SchemaFault[] {
  const stored = versions.filter(({ storage }) => storage);
  const fault = (why: string) => invalidAs("spec.versions", printed, why);
  return [
    ...(new Set(versions.map(({ name }) => name)).size < versions.length
      ? [fault("must contain unique version names")]
      : []),
    ...(stored.length === 1 ? [] : [fault("must have exactly one version marked as storage version")]),
  ];
}

/** A new CRD gets the first version that is marked as stored. */
function faultsOfStoredVersions(versions: readonly VersionModel[]): readonly SchemaFault[] {
  const [first, ...others] = versions.filter(({ storage }) => storage).map(({ name }) => name);
  const at = "status.storedVersions";
  if (first === undefined) return [invalid(at, null, "must have at least one stored version")];
  return others
    .filter((name) => name !== first)
    .map((name) => invalid(at, [first], `must have the storage version ${name}`));
}

/** Groups of the Kubernetes community need an approval. */
function faultsOfApproval({ json, spec: { group } }: CrdModel): readonly SchemaFault[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const key = "api-approved.kubernetes.io";
  const approval = textAt(get(json, "metadata", "annotations"), key);
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
