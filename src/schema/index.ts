// The package's entry point `antechamber/schema`: what a Kubernetes API server says of CRDs and custom resources, without a
// server. It uses nothing but ECMAScript, so that it runs in Node.js, browsers and editors alike.

import { apiVersionOf } from "../apimachinery/resource.ts";
import { parseJson as parseExact } from "../json/exact.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { isObject, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import {
  type CompiledVersion,
  compileCheckedDefinition,
  compileDefinition,
  type Definition,
} from "./crd/define.ts";
import { warningsOfCrd } from "./crd/warnings.ts";
import type { FaultType, SchemaFault } from "./model/fault.ts";
import { type KubernetesVersion, newestKubernetes } from "./model/kubernetes-version.ts";
import type { Pruned } from "./structural/transform.ts";
import { type Answer, answerWrite, checkWrite, type SchemaWrite } from "./write/answer.ts";
import { type Conversion, readAt, renaming, storedAs } from "./write/read-back.ts";
import { badRequestStatus, invalidStatus } from "./write/status.ts";

export { withPlainNumbers } from "../go/decode.ts";
export { writeJson } from "../json/exact.ts";
export type { ExactNumber, Json, JsonArray, JsonObject } from "../json/json.ts";
export type { Path } from "../json/path.ts";
export { compareVersions } from "./crd/warnings.ts";
export type { FaultType } from "./model/fault.ts";
export {
  type KubernetesVersion,
  kubernetesVersionOf,
  kubernetesVersions,
  nearestKubernetes,
} from "./model/kubernetes-version.ts";
export type { Pruned } from "./structural/transform.ts";
export type { Answer, SchemaWrite } from "./write/answer.ts";
export type { FieldValidation } from "./write/decode.ts";
export type { Conversion } from "./write/read-back.ts";
export { failure } from "./write/status.ts";

/**
 * Reads JSON text as the API server does: exact numbers, and floats like `1.0` apart from integers.
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseJson(text: string): Json {
  return parseExact(text, "as written");
}

/** One thing that is wrong, as the API server reports it in `status.details.causes`. */
export interface SchemaCause {
  /** As the API server prints it: `spec.lights[0].name`, `<nil>` for the object itself; empty where there is no reason. */
  readonly field: string;
  /** The same place as steps; absent where the field is not a place in the object. */
  readonly path?: Path;
  /** Empty where the API server answers without causes: it cannot read what was sent, or there is a conflict. */
  readonly reason: FaultType;
  /** `Invalid value: 3: should be at most 2`. */
  readonly message: string;
  /** The end of the message, without the kind of fault and the value: `should be at most 2`. */
  readonly detail: string;
}

/** What is wrong with an object, and the warnings that come with the answer in any case. */
export interface SchemaVerdict {
  readonly causes: readonly SchemaCause[];
  readonly warnings: readonly string[];
}

/** One version of a CRD. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly stored: boolean;
  /** The warning of every request to it, if it is deprecated. */
  readonly deprecation?: string;
  /**
   * What is wrong with an object as a client sends it: with its metadata, by the schema, and by its rules. With an old object
   * it is an update: what is immutable must not change, transition rules apply, and what did not change may stay invalid.
   * Unknown fields cause warnings. An object without a namespace is taken to be in `default`, as by kubectl.
   */
  readonly validate: (
    object: JsonObject,
    oldObject?: JsonObject,
    options?: { readonly subresource?: "status" },
  ) => SchemaVerdict;
  /** The object with defaults filled in and meaningless nulls dropped; the same object where nothing changes. */
  readonly default: (object: JsonObject) => JsonObject;
  /** The object without unknown fields, and their paths; the same object where there are none. */
  readonly prune: (object: JsonObject) => Pruned;
}

/** A CRD that was compiled. */
export interface Crd {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** What converts between versions: nothing but the apiVersion is changed, or a webhook does it. */
  readonly conversion: "None" | "Webhook";
  readonly versions: readonly CrdVersion[];
  /** The API server's warnings when it creates the CRD. */
  readonly warnings: readonly string[];
  /** The API server's answer to a write at the version that the object's apiVersion names: the stored object, or a Status. */
  readonly write: (write: SchemaWrite) => Answer;
  /**
   * A stored object as it is read at a version: pruned and with the defaults of the version that it is stored as, converted, by its
   * apiVersion alone where no conversion is given, and pruned by the other version.
   * @throws {RangeError} for an unknown version
   */
  readonly read: (stored: JsonObject, version: string, convert?: Conversion) => JsonObject;
  /**
   * An object, as `write` returns it, as it is stored.
   * @throws {RangeError} for an unknown version
   */
  readonly store: (written: JsonObject, convert?: Conversion) => JsonObject;
}

