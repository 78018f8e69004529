import { escapeName, isReserved } from "./names.ts";
import { asResource, type Node } from "./node.ts";
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
} from "./types.ts";

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

// apiserver/pkg/apis/cel/config.go, pkg/cel/limits.go
const maxRequest = 3 * 1024 * 1024;
const noFields: ReadonlyMap<string, Decl> = new Map();

/** What a schema declares; undefined for one that rules cannot see. */
export function declare(node: Node, isResource = false): Decl | undefined {
  if (node.intOrString) {
    return simple(dynType, 1, node.maxLength === undefined ? maxRequest - 2 : node.maxLength * 4);
  }
  const seen = isResource ? asResource(node) : node;
  switch (seen.type) {
    case "array":
      return declareList(seen);
    case "object":
      return seen.additional === undefined ? declareObject(seen) : declareMap(seen, seen.additional);
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

function simple(type: Type, least: number, most: number): Decl {
  return { kind: "simple", type, fields: noFields, elem: undefined, most, least };
}

function declareList(node: Node): Decl | undefined {
  const elem = node.items && declare(node.items, node.items.embedded);
  if (elem === undefined) return undefined;
  const most = node.maxItems ?? Math.trunc((maxRequest - 2) / (elem.least + 1));
  return { kind: "list", type: dynType, fields: noFields, elem, most, least: 2 };
}

function declareMap(node: Node, values: Node): Decl | undefined {
  const elem = declare(values, values.embedded);
  if (elem === undefined) return undefined;
  const most = node.maxProperties ?? Math.trunc((maxRequest - 2) / (elem.least + 6));
  return { kind: "map", type: dynType, fields: noFields, elem, most, least: 2 };
}

function declareObject(node: Node): Decl {
  const fields = new Map<string, Decl>();
  let least = 2;
  for (const [name, property] of node.properties ?? []) {
    const field = declare(property, property.embedded);
    if (field === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (node.required.has(name) && !property.hasDefault) least += Buffer.byteLength(name) + field.least + 4;
  }
  return { kind: "object", type: dynType, fields, elem: undefined, most: 0, least };
}

function declareText(node: Node): Decl {
  switch (node.format) {
    case "byte":
      return simple(bytesType, 2, node.maxLength ?? maxRequest - 2);
    case "duration":
      return simple(durationType, 3, 32);
    case "date":
      return simple(timestampType, 12, 12);
    case "date-time":
      return simple(timestampType, 21, 32);
  }
  if (node.maxLength !== undefined) return simple(stringType, 2, node.maxLength * 4);
  const choices = node.enum
    .filter((choice) => typeof choice === "string")
    .map((choice) => Buffer.byteLength(choice));
  return simple(stringType, 2, node.enum.length > 0 ? Math.max(0, ...choices) : maxRequest - 2);
}

/** A declaration's type, and the types of the fields of every object within it, each object by a name of its own. */
export interface Declared {
  readonly type: Type;
  readonly structs: ReadonlyMap<string, ReadonlyMap<string, Type>>;
}

// The server makes up a name that nobody can say; it shows in messages.
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
      return listOf(nameTypes(decl.elem as Decl, `${name}.@idx`, structs));
    case "map":
      return mapOf(stringType, nameTypes(decl.elem as Decl, `${name}.@elem`, structs));
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
  return fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined);
}
