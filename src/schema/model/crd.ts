import { isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import {
  flag,
  listOf,
  mapOf,
  numberOf,
  objectIn,
  optional,
  type Reader,
  structOf,
  text,
  textOf,
  texts,
} from "./go-struct.ts";

// A CRD as the API server holds it (apiextensions v1, types.go and defaults.go): the one place that reads its JSON. Fields have
// the names that they have there.

/** A CRD. */
export interface CrdModel extends ReturnType<typeof readCrd> {
  /** Why an API server cannot decode it, in the words of encoding/json. The values that it means count as absent. */
  readonly problems: readonly string[];
  readonly json: JsonObject;
}

/** An entry of `spec.versions`. */
export interface VersionModel extends ReturnType<typeof readFields> {
  readonly json: JsonObject;
}

/** How objects are converted between versions. */
export type ConversionModel = CrdModel["spec"]["conversion"];

/** What calls a webhook; undefined where nothing does. */
export type ClientConfig = NonNullable<ConversionModel["webhook"]>["clientConfig"];

/** Where the scale subresource of a version finds its numbers: paths with a dot before them. */
export type Scale = ReturnType<typeof readScale>;

/** A printer column. */
export type Column = ReturnType<typeof readColumn>;

/** What a CRD calls its kind. */
export type CrdNames = ReturnType<typeof readNames>;

const readScale = structOf("CustomResourceSubresourceScale", {
  specReplicasPath: text,
  statusReplicasPath: text,
  labelSelectorPath: optional(text),
});

const readColumn = structOf("CustomResourceColumnDefinition", {
  name: text,
  type: text,
  format: text,
  description: text,
  priority: numberOf("int32"),
  jsonPath: text,
});

/** The JSON of a schema, which readSchema reads: most readers of a CRD have no use for it. */
const schemaJson: Reader<JsonObject> = (value, key, of) => objectIn(value, key, of, "v1.JSONSchemaProps");

const readFields = structOf("CustomResourceDefinitionVersion", {
  name: text,
  served: flag,
  storage: flag,
  deprecated: flag,
  deprecationWarning: optional(text),
  schema: optional(structOf("CustomResourceValidation", { openAPIV3Schema: optional(schemaJson) })),
  subresources: optional(
    structOf("CustomResourceSubresources", {
      status: optional(structOf("CustomResourceSubresourceStatus", {})),
      scale: optional(readScale),
    }),
  ),
  additionalPrinterColumns: listOf(readColumn, "[]v1.CustomResourceColumnDefinition"),
  selectableFields: listOf(structOf("SelectableField", { jsonPath: text }), "[]v1.SelectableField"),
});

const readVersion: Reader<VersionModel> = (value, key, of) => ({
  ...readFields(value, key, of),
  json: isObject(value) ? value : {},
});

const readNames = withDefaults(
  structOf("CustomResourceDefinitionNames", {
    plural: text,
    singular: text,
    kind: text,
    listKind: text,
    shortNames: texts,
    categories: texts,
  }),
  (names) => ({
    ...names,
    singular: names.singular || names.kind.toLowerCase(),
    listKind: names.listKind || (names.kind === "" ? "" : `${names.kind}List`),
  }),
);

const readService = withDefaults(
  structOf("ServiceReference", {
    namespace: text,
    name: text,
    path: text,
    port: optional(numberOf("int32")),
  }),
  (service) => ({ ...service, port: service.port ?? 443 }),
);

/** Base64. Go takes a list of numbers too. */
const bytes: Reader<string> = (value, key, of) => (isArray(value) ? "" : textOf("[]uint8")(value, key, of));

const readConversion = structOf("CustomResourceConversion", {
  strategy: textOf("v1.ConversionStrategyType"),
  webhook: optional(
    structOf("WebhookConversion", {
      clientConfig: optional(
        structOf("WebhookClientConfig", {
          url: optional(text),
          service: optional(readService),
          caBundle: bytes,
        }),
      ),
      conversionReviewVersions: texts,
    }),
  ),
});

const readCrd = structOf("CustomResourceDefinition", {
  metadata: structOf("ObjectMeta", {
    name: text,
    uid: textOf("types.UID"),
    resourceVersion: text,
    generation: numberOf("int64"),
    annotations: mapOf(text, "map[string]string"),
  }),
  spec: structOf("CustomResourceDefinitionSpec", {
    group: text,
    names: readNames,
    scope: textOf("v1.ResourceScope"),
    versions: listOf(readVersion, "[]v1.CustomResourceDefinitionVersion"),
    conversion: withDefaults(
      optional(readConversion),
      (found) => found ?? { strategy: "None", webhook: undefined },
    ),
    preserveUnknownFields: flag,
  }),
  status: structOf("CustomResourceDefinitionStatus", { storedVersions: texts }),
});

/** Reads a CRD. */
export function crdModelOf(json: Json): CrdModel {
  const problems: string[] = [];
  const crd = isObject(json) ? json : {};
  return { ...readCrd(crd, "", { type: "", path: "", depth: 0, problems }), problems, json: crd };
}

/** Reads an entry of `spec.versions` alone. */
export function versionModelOf(json: JsonObject): VersionModel {
  return readVersion(json, "versions", { type: "", path: "spec", depth: 0, problems: [] });
}

/** The scope of a CRD that an API server accepts. */
export function scopeOf({ spec }: CrdModel): "Namespaced" | "Cluster" {
  return spec.scope === "Cluster" ? "Cluster" : "Namespaced";
}

/** The name of the version that objects are stored in; empty where none is. */
export function storageOf({ spec }: CrdModel): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? "";
}

/** Whether a webhook converts between the versions. */
export function isConverted({ spec }: CrdModel): boolean {
  return spec.conversion.strategy === "Webhook";
}

/** The JSON of the schema of a version, which readSchema reads; undefined where it has none. */
export function schemaIn({ schema }: VersionModel): JsonObject | undefined {
  return schema?.openAPIV3Schema;
}

/** Whether the status of a version has an endpoint of its own. */
export function hasStatus({ subresources }: VersionModel): boolean {
  return subresources?.status !== undefined;
}

/** A reader that completes what another one reads. */
function withDefaults<T, U>(read: Reader<T>, complete: (found: T) => U): Reader<U> {
  return (value, key, of) => complete(read(value, key, of));
}
