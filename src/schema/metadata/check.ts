import { annotationLimit } from "../../apimachinery/limits.ts";
import {
  faultsOfDNS1123Label,
  faultsOfDNS1123Subdomain,
  faultsOfLabelValue,
  faultsOfPathSegmentName,
  faultsOfPathSegmentPrefix,
  faultsOfQualifiedName,
  maskTrailingDash,
} from "../../apimachinery/names.ts";
import { isInt64, printJson } from "../../go/json.ts";
import { byteLength, compareBytes, quote } from "../../go/text.ts";
import { equal } from "../../json/equal.ts";
import { toDouble } from "../../json/exact.ts";
import { get, isObject, type Json, type JsonObject, listAt, own, textAt } from "../../json/json.ts";
import {
  forbidden,
  invalid,
  invalidAs,
  notSupported,
  required,
  type SchemaFault,
  tooLong,
} from "../model/fault.ts";
import { isSince, type KubernetesVersion } from "../model/kubernetes-version.ts";
import { child, item, type Place } from "../model/place.ts";

/** Whether objects of a kind live in namespaces; undefined where that is not known and not checked. */
export type Scope = "Namespaced" | "Cluster" | undefined;

/** How a name is checked, or a prefix to which the API server appends. */
export type NameCheck = (text: string, prefix: boolean) => readonly string[];

/** Names of custom resources. */
export const subdomainNames: NameCheck = (text, prefix) =>
  faultsOfDNS1123Subdomain(prefix ? maskTrailingDash(text) : text);

/** Names of any resource, which are parts of URLs. */
export const pathNames: NameCheck = (text, prefix) =>
  prefix ? faultsOfPathSegmentPrefix(text) : faultsOfPathSegmentName(text);

/**
 * Faults of metadata as the strategy of a kind reports them: since v1.37 each once, for the API server takes them through an
 * aggregate (apimachinery, ValidateObjectMetaDeclaratively).
 */
export function asReported(
  faults: readonly SchemaFault[],
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  if (!isSince(kubernetes, "1.37")) return faults;
  return [...new Map(faults.map((each) => [`${each.field}: ${each.message}`, each])).values()];
}

/** What is wrong with the metadata of an object (apimachinery, ValidateObjectMetaAccessor). */
export function faultsOfMetadata(
  metadata: JsonObject,
  scope: Scope,
  names: NameCheck,
  at: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const [name, generateName] = [textAt(metadata, "name"), textAt(metadata, "generateName")];
  if (generateName !== "") {
    faults.push(
      ...names(generateName, true).map((why) => invalid(child(at, "generateName"), generateName, why)),
    );
  }
  if (name === "") faults.push(required(child(at, "name"), "name or generateName is required"));
  else faults.push(...names(name, false).map((why) => invalid(child(at, "name"), name, why)));
  faults.push(...faultsOfNamespace(textAt(metadata, "namespace"), scope, child(at, "namespace")));
  faults.push(...faultsOfGeneration(metadata, at));
  const finalizers = faultsOfFinalizers(textsIn(metadata, "finalizers"), child(at, "finalizers"));
  return [...faults, ...faultsOfContent(metadata, at, kubernetes), ...finalizers];
}

function faultsOfGeneration(metadata: JsonObject, at: Place): readonly SchemaFault[] {
  const generation = own(metadata, "generation");
  if (!isInt64(generation) || toDouble(generation) >= 0) return [];
  return [invalid(child(at, "generation"), generation, "must be greater than or equal to 0")];
}

