import { byteLength } from "../../../go/text.ts";
import { isSince, type KubernetesVersion } from "../../model/kubernetes-version.ts";
import { readSchema, type Schema } from "../../model/schema.ts";
import { fixed, type Range } from "../cost/range.ts";
import { escapeName, reserved } from "../language/identifiers.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  structOf,
  type Type,
  timestampType,
} from "../language/types.ts";

/** What the type checker and the cost estimate know of a schema (apiserver/pkg/cel/common/schemas.go, cel/types.go). */
export interface Decl {
  readonly kind: "simple" | "list" | "map" | "object";
  /** Of a simple one. */
  readonly type: Type;
  /** By identifier, of an object. */
  readonly fields: ReadonlyMap<string, Decl>;
  readonly elem: Decl | undefined;
  /** How many items, entries or bytes there can be at most. */
  readonly most: number;
  /** How many bytes of JSON it takes at least. */
  readonly least: number;
}

// apiserver/pkg/apis/cel/config.go: MaxRequestSizeBytes
export const maxRequest = 3 * 1024 * 1024;
const noFields: ReadonlyMap<string, Decl> = new Map();

/** The declaration of a schema; undefined for one that rules cannot see. */
export function declare(
  schema: Schema,
  kubernetes: KubernetesVersion,
  isResource = schema.embedded,
): Decl | undefined {
  const { intOrString, maxLength } = schema;
  if (intOrString) return simple(dynType, 1, maxLength === undefined ? maxRequest - 2 : textSize(maxLength));
  const seen = isResource ? asResource(schema, kubernetes) : schema;
  switch (seen.type) {
    case "array":
      return declareList(seen, kubernetes);
    case "object":
      return seen.additional === undefined
        ? declareObject(seen, kubernetes)
        : declareMap(seen, seen.additional, kubernetes);
    case "string":
      return declareText(seen);
    case "boolean":
      return simple(boolType, 4, 0);
    case "number":
      return simple(doubleType, 1, 0);
    case "integer":
      return simple(intType, 1, 0);
  }
  return undefined;
}

/** The bytes that so many characters may take. */
function textSize(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}

function simple(type: Type, least: number, most: number): Decl {
  return { kind: "simple", type, fields: noFields, elem: undefined, most, least };
}

function declareList(schema: Schema, kubernetes: KubernetesVersion): Decl | undefined {
  const elem = schema.items && declare(schema.items, kubernetes);
  if (elem === undefined) return undefined;
  const most = schema.maxItems ?? Math.trunc((maxRequest - 2) / (elem.least + 1));
  return { kind: "list", type: dynType, fields: noFields, elem, most: Math.max(0, most), least: 2 };
}

function declareMap(schema: Schema, values: Schema, kubernetes: KubernetesVersion): Decl | undefined {
  const elem = declare(values, kubernetes);
  if (elem === undefined) return undefined;
  const most = schema.maxProperties ?? Math.trunc((maxRequest - 2) / (elem.least + 6));
  return { kind: "map", type: dynType, fields: noFields, elem, most: Math.max(0, most), least: 2 };
}

function declareObject(schema: Schema, kubernetes: KubernetesVersion): Decl {
  const fields = new Map<string, Decl>();
  const required = new Set(schema.required);
  let least = 2;
  for (const [name, property] of schema.properties) {
    const field = declare(property, kubernetes);
    if (field === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.has(name) && property.default === undefined) least += byteLength(name) + field.least + 4;
  }
  return { kind: "object", type: dynType, fields, elem: undefined, most: 0, least };
}

function declareText({ format, maxLength, enum: choices }: Schema): Decl {
  switch (format) {
    case "byte":
      return simple(bytesType, 2, Math.max(0, maxLength ?? maxRequest - 2));
    case "duration":
      return simple(durationType, 3, 32);
    case "date":
      return simple(timestampType, 12, 12);
    case "date-time":
      return simple(timestampType, 21, 32);
  }
  if (maxLength !== undefined) return simple(stringType, 2, textSize(maxLength));
  const sizes = choices.filter((choice) => typeof choice === "string").map(byteLength);
  return simple(stringType, 2, choices.length > 0 ? Math.max(0, ...sizes) : maxRequest - 2);
}

