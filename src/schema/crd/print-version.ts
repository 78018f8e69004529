import { printJson } from "../../go/json.ts";
import type { Column, VersionModel } from "../model/crd.ts";
import { listOf, printSchema, struct, value } from "../model/print-schema.ts";
import type { CheckedSchema } from "../structural/schema.ts";

/** What is the same in all versions stands elsewhere in the API server's internal type, and not in its versions. */
export interface Shared {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly additionalPrinterColumns: boolean;
  readonly selectableFields: boolean;
}

/** The versions of a CRD, with their schemas, as their Go structs print (apiextensions, types.go). */
export function printVersions(
  versions: readonly VersionModel[],
  schemas: readonly CheckedSchema[],
  shared: Shared,
): string {
  return `[${versions.map((version, index) => printVersion(version, schemas[index], shared)).join(",")}]`;
}

function printVersion(version: VersionModel, checked: CheckedSchema | undefined, shared: Shared): string {
  const { name, served, storage, deprecated, deprecationWarning, subresources } = version;
  const { additionalPrinterColumns: columns, selectableFields } = version;
  const schema = checked?.schema === undefined ? "null" : printSchema(checked.schema);
  return struct([
    ["Name", printJson(name)],
    ["Served", String(served)],
    ["Storage", String(storage)],
    ["Deprecated", String(deprecated)],
    ["DeprecationWarning", value(deprecationWarning)],
    [
      "Schema",
      shared.schema || version.schema === undefined ? "null" : struct([["OpenAPIV3Schema", schema]]),
    ],
    ["Subresources", shared.subresources ? "null" : printSubresources(subresources)],
    ["AdditionalPrinterColumns", listOf(shared.additionalPrinterColumns ? [] : columns, printColumn)],
    ["SelectableFields", listOf(shared.selectableFields ? [] : selectableFields, printField)],
  ]);
}

function printSubresources(subresources: VersionModel["subresources"]): string {
  if (subresources === undefined) return "null";
  const { status, scale } = subresources;
  const printedScale =
    scale === undefined
      ? "null"
      : struct([
          ["SpecReplicasPath", printJson(scale.specReplicasPath)],
          ["StatusReplicasPath", printJson(scale.statusReplicasPath)],
          ["LabelSelectorPath", value(scale.labelSelectorPath)],
        ]);
  return struct([
    ["Status", status === undefined ? "null" : "{}"],
    ["Scale", printedScale],
  ]);
}

function printColumn({ name, type, format, description, priority, jsonPath }: Column): string {
  return struct([
    ["Name", printJson(name)],
    ["Type", printJson(type)],
    ["Format", printJson(format)],
    ["Description", printJson(description)],
    ["Priority", String(priority)],
    ["JSONPath", printJson(jsonPath)],
  ]);
}

function printField({ jsonPath }: { readonly jsonPath: string }): string {
  return struct([["JSONPath", printJson(jsonPath)]]);
}