/** What is wrong with a change of metadata (ValidateObjectMetaAccessorUpdate). */
export function faultsOfMetadataUpdate(
  metadata: JsonObject,
  old: JsonObject,
  at: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = isSince(kubernetes, "1.37") ? [...faultsOfGeneration(metadata, at)] : [];
  if (own(old, "deletionTimestamp") !== undefined) {
    const known = new Set(textsIn(old, "finalizers"));
    const added = [...new Set(textsIn(metadata, "finalizers"))]
      .filter((each) => !known.has(each))
      .toSorted(compareBytes);
    if (added.length > 0) {
      const list = `[]string{${added.map(quote).join(", ")}}`;
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      faults.push(forbidden(child(at, "finalizers"), why));
    }
  }
  for (const key of immutable) {
    const [after, before] = [own(metadata, key), own(old, key)];
    if (!equal(after, before))
      faults.push(invalid(child(at, key), after ?? emptyOf(key), "field is immutable"));
  }
  return [...faults, ...faultsOfContent(metadata, at, kubernetes)];
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function emptyOf(key: (typeof immutable)[number]): Json {
  return key === "name" || key === "namespace" || key === "uid" ? "" : null;
}

function faultsOfContent(
  metadata: JsonObject,
  at: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  return [
    ...faultsOfLabels(own(metadata, "labels"), child(at, "labels")),
    ...faultsOfAnnotations(own(metadata, "annotations"), child(at, "annotations")),
    ...faultsOfOwners(own(metadata, "ownerReferences"), child(at, "ownerReferences"), kubernetes),
    ...faultsOfManagers(own(metadata, "managedFields"), child(at, "managedFields"), kubernetes),
  ];
}

function faultsOfNamespace(namespace: string, scope: Scope, at: Place): readonly SchemaFault[] {
  if (scope === undefined) return [];
  if (scope === "Cluster") return namespace === "" ? [] : [forbidden(at, "not allowed on this type")];
  if (namespace === "") return [required(at)];
  return faultsOfDNS1123Label(namespace).map((why) => invalid(at, namespace, why));
}

function faultsOfLabels(labels: Json | undefined, at: Place): readonly SchemaFault[] {
  if (!isObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...faultsOfQualifiedName(key).map((why) => invalid(at, key, why)),
    ...(typeof value === "string" ? faultsOfLabelValue(value).map((why) => invalid(at, value, why)) : []),
  ]);
}

function faultsOfAnnotations(annotations: Json | undefined, at: Place): readonly SchemaFault[] {
  if (!isObject(annotations)) return [];
  let bytes = 0;
  const faults: SchemaFault[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    faults.push(...faultsOfQualifiedName(key.toLowerCase()).map((why) => invalid(at, key, why)));
    bytes += byteLength(key) + (typeof value === "string" ? byteLength(value) : 0);
  }
  return bytes > annotationLimit ? [...faults, tooLong(at, annotationLimit)] : faults;
}

