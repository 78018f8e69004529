import { mapFields, mapItems } from "../json/copy.ts";
import { get, isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import type { Version } from "../kind/kind.ts";

/**
 * What an API server keeps of an object that it decodes at a version, before defaulting: unknown fields are pruned
 * (apiextensions-apiserver, pkg/apiserver/schema/pruning), nulls that the schema does not allow are dropped, metadata is
 * coerced to ObjectMeta (schema/objectmeta). A value of a wrong type is kept, except that an object in place of a scalar
 * loses all its fields.
 */
export function decoded(object: JsonObject, { entry }: Version): JsonObject {
  const { apiVersion, kind, metadata, ...content } = object;
  const schema = get(entry, "schema", "openAPIV3Schema");
  const kept = fields(content, schema);
  const identity = Object.entries({ apiVersion, kind, metadata: coerced(metadata) });
  return {
    ...kept,
    ...Object.fromEntries(identity.filter((entry): entry is [string, Json] => entry[1] !== undefined)),
  };
}

/** Metadata as a server keeps it: without empty or null labels and annotations. */
export function coerced(metadata: Json | undefined): Json | undefined {
  if (!isObject(metadata)) return metadata;
  return ["labels", "annotations"].reduce<JsonObject>((here, name) => {
    const marks = here[name];
    const isNothing = marks === null || (isObject(marks) && Object.keys(marks).length === 0);
    return isNothing ? set(here, name, undefined) : here;
  }, metadata);
}

function value(here: Json, schema: Json | undefined): Json {
  if (isArray(here)) {
    const items = own(schema, "items");
    return mapItems(here, (item) => value(item, items));
  }
  return isObject(here) ? fields(here, schema) : here;
}

function fields(object: JsonObject, schema: Json | undefined): JsonObject {
  const properties = own(schema, "properties");
  const others = own(schema, "additionalProperties");
  const preserved = own(schema, "x-kubernetes-preserve-unknown-fields") === true;
  return mapFields(object, (here, key) => {
    const known = own(properties, key);
    if (known !== undefined) return here === null && !isNullable(known) ? undefined : value(here, known);
    if (isObject(others)) return here === null && !isNullable(others) ? undefined : value(here, others);
    return preserved || (others !== undefined && others !== false) ? here : undefined;
  });
}

function isNullable(schema: Json): boolean {
  return own(schema, "nullable") === true;
}
