import { didYouMean } from "../json/alike.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";

/** A key that Kubernetes does not define, with its path. */
interface UnknownKey {
  readonly path: Path;
  readonly sentence: string;
}

/** How to check a value: the keys of an object, and what is below each; `undefined` where anything may be. */
type Check = ((value: Json, path: Path) => readonly UnknownKey[]) | undefined;

/**
 * The keys of an entry of a CRD's `spec.versions` that its type does not have (apiextensions v1, types.go,
 * CustomResourceDefinitionVersion, and types_jsonschema.go, JSONSchemaProps). The API server drops them.
 */
export function unknownKeys(entry: JsonObject): readonly UnknownKey[] {
  return version(entry, []);
}

function fields(what: string, known: Readonly<Record<string, Check>>): NonNullable<Check> {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, below]) =>
          Object.hasOwn(known, key)
            ? (known[key]?.(below, [...path, key]) ?? [])
            : [{ path: [...path, key], sentence: sentenceOf(key, what, Object.keys(known)) }],
        )
      : [];
}

function sentenceOf(key: string, what: string, known: readonly string[]): string {
  return `unknown key ${JSON.stringify(key)} in ${what}${didYouMean(key, known)}`;
}

function listOf(item: NonNullable<Check>): NonNullable<Check> {
  return (value, path) =>
    isArray(value) ? value.flatMap((each, index) => item(each, [...path, index])) : item(value, path);
}

function mapOf(item: NonNullable<Check>): NonNullable<Check> {
  return (value, path) =>
    isObject(value) ? Object.entries(value).flatMap(([key, each]) => item(each, [...path, key])) : [];
}

const unchecked = undefined;

function keys(...names: readonly string[]): Readonly<Record<string, Check>> {
  return Object.fromEntries(names.map((name) => [name, unchecked]));
}

const rule = fields(
  "a validation rule",
  keys("rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"),
);

// Named by a function, since a schema contains schemas.
const schema = (value: Json, path: Path): readonly UnknownKey[] => schemaFields(value, path);

const schemaFields = fields("a schema", {
  ...keys(
    ...["id", "$schema", "$ref", "description", "type", "format", "title", "default", "example", "enum"],
    ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf", "maxLength", "minLength"],
    ...["pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required"],
    ...["nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"],
    ...["x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type"],
    ...["x-kubernetes-map-type"],
  ),
  externalDocs: fields("externalDocs", keys("description", "url")),
  items: listOf(schema),
  not: schema,
  allOf: listOf(schema),
  anyOf: listOf(schema),
  oneOf: listOf(schema),
  additionalProperties: schema,
  additionalItems: schema,
  properties: mapOf(schema),
  patternProperties: mapOf(schema),
  definitions: mapOf(schema),
  dependencies: mapOf(schema),
  "x-kubernetes-validations": listOf(rule),
});

const version = fields("a version", {
  ...keys("name", "served", "storage", "deprecated", "deprecationWarning"),
  schema: fields("schema", { openAPIV3Schema: schema }),
  subresources: fields("subresources", {
    status: unchecked,
    scale: fields("scale", keys("specReplicasPath", "statusReplicasPath", "labelSelectorPath")),
  }),
  additionalPrinterColumns: listOf(
    fields("a printer column", keys("name", "type", "format", "description", "priority", "jsonPath")),
  ),
  selectableFields: listOf(fields("a selectable field", keys("jsonPath"))),
});
