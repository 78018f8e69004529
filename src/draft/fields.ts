import { get, isObject, type JsonObject, listAt } from "../json/json.ts";

/** The sort of values that a schema admits, as far as it matters for mapping one field to another. */
export type Sort =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "int-or-string"
  | "list"
  | "map"
  | "object"
  | "any";

/** A field that a lens can name in a row: it is reached through objects alone, and it is not an object with fields itself. */
export interface Field {
  readonly path: readonly string[];
  readonly schema: JsonObject;
  readonly sort: Sort;
}

/** The fields of an object's schema, in order. */
export function fieldsOf(schema: JsonObject, path: readonly string[] = []): readonly Field[] {
  const properties = get(schema, "properties");
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, below]) => {
    if (!isObject(below)) return [];
    const here = [...path, name];
    return hasFields(below) ? fieldsOf(below, here) : [{ path: here, schema: below, sort: sortOf(below) }];
  });
}

/** The fields that a lens can name in an object; any other field itself. */
export function fieldsIn(field: Field): readonly Field[] {
  return field.sort === "object" && hasFields(field.schema) ? fieldsOf(field.schema, field.path) : [field];
}

/** The sort of values that a schema admits. */
export function sortOf(schema: JsonObject): Sort {
  if (schema["x-kubernetes-int-or-string"] === true) return "int-or-string";
  switch (schema.type) {
    case "array":
      return "list";
    case "object":
      if (schema["x-kubernetes-preserve-unknown-fields"] === true) return "any";
      return schema.additionalProperties === undefined ? "object" : "map";
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return schema.type;
    default:
      return "any";
  }
}

/** The schema of the items of a list or of the values of a map, if it has one; of an object with fields its own. */
export function elementOf({ sort, schema }: Field): JsonObject | undefined {
  if (sort === "object" && hasFields(schema)) return schema;
  const element = sort === "list" ? schema.items : sort === "map" ? schema.additionalProperties : undefined;
  return isObject(element) ? element : undefined;
}

/** Whether a schema is that of an object with fields. */
export function hasFields(schema: JsonObject | undefined): schema is JsonObject {
  const properties = get(schema, "properties");
  return isObject(properties) && Object.keys(properties).length > 0;
}

/** Whether an object must have a field, if it has the object that the first so many names of its path lead to. */
export function isNeeded(schema: JsonObject, path: readonly string[], from = path.length - 1): boolean {
  return path.every(
    (name, at) => at < from || listAt(schemaAt(schema, path.slice(0, at)), "required").includes(name),
  );
}

/** The schema of a field, or of an object that leads to one. */
export function schemaAt(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  const found = get(schema, ...path.flatMap((name) => ["properties", name]));
  return isObject(found) ? found : undefined;
}

/** Whether a field is another one, or below it. */
export function isWithin({ path }: Field, { path: around }: Field): boolean {
  return around.every((name, at) => path[at] === name);
}

/** How many names two paths begin with. */
export function commonHead(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((name, index) => name !== b[index]);
  return at < 0 ? a.length : at;
}

/** The number of values that a field holds: for a list or map of objects, those of one of them. */
export function leavesIn(field: Field): number {
  const element = elementOf(field);
  if (element === undefined) return 1;
  return hasFields(element)
    ? sumOf(fieldsOf(element).map(leavesIn))
    : leavesIn({ path: field.path, schema: element, sort: sortOf(element) });
}

/** The sum of numbers. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