function faultsOfOwners(
  owners: Json | undefined,
  at: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  let controller: string | undefined;
  for (const [index, owner] of listAt(owners).entries()) {
    faults.push(
      ...(isSince(kubernetes, "1.37") ? faultsOfOwner(owner, item(at, index)) : faultsOfOwner136(owner, at)),
    );
    if (get(owner, "controller") !== true) continue;
    const named = `${textAt(owner, "kind")}/${textAt(owner, "name")}`;
    const both = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${named}`;
    if (controller !== undefined) faults.push(invalidAs(at, printedOwners(owners), both));
    controller ??= named;
  }
  return faults;
}

function faultsOfOwner(owner: Json, at: Place): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  for (const key of ["apiVersion", "kind", "name", "uid"]) {
    const text = textAt(owner, key);
    if (text === "") faults.push(required(child(at, key), "must not be empty"));
    else if (key === "apiVersion" && versionIn(text) === "") {
      faults.push(invalid(child(at, key), text, "must be <group>/<version> or <version>"));
    }
  }
  return [...faults, ...faultsOfBanned(owner, at)];
}

/** Up to v1.36 nothing says which of several owners is meant. */
function faultsOfOwner136(owner: Json, at: Place): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const [apiVersion, kind] = [textAt(owner, "apiVersion"), textAt(owner, "kind")];
  if (versionIn(apiVersion) === "")
    faults.push(invalid(child(at, "apiVersion"), apiVersion, "version must not be empty"));
  if (kind === "") faults.push(invalid(child(at, "kind"), kind, "must not be empty"));
  for (const key of ["name", "uid"]) {
    if (textAt(owner, key) === "") faults.push(invalid(child(at, key), "", "must not be empty"));
  }
  return [...faults, ...faultsOfBanned(owner, at)];
}

/** The version in an apiVersion; empty where it has none. */
function versionIn(apiVersion: string): string {
  const parts = apiVersion.split("/");
  return parts.length > 2 ? "" : (parts.at(-1) ?? "");
}

function faultsOfBanned(owner: Json, at: Place): readonly SchemaFault[] {
  if (textAt(owner, "apiVersion") !== "v1" || textAt(owner, "kind") !== "Event") return [];
  return [invalidAs(at, printedOwner(owner), "/v1, Kind=Event is disallowed from being an owner")];
}

/** Owners print as their Go struct, whose fields have an order. */
function printedOwners(owners: Json | undefined): string {
  return `[${listAt(owners).map(printedOwner).join(",")}]`;
}

const ownerFields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];

function printedOwner(owner: Json): string {
  const fields = ownerFields.flatMap((key) => {
    const value = own(owner, key);
    return value === undefined ? [] : [`"${key}":${printJson(value)}`];
  });
  return `{${fields.join(",")}}`;
}

function faultsOfFinalizers(finalizers: readonly string[], at: Place): readonly SchemaFault[] {
  const faults = finalizers.flatMap((each) =>
    faultsOfQualifiedName(each).map((why) => invalid(at, each, why)),
  );
  const both = ["orphan", "foregroundDeletion"].every((each) => finalizers.includes(each));
  if (!both) return faults;
  return [...faults, invalid(at, finalizers, "finalizer orphan and foregroundDeletion cannot be both set")];
}

function faultsOfManagers(
  entries: Json | undefined,
  at: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  return listAt(entries).flatMap((entry, index) => {
    const here = item(at, index);
    const faults: SchemaFault[] = [];
    const [operation, fieldsType] = [textAt(entry, "operation"), textAt(entry, "fieldsType")];
    if (operation !== "Apply" && operation !== "Update") {
      faults.push(faultOfOperation(operation, child(here, "operation"), kubernetes));
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      faults.push(invalid(child(here, "fieldsType"), fieldsType, "must be `FieldsV1`"));
    }
    if (byteLength(textAt(entry, "manager")) > 128) faults.push(tooLong(child(here, "manager"), 128));
    if (byteLength(textAt(entry, "subresource")) > 256) faults.push(tooLong(child(here, "subresource"), 256));
    return faults;
  });
}

function faultOfOperation(operation: string, at: Place, kubernetes: KubernetesVersion): SchemaFault {
  if (!isSince(kubernetes, "1.37")) return invalid(at, operation, "must be `Apply` or `Update`");
  return operation === ""
    ? required(at, "must not be empty")
    : notSupported(at, operation, ["Apply", "Update"]);
}

/** The texts of a list. */
function textsIn(value: Json | undefined, key: string): readonly string[] {
  return listAt(value, key).filter((each) => typeof each === "string");
}

const ownFinalizers = ["orphan", "foregroundDeletion", "kubernetes"];

/** The API server's warnings about new finalizers without a domain (registry/customresource/validator.go). */
export function warningsOfFinalizers(metadata: Json | undefined, old?: Json): readonly string[] {
  const known = new Set(textsIn(old, "finalizers"));
  const added = [...new Set(textsIn(metadata, "finalizers"))]
    .filter((each) => !known.has(each))
    .toSorted(compareBytes);
  return added.flatMap((finalizer) => {
    const here = `metadata.finalizers: ${quote(finalizer)}`;
    const malformed = faultsOfQualifiedName(finalizer).map((why) => `${here}: ${why}`);
    if (finalizer.includes("/") || ownFinalizers.includes(finalizer)) return malformed;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    return [
      ...malformed,
      `${here}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}
