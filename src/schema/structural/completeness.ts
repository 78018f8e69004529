import { required, type SchemaFault } from "../fault.ts";
import type { Schema } from "../model.ts";

/**
 * What junctors at the root of a schema name without the structure having it (apiextensions, schema/complete.go). Those
 * of nested nodes are never asked (kubernetes.md 2.11, 1).
 */
export function faultsOfCompleteness(schema: Schema, at: string): readonly SchemaFault[] {
  return ofJunctors(schema, schema, at, at);
}

function ofJunctors(said: Schema, structure: Schema, at: string, by: string): readonly SchemaFault[] {
  const each = (key: "allOf" | "anyOf" | "oneOf") =>
    said[key].flatMap((branch, index) => ofBranch(branch, structure, at, `${by}.${key}[${index}]`));
  const not = said.not === undefined ? [] : ofBranch(said.not, structure, at, `${by}.not`);
  return [...not, ...each("allOf"), ...each("anyOf"), ...each("oneOf")];
}

function ofBranch(
  branch: Schema,
  structure: Schema | undefined,
  at: string,
  by: string,
): readonly SchemaFault[] {
  if (structure === undefined) return [required(at, `because it is defined in ${by}`)];
  const items = branch.items?.schema;
  const fields = [...branch.properties].flatMap(([key, below]) => {
    const [here, there] = [`${at}.properties[${key}]`, `${by}.properties[${key}]`];
    return ofBranch(below, structure.properties.get(key), here, there);
  });
  return [
    ...ofJunctors(branch, structure, at, by),
    ...(items === undefined ? [] : ofBranch(items, structure.items?.schema, `${at}.items`, `${by}.items`)),
    ...fields,
  ];
}
