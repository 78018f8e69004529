import { forbidden, invalid, invalidAs, type SchemaFault } from "../model/fault.ts";
import { printSchema } from "../model/print-schema.ts";
import type { Schema } from "../model/schema.ts";

/** What a root may have where status has an endpoint of its own, by the names of Go's fields. */
const allowed = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** What is wrong with the root of a schema because of where it stands. */
export function faultsOfRoot(schema: Schema, at: string, hasStatus: boolean): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (hasStatus) faults.push(...faultsOfStatusRoot(schema, at));
  if (schema.nullable) faults.push(forbidden(`${at}.nullable`, "nullable cannot be true at the root"));
  return faults;
}

function faultsOfStatusRoot(schema: Schema, at: string): readonly SchemaFault[] {
  const isForeign = schema.id !== "" || schema.dialect !== "" || schema.ref !== undefined;
  if (!isForeign && schema.type !== "" && schema.type !== "object") {
    const why =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${at}.type`, schema.type, why)];
  }
  if (!hasMore(schema)) return [];
  const why = `only [${allowed.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidAs(at, printSchema(schema), why)];
}

/** Whether a root has anything else: an empty list or map counts as well. */
function hasMore(schema: Schema): boolean {
  const flags = schema.nullable || schema.embedded || schema.intOrString;
  return flags || schema.id !== "" || schema.dialect !== "" || others.some((key) => schema.keywords.has(key));
}

const others = [
  "$ref",
  "default",
  "enum",
  "maxProperties",
  "minProperties",
  "allOf",
  "oneOf",
  "anyOf",
  "not",
  "additionalProperties",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
];