/** Which API server answers. */
export interface CrdOptions {
  /** Its release of Kubernetes, such as `1.36`; by default the newest that is known. */
  readonly kubernetesVersion?: KubernetesVersion;
}

/** Compiles a CRD, or says what an API server would find wrong with it. */
export function compileCrd(
  crd: JsonObject,
  { kubernetesVersion: kubernetes = newestKubernetes }: CrdOptions = {},
): { readonly crd: Crd } | { readonly causes: readonly SchemaCause[] } {
  const compiled = compileDefinition(crd, { kubernetes });
  if ("faults" in compiled) return { causes: compiled.faults.map(causeOf) };
  return { crd: crdOf(compiled.definition, kubernetes) };
}

/** The same for a CRD in which the newest API server found nothing wrong before: only for an older one it is checked again. */
export function compileCheckedCrd(crd: JsonObject, options: CrdOptions = {}): ReturnType<typeof compileCrd> {
  const { kubernetesVersion = newestKubernetes } = options;
  if (kubernetesVersion !== newestKubernetes) return compileCrd(crd, options);
  return { crd: crdOf(compileCheckedDefinition(crd), newestKubernetes) };
}

function crdOf(definition: Definition, kubernetes: KubernetesVersion): Crd {
  const { group, kind, plural, scope, conversion, versions } = definition;
  const find = (apiVersion: Json | undefined) => {
    const found = versions.find(({ name }) => apiVersionOf(group, name) === apiVersion);
    if (found === undefined) throw new RangeError(`${plural}.${group} has no version ${String(apiVersion)}`);
    return found;
  };
  return {
    group,
    kind,
    plural,
    scope,
    conversion,
    versions: versions.map((version) => versionOf(definition, version)),
    warnings: warningsOfCrd(
      versions.map(({ schema }) => schema.model),
      kubernetes,
    ),
    write: (write) => answerWrite(definition, write),
    read: (stored, version, convert = renaming(definition)) =>
      readAt(stored, find(stored.apiVersion), find(apiVersionOf(group, version)), convert),
    store: (written, convert = renaming(definition)) => {
      const version = find(written.apiVersion);
      return storedAs(written, versions.find(({ stored }) => stored) ?? version, version, convert);
    },
  };
}

/** What an API server would find wrong with a CRD on creating it: whether schemas are structural, defaults valid, rules sound. */
export function checkDefinition(crd: JsonObject, options: CrdOptions = {}): SchemaVerdict {
  const compiled = compileCrd(crd, options);
  return "causes" in compiled
    ? { causes: compiled.causes, warnings: [] }
    : { causes: [], warnings: compiled.crd.warnings };
}

/** The Status with which an API server rejects a CRD for causes. */
export function crdStatus(crd: JsonObject, causes: readonly SchemaCause[]): JsonObject {
  const { metadata } = crd;
  const name = isObject(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  const unreadable = causes.find(({ reason }) => reason === "");
  if (unreadable !== undefined) return badRequestStatus(unreadable.message);
  return invalidStatus("apiextensions.k8s.io", "CustomResourceDefinition", name, causes);
}

function versionOf(definition: Definition, version: CompiledVersion): CrdVersion {
  const { name, served, stored, deprecation, schema } = version;
  const placed = (object: JsonObject) => inNamespace(object, definition);
  return {
    name,
    served,
    stored,
    ...(deprecation === undefined ? {} : { deprecation }),
    validate: (object, oldObject, { subresource } = {}) => {
      const old = oldObject === undefined ? {} : { old: schema.defaulted(placed(oldObject)) };
      const write = { object: placed(object), ...old, ...(subresource === undefined ? {} : { subresource }) };
      const checked = checkWrite(definition, version, write);
      const { warnings } = checked;
      if (!("status" in checked)) return { causes: [], warnings };
      const causes = checked.faults.map(causeOf);
      return { causes: causes.length > 0 ? causes : [causeOfStatus(checked.status)], warnings };
    },
    default: schema.defaulted,
    prune: schema.prune,
  };
}

/** The object in a namespace where its kind has them, as kubectl sends it. */
function inNamespace(object: JsonObject, { scope }: Definition): JsonObject {
  const metadata: Json = object.metadata ?? {};
  if (scope === "Cluster" || !isObject(metadata) || Object.hasOwn(metadata, "namespace")) return object;
  return set(object, "metadata", { ...metadata, namespace: "default" });
}

/** A rejection without causes, as one: what was sent cannot be read, or is not of the object's latest version. */
function causeOfStatus({ message }: JsonObject): SchemaCause {
  return { field: "", reason: "", message: String(message), detail: String(message) };
}

function causeOf({ type, field, path, message, detail }: SchemaFault): SchemaCause {
  return { field, ...(path === undefined ? {} : { path }), reason: type, message, detail };
}