const textSchema = readSchema({ type: "string" });
// validation.DNS1123SubdomainMaxLength; a generated name is at least one byte longer than its prefix.
const longestName = 253;
const longestPrefix = longestName - 1;

const resources = new WeakMap<Schema, Map<KubernetesVersion, Schema>>();

/** The root of a resource always shows kind, apiVersion and the two names (apiserver, WithTypeAndObjectMeta). */
export function asResource(schema: Schema, kubernetes: KubernetesVersion): Schema {
  const known = resources.get(schema) ?? new Map<KubernetesVersion, Schema>();
  resources.set(schema, known);
  const resource = known.get(kubernetes) ?? madeResource(schema, kubernetes);
  known.set(kubernetes, resource);
  return resource;
}

function madeResource(schema: Schema, kubernetes: KubernetesVersion): Schema {
  const { properties } = schema;
  const metadata = properties.get("metadata");
  const isWhole =
    ["kind", "apiVersion"].every((name) => properties.get(name)?.type === "string") &&
    metadata?.type === "object" &&
    ["name", "generateName"].every((name) => metadata.properties.get(name)?.type === "string");
  const added: readonly (readonly [string, Schema])[] = [
    ["kind", textSchema],
    ["apiVersion", textSchema],
    ["metadata", metadataSchema(metadata, kubernetes)],
  ];
  return isWhole ? schema : { ...schema, properties: new Map([...properties, ...added]) };
}

/** Since v1.37 the API server knows how long names can be, so that rules about them are cheaper. */
function metadataSchema(declared: Schema | undefined, kubernetes: KubernetesVersion): Schema {
  const name = (key: string, longest: number) => {
    if (!isSince(kubernetes, "1.37")) return { type: "string" };
    return {
      type: "string",
      maxLength: Math.min(longest, declared?.properties.get(key)?.maxLength ?? longest),
    };
  };
  const properties = {
    name: name("name", longestName),
    generateName: name("generateName", longestPrefix),
  };
  return readSchema({ type: "object", properties });
}

/** A declaration's type, and the types of the fields of every object within it, each object by a name of its own. */
export interface Declared {
  readonly type: Type;
  readonly structs: ReadonlyMap<string, ReadonlyMap<string, Type>>;
}

// The server makes up a name that no expression can use; it shows in messages.
const selfName = "selfType";

/** The types that a rule at this place sees. */
export function typesOf(decl: Decl): Declared {
  const structs = new Map<string, ReadonlyMap<string, Type>>();
  const type = nameTypes(decl, selfName, structs);
  return { type, structs };
}

function nameTypes(decl: Decl, name: string, structs: Map<string, ReadonlyMap<string, Type>>): Type {
  switch (decl.kind) {
    case "list":
      return listOf(decl.elem === undefined ? dynType : nameTypes(decl.elem, `${name}.@idx`, structs));
    case "map":
      return mapOf(
        stringType,
        decl.elem === undefined ? dynType : nameTypes(decl.elem, `${name}.@elem`, structs),
      );
    case "object": {
      const fields = [...decl.fields].map(
        ([field, below]) => [field, nameTypes(below, `${name}.${field}`, structs)] as const,
      );
      structs.set(name, new Map(fields));
      return structOf(name);
    }
  }
  return decl.type;
}

/** The type of an object's field; a field whose name is a word of CEL is known under that name as well. */
export function fieldTypeOf({ structs }: Declared, struct: string, field: string): Type | undefined {
  const fields = structs.get(struct);
  return fields?.get(field) ?? (reserved.has(field) ? fields?.get(`__${field}__`) : undefined);
}

// The keys of a map are declared as plain strings, of which the server knows no size: zero.
const keySize: Range = fixed(0);

/** How large a value at a path can be. The first step is the variable; self and oldSelf are alike. */
export function sizeAt(root: Decl, path: readonly string[]): Range | undefined {
  let decl: Decl | undefined = root;
  for (const step of path.slice(1)) {
    if (step === "@items" || step === "@values") decl = decl.elem;
    else if (step === "@keys") return decl.kind === "map" ? keySize : undefined;
    else decl = decl.fields.get(step);
    if (decl === undefined) return undefined;
  }
  return { min: 0, max: decl.most };
}
