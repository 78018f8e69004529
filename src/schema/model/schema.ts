import { isArray, isObject, type Json, type JsonObject, own } from "../../json/json.ts";
import {
  flag,
  inner,
  listOf,
  mapOf,
  numberOf,
  objectIn,
  optional,
  type Reader,
  type Struct,
  structOf,
  text,
  textOf,
  texts,
} from "./go-struct.ts";

/** A node of a schema, read once: what JSONSchemaProps of apiextensions v1 holds. Absent fields are empty, as in Go. */
export interface Schema {
  /** The keywords that are present and not null: Go prints an empty list or map otherwise than an absent one. */
  readonly keywords: ReadonlySet<string>;
  /** Empty where there is none. */
  readonly type: string;
  readonly format: string;
  readonly title: string;
  readonly description: string;
  readonly pattern: string;
  readonly id: string;
  readonly dialect: string;
  readonly ref: string | undefined;
  readonly nullable: boolean;
  readonly uniqueItems: boolean;
  readonly maximum: number | undefined;
  readonly minimum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly enum: readonly Json[];
  readonly required: readonly string[];
  /** A default of null counts as none. */
  readonly default: Json | undefined;
  readonly example: Json | undefined;
  readonly externalDocs: Json | undefined;
  readonly properties: ReadonlyMap<string, Schema>;
  /** The schema of `additionalProperties`. */
  readonly additional: Schema | undefined;
  /** Whether `additionalProperties` allows any: a schema does. Undefined where the keyword is absent. */
  readonly allowsAdditional: boolean | undefined;
  readonly additionalItems: SchemaOrFlag | undefined;
  readonly items: Schema | undefined;
  /** `items` as a list of schemas, which no API server of today accepts. */
  readonly itemList: readonly Schema[] | undefined;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
  readonly patternProperties: ReadonlyMap<string, Schema>;
  readonly definitions: ReadonlyMap<string, Schema>;
  readonly dependencies: ReadonlyMap<string, Dependency> | undefined;
  readonly preserved: boolean | undefined;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly validations: readonly Rule[];
}

/** `additionalItems: false`, `true`, or a schema, which allows; no API server of today accepts any. */
interface SchemaOrFlag {
  readonly allows: boolean;
  readonly schema?: Schema;
}

/** An entry of `dependencies`: a schema or a list of names, neither of which any API server of today accepts. */
export interface Dependency {
  readonly schema?: Schema;
  readonly names: readonly string[];
}

/** An entry of `x-kubernetes-validations`. */
export type Rule = ReturnType<typeof readRule>;

const readRule = structOf("ValidationRule", {
  rule: text,
  message: text,
  messageExpression: text,
  reason: optional(textOf("v1.FieldValueErrorReason")),
  fieldPath: text,
  optionalOldSelf: optional(flag),
});

/** Deeper than any schema that people or generators write, and far from where recursion runs out of stack. */
const mostDepth = 200;

/** The schemas directly below a node of a structural schema: those of fields, of other values and of items. */
export function childrenOf({ properties, additional, items }: Schema): readonly Schema[] {
  return [...properties.values(), additional, items].filter((each) => each !== undefined);
}

/** Whether a node or one below it has a rule. */
export function hasRules(schema: Schema): boolean {
  return schema.validations.length > 0 || childrenOf(schema).some(hasRules);
}

/** Reads a schema. What has another type than its field in Go is noted in `problems`, and counts as absent. */
export function readSchema(json: JsonObject, problems: string[] = []): Schema {
  const version = { type: "CustomResourceValidation", path: "spec.versions.schema", depth: 0, problems };
  return readNode(json, "openAPIV3Schema", version);
}

const type = "JSONSchemaProps";

const readNode: Reader<Schema> = (value, key, of) => {
  const node = inner(key, of, type);
  const json = objectIn(value, key, of, `v1.${type}`);
  if (node.depth <= mostDepth) return schemaOf(json, node);
  node.problems.push(`${node.path}: nested deeper than ${mostDepth} levels`);
  return schemaOf({}, node);
};

