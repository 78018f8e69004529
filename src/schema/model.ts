import { jsonSort } from "../go/json.ts";
import { isInteger, isNumber, toDouble } from "../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";

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
  readonly ref?: string;
  readonly nullable: boolean;
  readonly uniqueItems: boolean;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly exclusiveMaximum: boolean;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly enum: readonly Json[];
  readonly required: readonly string[];
  /** A default of null counts as none. */
  readonly default?: Json;
  readonly example?: Json;
  readonly externalDocs?: Json;
  readonly properties: ReadonlyMap<string, Schema>;
  /** The schema of `additionalProperties`. */
  readonly additional?: Schema;
  /** Whether `additionalProperties` allows any: a schema does. Undefined where the keyword is absent. */
  readonly allowsAdditional?: boolean;
  readonly additionalItems?: SchemaOrFlag;
  readonly items?: Schema;
  /** `items` as a list of schemas, which no API server of today accepts. */
  readonly itemList?: readonly Schema[];
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not?: Schema;
  readonly patternProperties: ReadonlyMap<string, Schema>;
  readonly definitions: ReadonlyMap<string, Schema>;
  readonly dependencies?: ReadonlyMap<string, Dependency>;
  readonly preserved?: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType?: string;
  readonly listMapKeys: readonly string[];
  readonly mapType?: string;
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
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason?: string;
  readonly fieldPath: string;
  readonly optionalOldSelf?: boolean;
}

/** A value in a CRD has another type than its field, so that the API server cannot decode it. */
export class Unreadable extends Error {}

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

/** Reads a schema. Throws Unreadable where a field has another type than the API server's. */
export function readSchema(
  json: JsonObject,
  path = "spec.versions.schema.openAPIV3Schema",
  depth = 0,
): Schema {
  if (depth > mostDepth) throw new Unreadable(`${path}: nested deeper than ${mostDepth} levels`);
  const below = (value: Json, key: string) =>
    readSchema(asObject(value, key, path), `${path}.${key}`, depth + 1);
  const text = (key: string) => read(json, key, path, "string") ?? "";
  const flag = (key: string) => read(json, key, path, "bool") ?? false;
  const list = (key: string) => listOf(json, key, path).map((value) => below(value, key));
  const map = (key: string) => mapOf(json, key, path, (value) => below(value, key));
  const orFlag = (key: string): SchemaOrFlag | undefined => {
    const value = present(json, key);
    if (value === undefined || typeof value === "boolean")
      return value === undefined ? undefined : { allows: value };
    if (!isObject(value)) throw new Unreadable("boolean or JSON schema expected");
    return { allows: true, schema: below(value, key) };
  };
  const [not, items, additional] = [
    present(json, "not"),
    present(json, "items"),
    orFlag("additionalProperties"),
  ];
  return {
    keywords: new Set(Object.keys(json).filter((key) => json[key] !== null)),
    type: text("type"),
    format: text("format"),
    title: text("title"),
    description: text("description"),
    pattern: text("pattern"),
    id: text("id"),
    dialect: text("$schema"),
    ...optional("ref", read(json, "$ref", path, "string")),
    nullable: flag("nullable"),
    uniqueItems: flag("uniqueItems"),
    ...numbers(json, path),
    exclusiveMaximum: flag("exclusiveMaximum"),
    exclusiveMinimum: flag("exclusiveMinimum"),
    enum: listOf(json, "enum", path, "[]v1.JSON"),
    required: textsOf(json, "required", path),
    ...optional("default", present(json, "default")),
    ...optional("example", present(json, "example")),
    ...optional("externalDocs", present(json, "externalDocs")),
    properties: map("properties"),
    ...optional("additional", additional?.schema),
    ...optional("allowsAdditional", additional?.allows),
    ...optional("additionalItems", orFlag("additionalItems")),
    ...(items === undefined
      ? {}
      : isArray(items)
        ? { itemList: items.map((value) => below(value, "items")) }
        : { items: below(items, "items") }),
    allOf: list("allOf"),
    anyOf: list("anyOf"),
    oneOf: list("oneOf"),
    ...(not === undefined ? {} : { not: below(not, "not") }),
    patternProperties: map("patternProperties"),
    definitions: map("definitions"),
    ...(present(json, "dependencies") === undefined
      ? {}
      : {
          dependencies: mapOf(
            json,
            "dependencies",
            path,
            (value): Dependency =>
              isObject(value)
                ? { schema: below(value, "dependencies"), names: [] }
                : { names: (isArray(value) ? value : []).filter((each) => typeof each === "string") },
          ),
        }),
    ...optional("preserved", read(json, "x-kubernetes-preserve-unknown-fields", path, "bool")),
    embedded: flag("x-kubernetes-embedded-resource"),
    intOrString: flag("x-kubernetes-int-or-string"),
    ...optional("listType", read(json, "x-kubernetes-list-type", path, "string")),
    listMapKeys: textsOf(json, "x-kubernetes-list-map-keys", path),
    ...optional("mapType", read(json, "x-kubernetes-map-type", path, "string")),
    validations: listOf(json, "x-kubernetes-validations", path, "v1.ValidationRules").map((value) =>
      readRule(asObject(value, "x-kubernetes-validations", path), `${path}.x-kubernetes-validations`),
    ),
  };
}

