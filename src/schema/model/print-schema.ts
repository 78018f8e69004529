import { printJson } from "../../go/json.ts";
import { compareBytes } from "../../go/text.ts";
import { isObject, type Json, own } from "../../json/json.ts";
import type { Dependency, Rule, Schema } from "./schema.ts";

// Some sentences of the API server show Go structs, all fields of them, in their order and by their Go names.

/** A schema as its Go struct prints (apiextensions, types_jsonschema.go). */
export function printSchema(schema: Schema): string {
  const { items, itemList, keywords } = schema;
  const list = <T>(key: string, found: readonly T[], print: (item: T) => string): string =>
    keywords.has(key) ? `[${found.map(print).join(",")}]` : "null";
  const map = (key: string, found: ReadonlyMap<string, Schema>) =>
    keywords.has(key) ? mapOf(found, printSchema) : "null";
  return struct([
    ["ID", printJson(schema.id)],
    ["Schema", printJson(schema.dialect)],
    ["Ref", value(schema.ref)],
    ["Description", printJson(schema.description)],
    ["Type", printJson(schema.type)],
    ["Nullable", String(schema.nullable)],
    ["Format", printJson(schema.format)],
    ["Title", printJson(schema.title)],
    ["Default", value(schema.default)],
    ["Maximum", value(schema.maximum)],
    ["ExclusiveMaximum", String(schema.exclusiveMaximum)],
    ["Minimum", value(schema.minimum)],
    ["ExclusiveMinimum", String(schema.exclusiveMinimum)],
    ["MaxLength", value(schema.maxLength)],
    ["MinLength", value(schema.minLength)],
    ["Pattern", printJson(schema.pattern)],
    ["MaxItems", value(schema.maxItems)],
    ["MinItems", value(schema.minItems)],
    ["UniqueItems", String(schema.uniqueItems)],
    ["MultipleOf", value(schema.multipleOf)],
    ["Enum", list("enum", schema.enum, printJson)],
    ["MaxProperties", value(schema.maxProperties)],
    ["MinProperties", value(schema.minProperties)],
    ["Required", list("required", schema.required, printJson)],
    [
      "Items",
      items === undefined && itemList === undefined
        ? "null"
        : struct([
            ["Schema", node(items)],
            ["JSONSchemas", itemList === undefined ? "null" : `[${itemList.map(printSchema).join(",")}]`],
          ]),
    ],
    ["AllOf", list("allOf", schema.allOf, printSchema)],
    ["OneOf", list("oneOf", schema.oneOf, printSchema)],
    ["AnyOf", list("anyOf", schema.anyOf, printSchema)],
    ["Not", node(schema.not)],
    ["Properties", map("properties", schema.properties)],
    ["AdditionalProperties", flag(schema.allowsAdditional, schema.additional)],
    ["PatternProperties", map("patternProperties", schema.patternProperties)],
    [
      "Dependencies",
      schema.dependencies === undefined ? "null" : mapOf(schema.dependencies, printDependency),
    ],
    ["AdditionalItems", flag(schema.additionalItems?.allows, schema.additionalItems?.schema)],
    ["Definitions", map("definitions", schema.definitions)],
    ["ExternalDocs", docs(schema.externalDocs)],
    ["Example", value(schema.example)],
    ["XPreserveUnknownFields", value(schema.preserved)],
    ["XEmbeddedResource", String(schema.embedded)],
    ["XIntOrString", String(schema.intOrString)],
    ["XListMapKeys", list("x-kubernetes-list-map-keys", schema.listMapKeys, printJson)],
    ["XListType", value(schema.listType)],
    ["XMapType", value(schema.mapType)],
    ["XValidations", list("x-kubernetes-validations", schema.validations, printRule)],
  ]);
}

/** An entry of `x-kubernetes-validations` as its Go struct prints. */
export function printRule(rule: Rule): string {
  return struct([
    ["Rule", printJson(rule.rule)],
    ["Message", printJson(rule.message)],
    ["MessageExpression", printJson(rule.messageExpression)],
    ["Reason", value(rule.reason)],
    ["FieldPath", printJson(rule.fieldPath)],
    ["OptionalOldSelf", value(rule.optionalOldSelf)],
  ]);
}

/** A struct of fields that are printed already. */
export function struct(fields: readonly (readonly [name: string, printed: string])[]): string {
  return `{${fields.map(([name, printed]) => `"${name}":${printed}`).join(",")}}`;
}

/** A list, or null where it has no items: Go prints the two differently. */
export function listOf<T>(items: readonly T[], print: (item: T) => string): string {
  return items.length === 0 ? "null" : `[${items.map(print).join(",")}]`;
}

/** A value behind a pointer. */
export function value(found: Json | undefined): string {
  return found === undefined ? "null" : printJson(found);
}

function node(schema: Schema | undefined): string {
  return schema === undefined ? "null" : printSchema(schema);
}

function mapOf<T>(nodes: ReadonlyMap<string, T>, print: (node: T) => string): string {
  const entries = [...nodes].toSorted(([a], [b]) => compareBytes(a, b));
  return `{${entries.map(([key, schema]) => `${printJson(key)}:${print(schema)}`).join(",")}}`;
}

function printDependency({ schema, names }: Dependency): string {
  return struct([
    ["Schema", node(schema)],
    ["Property", schema === undefined ? `[${names.map(printJson).join(",")}]` : "null"],
  ]);
}

function flag(allows: boolean | undefined, schema: Schema | undefined): string {
  if (allows === undefined) return "null";
  return struct([
    ["Allows", String(allows)],
    ["Schema", node(schema)],
  ]);
}

function docs(found: Json | undefined): string {
  if (!isObject(found)) return "null";
  return struct([
    ["Description", printJson(own(found, "description") ?? "")],
    ["URL", printJson(own(found, "url") ?? "")],
  ]);
}
