import { compareBytes, trimSpace } from "../../go/text.ts";
import { forbidden, invalid, notSupported, panics, required, type SchemaFault } from "../model/fault.ts";
import { followPath } from "../model/field-path.ts";
import type { Dependency, Rule, Schema } from "../model/schema.ts";
import { whyUnstructured } from "./form.ts";

/** What a node may not have because of its place in the schema. */
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
    ...below(schema.additional, "additionalProperties", inMap(standing)),
    ...inOrder(schema.properties).flatMap(([key, node]) =>
      below(node, `properties[${key}]`, inProperty(standing, key, isRoot, schema)),
    ),
    ...below(schema.not, "not"),
    ...each(schema.allOf, "allOf"),
    ...each(schema.oneOf, "oneOf"),
    ...each(schema.anyOf, "anyOf"),
    ...named(schema.definitions, "definitions"),
    ...below(schema.items, "items"),
    ...each(schema.itemList ?? [], "items"),
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

/** Keywords of JSON Schema and OpenAPI that Kubernetes does not support. */
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
  if ((schema.itemList?.length ?? 0) > 0) {
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
  { uniqueItems, additional, allowsAdditional, properties }: Schema,
  at: string,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (uniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    faults.push(forbidden(`${at}.uniqueItems`, why));
  }
  const isRestricted = allowsAdditional === false || additional !== undefined;
  if (isRestricted && properties.size > 0) {
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

const listTypeKey = "x-kubernetes-list-type";
const listKeysKey = "x-kubernetes-list-map-keys";

/** What is wrong with the list type of a node. */
function faultsOfListType({ listType, type, items }: Schema, at: string): readonly SchemaFault[] {
  if (listType === undefined) return [];
  const faults: SchemaFault[] = [];
  if (type !== "array") {
    const why = `must be array if ${listTypeKey} is specified`;
    faults.push(type === "" ? required(`${at}.type`, why) : invalid(`${at}.type`, type, why));
  } else if (listType === "set" && items !== undefined) {
    faults.push(...faultsOfSetItems(items, `${at}.items`));
  }
  if (!["atomic", "set", "map"].includes(listType)) {
    faults.push(notSupported(`${at}.${listTypeKey}`, listType, ["atomic", "set", "map"]));
  }
  return faults;
}

/** Items of a set must be atomic; the server shows the list type as the value in both cases. */
function faultsOfSetItems({ type, listType, mapType }: Schema, at: string): readonly SchemaFault[] {
  const why = `must be atomic as item of a list with ${listTypeKey}=set`;
  if (type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(`${at}.${listTypeKey}`, listType, why)];
  }
  return type === "object" && mapType !== "atomic"
    ? [invalid(`${at}.x-kubernetes-map-type`, listType ?? null, why)]
    : [];
}

/** What is wrong with the keys of a list of type map, and with items of sets and maps. */
function faultsOfListKeys(schema: Schema, at: string): readonly SchemaFault[] {
  const { listType, listMapKeys } = schema;
  const faults: SchemaFault[] = [];
  if (listMapKeys.length > 0 && listType !== "map") {
    const why = `must be map if ${listKeysKey} is non-empty`;
    const here = `${at}.${listTypeKey}`;
    faults.push(listType === undefined ? required(here, why) : invalid(here, listType, why));
  }
  if (listType === "map") faults.push(...faultsOfMapList(schema, at));
  return [...faults, ...faultsOfItems(schema, at)];
}

function faultsOfMapList({ items, itemList, listMapKeys }: Schema, at: string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (listMapKeys.length === 0) {
    faults.push(required(`${at}.${listKeysKey}`, `must not be empty if ${listTypeKey} is map`));
  }
  if (items === undefined && itemList === undefined) {
    return [...faults, required(`${at}.items`, `must have a schema if ${listTypeKey} is map`)];
  }
  if (items === undefined) {
    const why = `must only have a single schema if ${listTypeKey} is map`;
    return [...faults, invalid(`${at}.items`, { Schema: null, JSONSchemas: [] }, why)];
  }
  if (items.type !== "object") {
    const why = `must be object if parent array's ${listTypeKey} is map`;
    return [...faults, invalid(`${at}.items.type`, items.type, why)];
  }
  const seen = new Set<string>();
  for (const key of listMapKeys) {
    const property = items.properties.get(key);
    if (property === undefined) {
      faults.push(
        invalid(`${at}.${listKeysKey}`, listMapKeys, "entries must all be names of item properties"),
      );
    } else if (property.type === "array" || property.type === "object") {
      const why = `must be a scalar type if parent array's ${listTypeKey} is map`;
      faults.push(invalid(`${at}.items.properties[${key}].type`, items.type, why));
    }
    if (seen.has(key))
      faults.push(invalid(`${at}.${listKeysKey}`, listMapKeys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return faults;
}

function faultsOfItems({ listType, listMapKeys, items }: Schema, at: string): readonly SchemaFault[] {
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const faults: SchemaFault[] = [];
  if (items.nullable) {
    faults.push(forbidden(`${at}.items.nullable`, `cannot be nullable when ${listTypeKey} is ${listType}`));
  }
  for (const key of listType === "map" ? listMapKeys : []) {
    const property = items.properties.get(key);
    const here = `${at}.items.properties[${key}]`;
    if (property === undefined) continue;
    if (!items.required.includes(key) && property.default === undefined) {
      const why = `this property is in ${listKeysKey}, so it must have a default or be a required property`;
      faults.push(required(`${here}.default`, why));
    }
    if (property.nullable) {
      faults.push(
        forbidden(`${here}.nullable`, `this property is in ${listKeysKey}, so it cannot be nullable`),
      );
    }
  }
  return faults;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** What is wrong with a rule beside its expressions. */
function faultsOfRule(rule: Rule, schema: Schema, at: string): readonly SchemaFault[] {
  const faults = [...faultsOfText(rule, at)];
  if (rule.messageExpression !== "" && trimSpace(rule.messageExpression) === "") {
    faults.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    faults.push(notSupported(`${at}.reason`, rule.reason, reasons));
  }
  if (rule.fieldPath === "") return faults;
  const say = (why: string) => faults.push(invalid(`${at}.fieldPath`, rule.fieldPath, why));
  if (trimSpace(rule.fieldPath) === "") say("must be non-empty if specified");
  if (hasLineBreak(rule.fieldPath)) say("must not contain line breaks");
  if (whyUnstructured(schema) !== undefined) return faults;
  const found = followPath(rule.fieldPath, schema, "brackets");
  if (!("fault" in found)) return faults;
  if (found.panics) faults.push(panics(`${at}.fieldPath`, `it ${found.fault}`));
  else say("must be a valid path");
  return faults;
}

/** The first thing that is wrong with a rule's text or its message. */
function faultsOfText({ rule, message }: Rule, at: string): readonly SchemaFault[] {
  if (trimSpace(rule) === "") return [required(`${at}.rule`, "rule is not specified")];
  const trimmed = trimSpace(message);
  if (message !== "" && trimmed === "")
    return [invalid(`${at}.message`, message, "must be non-empty if specified")];
  if (hasLineBreak(trimmed)) return [invalid(`${at}.message`, message, "must not contain line breaks")];
  if (!hasLineBreak(trimSpace(rule)) || trimmed !== "") return [];
  return [required(`${at}.message`, "message must be specified if rule contains line breaks")];
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}
