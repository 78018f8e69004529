import { apiVersionOf } from "../apimachinery/resource.ts";
import { carrierField } from "../conversion/carriers.ts";
import { lensIn } from "../conversion/lens.ts";
import { resourceShapeOf, type Shape, withNamedItems } from "../conversion/shape.ts";
import { didYouMean } from "../json/alike.ts";
import { fieldAt, type JsonObject, set } from "../json/json.ts";
import type { CompiledSchema } from "../schema/crd/compile.ts";
import { hasField, shapeAt, suggestion } from "./check-rows.ts";
import type { KindDefinition, Version, VersionDefinition } from "./kind.ts";
import type { DefinitionFault } from "./validate-definition.ts";

/** A version with its shape, and what the definition names that its schema does not have. Neither without an entry or a schema. */
export function preparedVersion(
  { group }: KindDefinition,
  { name, lens, retired = {}, listKeys = {} }: VersionDefinition,
  entry: JsonObject | undefined,
  schema: CompiledSchema | undefined,
): { readonly version?: Version; readonly faults: readonly DefinitionFault[] } {
  if (entry === undefined || schema === undefined) return { faults: [] };
  const { shape, faults } = namedShape(resourceShapeOf(schema.model), name, listKeys);
  const misnamed = Object.keys(retired).filter((field) => !hasField(shape, field.split(".")));
  const version: Version = {
    name,
    apiVersion: apiVersionOf(group, name),
    entry,
    served: entry.served === true,
    shape,
    schema,
    defaulted: defaultedBy(schema),
    carriesStatus: hasField(shape, ["status", carrierField]),
    ...(lens === undefined ? {} : { lens: lensIn(lens) }),
    retired: Object.entries(retired).map(([field, instead]) => ({ path: field.split("."), instead })),
  };
  const unknown = misnamed.map((field) => ({
    literal: field,
    sentence: `${name}.yaml has no field ${field}, which retired names${suggestion(field, shape)}`,
  }));
  return { version, faults: [...faults, ...unknown] };
}

/**
 * What the API server reads of a stored object: its nulls dropped, its defaults filled in. A part that is null as a whole stays: it
 * is never stored, and server-side apply sends it in parts of objects.
 */
export function defaultedBy({ defaulted }: Pick<CompiledSchema, "defaulted">): Version["defaulted"] {
  return (object) => {
    let read = defaulted(object);
    for (const part in object) if (fieldAt(object, part) === null) read = set(read, part, null);
    return read;
  };
}

/** Why the items of a list cannot be recognised by fields. */
function faultOfListKeys(list: string, fields: readonly string[], shape: Shape): string {
  const items = shapeAt(shape, list.split("."))?.items;
  if (items === undefined) return `has no list ${list}, which listKeys names${suggestion(list, shape)}`;
  const unknown = fields.find((field) => !items.properties.has(field));
  if (unknown === undefined) return `has keys for the list ${list} itself; remove it from listKeys`;
  const alike = didYouMean(unknown, items.properties.keys());
  return `has no field ${unknown} in the items of ${list}, which listKeys names${alike}`;
}

/** The shape in which the items of the named lists are recognised by their keys. */
function namedShape(
  schemaShape: Shape,
  version: string,
  listKeys: Readonly<Record<string, readonly string[]>>,
): { readonly shape: Shape; readonly faults: readonly DefinitionFault[] } {
  let shape = schemaShape;
  const faults: DefinitionFault[] = [];
  for (const [list, fields] of Object.entries(listKeys)) {
    const named = withNamedItems(shape, list.split("."), fields);
    shape = named ?? shape;
    if (named !== undefined) continue;
    faults.push({ literal: list, sentence: `${version}.yaml ${faultOfListKeys(list, fields, shape)}` });
  }
  return { shape, faults };
}
