import { GoFault } from "../../go/fault.ts";
import { compileRegexp } from "../../go/regexp.ts";
import { compareBytes } from "../../go/text.ts";
import { forbidden, invalid, required, type SchemaFault } from "../model/fault.ts";
import { childrenOf, type Schema } from "../model/schema.ts";

/** What keeps a schema from being structural (apiextensions, schema/validation.go), in the order of the messages. */
export function faultsOfStructure(schema: Schema, at: string): readonly SchemaFault[] {
  const faults = [...faultsOfNode(schema, "root", at), ...faultsOfCompleteness(schema, at)];
  return faults.toSorted((a, b) => compareBytes(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`));
}

type Level = "root" | "item" | "field";

function faultsOfNode(schema: Schema, level: Level, at: string): readonly SchemaFault[] {
  const items = schema.items;
  return [
    ...(schema.type === "array" && items === undefined ? [required(`${at}.items`, "must be specified")] : []),
    ...(items === undefined ? [] : faultsOfNode(items, "item", `${at}.items`)),
    ...[...schema.properties].flatMap(([key, below]) =>
      faultsOfNode(below, "field", `${at}.properties[${key}]`),
    ),
    ...(schema.allowsAdditional !== undefined && level === "root"
      ? [forbidden(`${at}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(schema.additional === undefined
      ? []
      : faultsOfNode(schema.additional, "field", `${at}.additionalProperties`)),
    ...faultsOfExtensions(schema, at),
    ...faultsOfCombinators(schema, isIntOrStringChoice(schema), isIntOrStringChoice(schema.allOf[0]), at),
    ...faultsOfType(schema, level, at),
    ...faultsOfMeta(schema, level, at),
  ];
}

function faultsOfExtensions(
  { intOrString, preserved, embedded, properties }: Schema,
  at: string,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const [preserves, embeds] = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"];
  const why = "must be false if x-kubernetes-int-or-string is true";
  if (intOrString && preserved) faults.push(invalid(`${at}.${preserves}`, true, why));
  if (intOrString && embedded) faults.push(invalid(`${at}.${embeds}`, true, why));
  if (embedded && !preserved && properties.size === 0) {
    const empty = `must not be empty if ${embeds} is true without ${preserves}`;
    faults.push(required(`${at}.properties`, empty));
  }
  return faults;
}

const untyped: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function faultsOfType(schema: Schema, level: Level, at: string): readonly SchemaFault[] {
  const { type, embedded, allowsAdditional } = schema;
  const faults: SchemaFault[] = [];
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    faults.push(type === "" ? required(`${at}.type`, why) : invalid(`${at}.type`, type, why));
  } else if (type === "" && !schema.intOrString && !schema.preserved) {
    faults.push(required(`${at}.type`, untyped[level]));
  }
  if (embedded && allowsAdditional !== undefined) {
    const why = "must not be used if x-kubernetes-embedded-resource is set";
    faults.push(forbidden(`${at}.additionalProperties`, why));
  }
  if (level === "root" && type !== "" && type !== "object") {
    faults.push(invalid(`${at}.type`, type, "must be object at the root"));
  }
  return faults;
}

/** Faults of apiVersion, kind and metadata, at the root and of embedded resources. */
function faultsOfMeta({ properties, embedded }: Schema, level: Level, at: string): readonly SchemaFault[] {
  const isResource = level === "root" || embedded;
  const faults: SchemaFault[] = [];
  for (const key of isResource ? ["kind", "apiVersion"] : []) {
    const type = properties.get(key)?.type;
    if (type !== undefined && type !== "string") {
      faults.push(invalid(`${at}.properties[${key}].type`, type, "must be string"));
    }
  }
  const metadata = properties.get("metadata");
  if (metadata === undefined) return faults;
  const here = `${at}.properties[metadata]`;
  if (isResource && metadata.type !== "object")
    faults.push(invalid(`${here}.type`, metadata.type, "must be object"));
  if (level === "root" && !hasNamesAlone(metadata)) {
    const why =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    faults.push(forbidden(here, why));
  }
  return faults;
}

function hasNamesAlone(metadata: Schema): boolean {
  const others = [...metadata.properties.keys()].filter((key) => key !== "name" && key !== "generateName");
  return others.length === 0 && isBare({ ...metadata, type: "", default: undefined, properties: new Map() });
}

/** `anyOf: [{type: integer}, {type: string}]`, the one choice of types that is allowed. */
function isIntOrStringChoice(schema: Schema | undefined): boolean {
  const [first, second, ...more] = schema?.anyOf ?? [];
  if (first === undefined || second === undefined || more.length > 0) return false;
  return (
    first.type === "integer" &&
    second.type === "string" &&
    isBare({ ...first, type: "" }) &&
    isBare({ ...second, type: "" })
  );
}

function faultsOfCombinators(
  schema: Schema,
  skipAnyOf: boolean,
  skipInFirstAllOf: boolean,
  at: string,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (!skipAnyOf) {
    for (const [index, branch] of schema.anyOf.entries())
      faults.push(...faultsOfBranch(branch, false, `${at}.anyOf[${index}]`));
  }
  for (const [index, branch] of schema.allOf.entries()) {
    faults.push(...faultsOfBranch(branch, skipInFirstAllOf && index === 0, `${at}.allOf[${index}]`));
  }
  for (const [index, branch] of schema.oneOf.entries())
    faults.push(...faultsOfBranch(branch, false, `${at}.oneOf[${index}]`));
  if (schema.not !== undefined) faults.push(...faultsOfBranch(schema.not, false, `${at}.not`));
  const pattern = schema.pattern === "" ? undefined : compileRegexp(schema.pattern);
  if (pattern instanceof GoFault) {
    const why = `must be a valid regular expression, but isn't: ${pattern.message}`;
    faults.push(invalid(`${at}.pattern`, schema.pattern, why));
  }
  return faults;
}