function readRule(json: JsonObject, path: string): Rule {
  return {
    rule: read(json, "rule", path, "string") ?? "",
    message: read(json, "message", path, "string") ?? "",
    messageExpression: read(json, "messageExpression", path, "string") ?? "",
    ...optional("reason", read(json, "reason", path, "string")),
    fieldPath: read(json, "fieldPath", path, "string") ?? "",
    ...optional("optionalOldSelf", read(json, "optionalOldSelf", path, "bool")),
  };
}

const sizes = ["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"] as const;
const bounds = ["maximum", "minimum", "multipleOf"] as const;

function numbers(
  json: JsonObject,
  path: string,
): Partial<Record<(typeof sizes | typeof bounds)[number], number>> {
  const found = [
    ...sizes.map((key) => [key, read(json, key, path, "int64")] as const),
    ...bounds.map((key) => [key, read(json, key, path, "float64")] as const),
  ];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

interface GoTypes {
  readonly string: string;
  readonly bool: boolean;
  readonly int64: number;
  readonly float64: number;
}

/** A field of a Go type; undefined where it is absent or null. */
function read<T extends keyof GoTypes>(
  json: JsonObject,
  key: string,
  path: string,
  type: T,
): GoTypes[T] | undefined {
  const value = present(json, key);
  if (value === undefined) return undefined;
  if (!isOfGoType(value, type)) throw unreadable(value, `${path}.${key}`, type);
  return (isNumber(value) ? toDouble(value) : value) as GoTypes[T];
}

/** A field that is there and not null. */
function present(json: JsonObject, key: string): Json | undefined {
  return own(json, key) ?? undefined;
}

/** The items of a field that is a list; none where it is absent. */
function listOf(json: JsonObject, key: string, path: string, type = "[]v1.JSONSchemaProps"): readonly Json[] {
  const value = present(json, key) ?? [];
  if (!isArray(value)) throw unreadable(value, `${path}.${key}`, type);
  return value;
}

/** The items of a field that is a list of texts; a null in it is an empty text, as in Go. */
function textsOf(json: JsonObject, key: string, path: string): readonly string[] {
  return listOf(json, key, path, "[]string").map((value) => {
    if (value !== null && typeof value !== "string") throw unreadable(value, `${path}.${key}`, "string");
    return value ?? "";
  });
}

/** A value that must be an object; null is an empty one, as in Go. */
function asObject(value: Json, key: string, path: string): JsonObject {
  if (value === null) return {};
  if (!isObject(value)) throw unreadable(value, `${path}.${key}`, "v1.JSONSchemaProps");
  return value;
}

function mapOf<T>(
  json: JsonObject,
  key: string,
  path: string,
  of: (value: Json) => T,
): ReadonlyMap<string, T> {
  const value = present(json, key) ?? {};
  if (!isObject(value)) throw unreadable(value, `${path}.${key}`, "map[string]v1.JSONSchemaProps");
  return new Map(Object.entries(value).map(([name, below]) => [name, of(below)]));
}

function isOfGoType(value: Json, type: keyof GoTypes): boolean {
  if (type === "string") return typeof value === "string";
  if (type === "bool") return typeof value === "boolean";
  return type === "int64" ? isInteger(value) : isNumber(value);
}

/** In the words of encoding/json; the Go struct is that of the schema. */
function unreadable(value: Json, path: string, type: string): Unreadable {
  return new Unreadable(
    `json: cannot unmarshal ${jsonSort(value)} into Go struct field JSONSchemaProps.${path} of type ${type}`,
  );
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: T });
}