const nodes = listOf(readNode, `[]v1.${type}`);
const nodesByName = mapOf(readNode, `map[string]v1.${type}`);
const size = optional(numberOf("int64"));
const bound = optional(numberOf("float64"));
const any: Reader<Json> = (value = null) => value;
const optionalText = optional(text);
const optionalAny = optional(any);
const anys = listOf(any, "[]v1.JSON");
const optionalNode = optional(readNode);
const rules = listOf(readRule, "v1.ValidationRules");

const nodeOrFlag = optional((value, key, of): SchemaOrFlag => {
  if (typeof value === "boolean") return { allows: value };
  if (isObject(value)) return { allows: true, schema: readNode(value, key, of) };
  of.problems.push("boolean or JSON schema expected");
  return { allows: false };
});

const dependency: Reader<Dependency> = (value, key, of) =>
  isObject(value)
    ? { schema: readNode(value, key, of), names: [] }
    : { names: (isArray(value) ? value : []).filter((each) => typeof each === "string") };

const dependencies = optional(mapOf(dependency, "v1.JSONSchemaDependencies"));
const optionalFlag = optional(flag);

function schemaOf(json: JsonObject, node: Struct): Schema {
  const read = <T>(key: string, reader: Reader<T>): T => reader(own(json, key) ?? undefined, key, node);
  const additional = read("additionalProperties", nodeOrFlag);
  const items = own(json, "items");
  return {
    keywords: new Set(Object.keys(json).filter((key) => json[key] !== null)),
    type: read("type", text),
    format: read("format", text),
    title: read("title", text),
    description: read("description", text),
    pattern: read("pattern", text),
    id: read("id", text),
    dialect: read("$schema", text),
    ref: read("$ref", optionalText),
    nullable: read("nullable", flag),
    uniqueItems: read("uniqueItems", flag),
    maximum: read("maximum", bound),
    minimum: read("minimum", bound),
    exclusiveMaximum: read("exclusiveMaximum", flag),
    exclusiveMinimum: read("exclusiveMinimum", flag),
    multipleOf: read("multipleOf", bound),
    maxLength: read("maxLength", size),
    minLength: read("minLength", size),
    maxItems: read("maxItems", size),
    minItems: read("minItems", size),
    maxProperties: read("maxProperties", size),
    minProperties: read("minProperties", size),
    enum: read("enum", anys),
    required: read("required", texts),
    default: read("default", optionalAny),
    example: read("example", optionalAny),
    externalDocs: read("externalDocs", optionalAny),
    properties: read("properties", nodesByName),
    additional: additional?.schema,
    allowsAdditional: additional?.allows,
    additionalItems: read("additionalItems", nodeOrFlag),
    // What is neither a schema nor a list of them counts as absent, without a problem (JSONSchemaPropsOrArray).
    items: isObject(items) ? read("items", readNode) : undefined,
    itemList: isArray(items) ? read("items", nodes) : undefined,
    allOf: read("allOf", nodes),
    anyOf: read("anyOf", nodes),
    oneOf: read("oneOf", nodes),
    not: read("not", optionalNode),
    patternProperties: read("patternProperties", nodesByName),
    definitions: read("definitions", nodesByName),
    dependencies: read("dependencies", dependencies),
    preserved: read("x-kubernetes-preserve-unknown-fields", optionalFlag),
    embedded: read("x-kubernetes-embedded-resource", flag),
    intOrString: read("x-kubernetes-int-or-string", flag),
    listType: read("x-kubernetes-list-type", optionalText),
    listMapKeys: read("x-kubernetes-list-map-keys", texts),
    mapType: read("x-kubernetes-map-type", optionalText),
    validations: read("x-kubernetes-validations", rules),
  };
}
