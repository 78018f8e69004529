import { forbidden, invalid, notSupported, required, type SchemaFault } from "../fault.ts";
import type { Dependency, Schema } from "../model.ts";
import { compareBytes } from "../printed.ts";
import { faultsOfListKeys, faultsOfListType } from "./list-keywords.ts";
import { faultsOfRule } from "./rule-keywords.ts";

/** What the place of a node in its schema forbids it to say. */
interface Standing {
  /** Why it may have no default; undefined where it may. */
  readonly undefaulted?: string;
  /** Whether it describes apiVersion, kind or metadata, or lies below them. */
  readonly insideMeta: boolean;
}

/** What is wrong with the keywords of a schema (apiextensions, ValidateCustomResourceDefinitionOpenAPISchema), rules' expressions aside. */
export function faultsOfKeywords(schema: Schema, at: string): readonly SchemaFault[] {
  return faultsOfNode(schema, at, { insideMeta: false }, true);
}

function faultsOfNode(
  schema: Schema,
  at: string,
  standing: Standing,
  isRoot: boolean,
): readonly SchemaFault[] {
  const below = (node: Schema | undefined, key: string, how = standing) =>
    node === undefined ? [] : faultsOfNode(node, `${at}.${key}`, how, false);
  const each = (nodes: readonly Schema[], key: string) =>
    nodes.flatMap((node, index) => below(node, `${key}[${index}]`));
  const named = (nodes: ReadonlyMap<string, Schema | undefined>, key: string) =>
    inOrder(nodes).flatMap(([name, node]) => below(node, `${key}[${name}]`));
  return [
    ...faultsOfStandard(schema, at, standing),
    ...faultsOfMap(schema, at),
    ...below(schema.additionalProperties?.schema, "additionalProperties", inMap(standing)),
    ...inOrder(schema.properties).flatMap(([key, node]) =>
      below(node, `properties[${key}]`, inProperty(standing, key, isRoot, schema)),
    ),
    ...below(schema.not, "not"),
    ...each(schema.allOf, "allOf"),
    ...each(schema.oneOf, "oneOf"),
    ...each(schema.anyOf, "anyOf"),
    ...named(schema.definitions, "definitions"),
    ...below(schema.items?.schema, "items"),
    ...each(schema.items?.list ?? [], "items"),
    ...inOrder(schema.dependencies ?? new Map<string, Dependency>()).flatMap(([name, { schema: node }]) =>
      below(node, `dependencies[${name}]`),
    ),
    ...faultsOfExtensions(schema, at),
    ...faultsOfListType(schema, at),
    ...faultsOfListKeys(schema, at),
    ...schema.validations.flatMap((rule, index) =>
      faultsOfRule(rule, schema, `${at}.x-kubernetes-validations[${index}]`),
    ),
  ];
}

function inOrder<T>(nodes: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...nodes].toSorted(([a], [b]) => compareBytes(a, b));
}

function inMap(standing: Standing): Standing {
  if (!standing.insideMeta) return standing;
  return { ...standing, undefaulted: "inside additionalProperties applying to object metadata" };
}

function inProperty(standing: Standing, key: string, isRoot: boolean, { embedded }: Schema): Standing {
  const isMeta = key === "metadata" || key === "kind" || key === "apiVersion";
  if (!isMeta || (!isRoot && !embedded)) return standing;
  return { ...standing, insideMeta: true, ...(isRoot ? { undefaulted: `in top-level ${key}` } : {}) };
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Keywords of JSON Schema and OpenAPI that Kubernetes does not have. */
function faultsOfStandard(
  schema: Schema,
  at: string,
  { undefaulted, insideMeta }: Standing,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const never = (key: string, isThere: boolean) =>
    isThere && faults.push(forbidden(`${at}.${key}`, `${key} is not supported`));
  if (schema.type !== "" && !types.includes(schema.type)) {
    faults.push(notSupported(`${at}.type`, schema.type, types));
  }
  if (schema.default !== undefined && undefaulted !== undefined) {
    faults.push(forbidden(`${at}.default`, `must not be set ${undefaulted}`));
  }
  never("id", schema.id !== "");
  never("additionalItems", schema.additionalItems !== undefined);
  never("patternProperties", schema.patternProperties.size > 0);
  never("definitions", schema.definitions.size > 0);
  never("dependencies", schema.dependencies !== undefined);
  never("$ref", schema.ref !== undefined);
  if (schema.type === "null") {
    faults.push(forbidden(`${at}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if ((schema.items?.list.length ?? 0) > 0) {
    faults.push(forbidden(`${at}.items`, "items must be a schema object and not an array"));
  }
  if (insideMeta && schema.embedded) {
    faults.push(
      forbidden(`${at}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"),
    );
  }
  return faults;
}

function faultsOfMap(
  { uniqueItems, additionalProperties, properties }: Schema,
  at: string,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (uniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    faults.push(forbidden(`${at}.uniqueItems`, why));
  }
  const says =
    additionalProperties !== undefined &&
    (!additionalProperties.allows || additionalProperties.schema !== undefined);
  if (says && properties.size > 0) {
    const why = "additionalProperties and properties are mutual exclusive";
    faults.push(forbidden(`${at}.additionalProperties`, why));
  }
  return faults;
}

function faultsOfExtensions({ preserved, mapType, type }: Schema, at: string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (preserved === false) {
    faults.push(invalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  if (mapType !== undefined && type !== "object") {
    const why = "must be object if x-kubernetes-map-type is specified";
    faults.push(type === "" ? required(`${at}.type`, why) : invalid(`${at}.type`, type, why));
  }
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    faults.push(notSupported(`${at}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  return faults;
}
