import { printJson } from "../../go/json.ts";
import { isInteger, toDouble } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, own } from "../../json/json.ts";
import { textIn } from "../metadata/check.ts";
import { readSchema } from "../model.ts";
import { listOf, printSchema, struct, value } from "../print-schema.ts";

/** What is the same in all versions stands elsewhere in the API server's internal type, and not in its versions. */
interface Elsewhere {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly additionalPrinterColumns: boolean;
  readonly selectableFields: boolean;
}

/** The versions of a CRD as their Go structs print (apiextensions, types.go). */
export function printVersions(versions: readonly JsonObject[], elsewhere: Elsewhere): string {
  return `[${versions.map((entry) => printVersion(entry, elsewhere)).join(",")}]`;
}

function printVersion(entry: JsonObject, elsewhere: Elsewhere): string {
  const here = (key: keyof Elsewhere) => (elsewhere[key] ? undefined : (own(entry, key) ?? undefined));
  const schema = here("schema");
  return struct([
    ["Name", printJson(textIn(entry, "name"))],
    ["Served", String(own(entry, "served") === true)],
    ["Storage", String(own(entry, "storage") === true)],
    ["Deprecated", String(own(entry, "deprecated") === true)],
    ["DeprecationWarning", value(own(entry, "deprecationWarning"))],
    [
      "Schema",
      schema === undefined
        ? "null"
        : struct([["OpenAPIV3Schema", printOpenApi(get(schema, "openAPIV3Schema"))]]),
    ],
    ["Subresources", printSubresources(here("subresources"))],
    ["AdditionalPrinterColumns", listOf(itemsOf(here("additionalPrinterColumns")), printColumn)],
    ["SelectableFields", listOf(itemsOf(here("selectableFields")), printField)],
  ]);
}

function printOpenApi(json: Json | undefined): string {
  return isObject(json) ? printSchema(readSchema(json)) : "null";
}

function printSubresources(json: Json | undefined): string {
  if (!isObject(json)) return "null";
  const scale = own(json, "scale") ?? undefined;
  const printedScale =
    scale === undefined
      ? "null"
      : struct([
          ["SpecReplicasPath", printJson(textIn(scale, "specReplicasPath"))],
          ["StatusReplicasPath", printJson(textIn(scale, "statusReplicasPath"))],
          ["LabelSelectorPath", value(own(scale, "labelSelectorPath"))],
        ]);
  return struct([
    ["Status", (own(json, "status") ?? null) === null ? "null" : "{}"],
    ["Scale", printedScale],
  ]);
}

function printColumn(column: Json): string {
  const priority = own(column, "priority");
  return struct([
    ["Name", printJson(textIn(column, "name"))],
    ["Type", printJson(textIn(column, "type"))],
    ["Format", printJson(textIn(column, "format"))],
    ["Description", printJson(textIn(column, "description"))],
    ["Priority", isInteger(priority) ? String(toDouble(priority)) : "0"],
    ["JSONPath", printJson(textIn(column, "jsonPath"))],
  ]);
}

function printField(field: Json): string {
  return struct([["JSONPath", printJson(textIn(field, "jsonPath"))]]);
}

function itemsOf(json: Json | undefined): readonly Json[] {
  return isArray(json) ? json : [];
}
