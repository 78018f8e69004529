import type { Schema } from "../model.ts";

/** Why a schema cannot even be read as a structural one (apiextensions, schema/convert.go): the first thing alone is told. */
export function whyUnstructured(schema: Schema): string | undefined {
  const branches = [schema.not, ...schema.allOf, ...schema.anyOf, ...schema.oneOf];
  const below = [schema.items?.schema, ...schema.properties.values(), schema.additionalProperties?.schema];
  return (
    unsupported(schema) ??
    first(branches) ??
    (schema.preserved === false
      ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
      : undefined) ??
    ((schema.items?.list.length ?? 0) > 0
      ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
      : undefined) ??
    first(below)
  );
}

function unsupported(schema: Schema): string | undefined {
  const said: readonly (readonly [key: string, isSaid: boolean])[] = [
    ["id", schema.id !== ""],
    ["schema", schema.dialect !== ""],
    ["$ref", (schema.ref ?? "") !== ""],
    ["patternProperties", schema.patternProperties.size > 0],
    ["dependencies", (schema.dependencies?.size ?? 0) > 0],
    ["additionalItems", schema.additionalItems !== undefined],
    ["definitions", schema.definitions.size > 0],
  ];
  const found = said.find(([, isSaid]) => isSaid);
  return found === undefined ? undefined : `OpenAPIV3Schema '${found[0]}' is not supported`;
}

function first(schemas: readonly (Schema | undefined)[]): string | undefined {
  for (const schema of schemas) {
    const why = schema === undefined ? undefined : whyUnstructured(schema);
    if (why !== undefined) return why;
  }
  return undefined;
}
