import { forbidden, invalid, required, type SchemaFault } from "../fault.ts";
import type { Schema } from "../model.ts";
import { patternOf } from "../pattern.ts";
import { compareBytes } from "../printed.ts";
import { isBare } from "./bare.ts";
import { faultsOfCompleteness } from "./completeness.ts";

/** What keeps a schema from being structural (apiextensions, schema/validation.go), in the order of what is said. */
export function faultsOfStructure(schema: Schema, at: string): readonly SchemaFault[] {
  const faults = [...faultsOfNode(schema, "root", at), ...faultsOfCompleteness(schema, at)];
  return faults.toSorted((a, b) => compareBytes(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`));
}

type Level = "root" | "item" | "field";

function faultsOfNode(schema: Schema, level: Level, at: string): readonly SchemaFault[] {
  const items = schema.items?.schema;
  const others = schema.additionalProperties;
  return [
    ...(schema.type === "array" && items === undefined ? [required(`${at}.items`, "must be specified")] : []),
    ...(items === undefined ? [] : faultsOfNode(items, "item", `${at}.items`)),
    ...[...schema.properties].flatMap(([key, below]) =>
      faultsOfNode(below, "field", `${at}.properties[${key}]`),
    ),
    ...(others !== undefined && level === "root"
      ? [forbidden(`${at}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(others?.schema === undefined
      ? []
      : faultsOfNode(others.schema, "field", `${at}.additionalProperties`)),
    ...faultsOfExtensions(schema, at),
    ...faultsOfJunctors(schema, isIntOrStringChoice(schema), isIntOrStringChoice(schema.allOf[0]), at),
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
  const { type, embedded, additionalProperties } = schema;
  const faults: SchemaFault[] = [];
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    faults.push(type === "" ? required(`${at}.type`, why) : invalid(`${at}.type`, type, why));
  } else if (type === "" && !schema.intOrString && !schema.preserved) {
    faults.push(required(`${at}.type`, untyped[level]));
  }
  if (embedded && additionalProperties !== undefined) {
    const why = "must not be used if x-kubernetes-embedded-resource is set";
    faults.push(forbidden(`${at}.additionalProperties`, why));
  }
  if (level === "root" && type !== "" && type !== "object") {
    faults.push(invalid(`${at}.type`, type, "must be object at the root"));
  }
  return faults;
}

/** What is said of apiVersion, kind and metadata, at the root and of embedded resources. */
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
  if (level === "root" && !saysNamesAlone(metadata)) {
    const why =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    faults.push(forbidden(here, why));
  }
  return faults;
}

function saysNamesAlone(metadata: Schema): boolean {
  const { default: _, ...rest } = metadata;
  const others = [...metadata.properties.keys()].filter((key) => key !== "name" && key !== "generateName");
  return others.length === 0 && isBare({ ...rest, type: "", properties: new Map() });
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

function faultsOfJunctors(
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
  const pattern = schema.pattern === "" ? undefined : patternOf(schema.pattern);
  if (pattern !== undefined && "fault" in pattern) {
    const why = `must be a valid regular expression, but isn't: ${pattern.fault}`;
    faults.push(invalid(`${at}.pattern`, schema.pattern, why));
  }
  return faults;
}

/** A branch may only restrict values; what it may not say. */
function faultsOfBranch(branch: Schema, skipAnyOf: boolean, at: string): readonly SchemaFault[] {
  const faults = [...faultsOfJunctors(branch, skipAnyOf, false, at)];
  if (branch.items?.schema !== undefined)
    faults.push(...faultsOfBranch(branch.items.schema, false, `${at}.items`));
  for (const [key, below] of branch.properties)
    faults.push(...faultsOfBranch(below, false, `${at}.properties[${key}]`));
  for (const [key, isSaid, why] of sayings(branch)) if (isSaid) faults.push(forbidden(`${at}.${key}`, why));
  if (branch.properties.has("metadata")) {
    faults.push(forbidden(`${at}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return faults;
}

const empty = "must be empty to be structural";
const undefinedly = "must be undefined to be structural";
const falsely = "must be false to be structural";

function sayings(branch: Schema): readonly (readonly [key: string, isSaid: boolean, why: string])[] {
  return [
    ["type", branch.type !== "", empty],
    ["additionalProperties", branch.additionalProperties?.allows === true, undefinedly],
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