/** A branch may only restrict values. */
function faultsOfBranch(branch: Schema, skipAnyOf: boolean, at: string): readonly SchemaFault[] {
  const faults = [...faultsOfCombinators(branch, skipAnyOf, false, at)];
  if (branch.items !== undefined) faults.push(...faultsOfBranch(branch.items, false, `${at}.items`));
  for (const [key, below] of branch.properties)
    faults.push(...faultsOfBranch(below, false, `${at}.properties[${key}]`));
  for (const [key, isPresent, why] of restrictionsOf(branch))
    if (isPresent) faults.push(forbidden(`${at}.${key}`, why));
  if (branch.properties.has("metadata")) {
    faults.push(forbidden(`${at}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return faults;
}

const empty = "must be empty to be structural";
const undefinedly = "must be undefined to be structural";
const falsely = "must be false to be structural";

function restrictionsOf(
  branch: Schema,
): readonly (readonly [key: string, isPresent: boolean, why: string])[] {
  return [
    ["type", branch.type !== "", empty],
    ["additionalProperties", branch.allowsAdditional === true, undefinedly],
    ["default", branch.default !== undefined, undefinedly],
    ["title", branch.title !== "", empty],
    ["description", branch.description !== "", empty],
    ["nullable", branch.nullable, falsely],
    ["x-kubernetes-preserve-unknown-fields", branch.preserved === true, falsely],
    ["x-kubernetes-embedded-resource", branch.embedded, falsely],
    ["x-kubernetes-int-or-string", branch.intOrString, falsely],
    ["x-kubernetes-list-map-keys", branch.listMapKeys.length > 0, empty],
    ["x-kubernetes-list-type", branch.listType !== undefined, undefinedly],
    ["x-kubernetes-map-type", branch.mapType !== undefined, undefinedly],
    ["x-kubernetes-validations", branch.validations.length > 0, empty],
  ];
}

/**
 * What combinators at the root of a schema mention but the structure does not have (apiextensions, schema/complete.go). Those
 * of nested nodes are never checked (its ValidateStructuralCompleteness visits the root alone).
 */
function faultsOfCompleteness(schema: Schema, at: string): readonly SchemaFault[] {
  return ofCombinators(schema, schema, at, at);
}

function ofCombinators(branches: Schema, structure: Schema, at: string, by: string): readonly SchemaFault[] {
  const each = (key: "allOf" | "anyOf" | "oneOf") =>
    branches[key].flatMap((branch, index) => ofBranch(branch, structure, at, `${by}.${key}[${index}]`));
  const not = branches.not === undefined ? [] : ofBranch(branches.not, structure, at, `${by}.not`);
  return [...not, ...each("allOf"), ...each("anyOf"), ...each("oneOf")];
}

function ofBranch(
  branch: Schema,
  structure: Schema | undefined,
  at: string,
  by: string,
): readonly SchemaFault[] {
  if (structure === undefined) return [required(at, `because it is defined in ${by}`)];
  const items = branch.items;
  const fields = [...branch.properties].flatMap(([key, below]) => {
    const [here, there] = [`${at}.properties[${key}]`, `${by}.properties[${key}]`];
    return ofBranch(below, structure.properties.get(key), here, there);
  });
  return [
    ...ofCombinators(branch, structure, at, by),
    ...(items === undefined ? [] : ofBranch(items, structure.items, `${at}.items`, `${by}.items`)),
    ...fields,
  ];
}

/** Why a schema cannot even be read as a structural one (apiextensions, schema/convert.go): only the first reason is reported. */
export function whyUnstructured(schema: Schema): string | undefined {
  const branches = [schema.not, ...schema.allOf, ...schema.anyOf, ...schema.oneOf];
  return (
    unsupported(schema) ??
    first(branches) ??
    (schema.preserved === false
      ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
      : undefined) ??
    ((schema.itemList?.length ?? 0) > 0
      ? "OpenAPIV3Schema 'items' must be a schema, but is an array"
      : undefined) ??
    first(childrenOf(schema))
  );
}

function unsupported(schema: Schema): string | undefined {
  const keywords: readonly (readonly [key: string, isPresent: boolean])[] = [
    ["id", schema.id !== ""],
    ["schema", schema.dialect !== ""],
    ["$ref", (schema.ref ?? "") !== ""],
    ["patternProperties", schema.patternProperties.size > 0],
    ["dependencies", (schema.dependencies?.size ?? 0) > 0],
    ["additionalItems", schema.additionalItems !== undefined],
    ["definitions", schema.definitions.size > 0],
  ];
  const found = keywords.find(([, isPresent]) => isPresent);
  return found === undefined ? undefined : `OpenAPIV3Schema '${found[0]}' is not supported`;
}

function first(schemas: readonly (Schema | undefined)[]): string | undefined {
  for (const schema of schemas) {
    const why = schema === undefined ? undefined : whyUnstructured(schema);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Whether a node of a schema has no keyword at all. */
function isBare(schema: Schema): boolean {
  const { keywords, ...rest } = schema;
  if (schema.allowsAdditional !== undefined || schema.itemList !== undefined) return false;
  return !copied.some((key) => keywords.has(key)) && Object.values(rest).every(isNothing);
}

/** Lists that the API server copies as they are, so that an empty one counts. */
const copied = ["required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"];

function isNothing(value: unknown): boolean {
  if (value === undefined || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map && value.size === 0;
}
