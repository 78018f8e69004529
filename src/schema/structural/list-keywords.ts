import { forbidden, invalid, notSupported, required, type SchemaFault } from "../fault.ts";
import type { Schema } from "../model.ts";

const listTypeKey = "x-kubernetes-list-type";
const listKeysKey = "x-kubernetes-list-map-keys";

/** What is wrong with the list type of a node. */
export function faultsOfListType({ listType, type, items }: Schema, at: string): readonly SchemaFault[] {
  if (listType === undefined) return [];
  const faults: SchemaFault[] = [];
  if (type !== "array") {
    const why = `must be array if ${listTypeKey} is specified`;
    faults.push(type === "" ? required(`${at}.type`, why) : invalid(`${at}.type`, type, why));
  } else if (listType === "set" && items?.schema !== undefined) {
    faults.push(...faultsOfSetItems(items.schema, `${at}.items`));
  }
  if (!["atomic", "set", "map"].includes(listType)) {
    faults.push(notSupported(`${at}.${listTypeKey}`, listType, ["atomic", "set", "map"]));
  }
  return faults;
}

/** Items of a set are taken or left as a whole; the value that the server shows is the list type in both cases. */
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
export function faultsOfListKeys(schema: Schema, at: string): readonly SchemaFault[] {
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

function faultsOfMapList({ items, listMapKeys }: Schema, at: string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (listMapKeys.length === 0) {
    faults.push(required(`${at}.${listKeysKey}`, `must not be empty if ${listTypeKey} is map`));
  }
  if (items === undefined) {
    return [...faults, required(`${at}.items`, `must have a schema if ${listTypeKey} is map`)];
  }
  const { schema } = items;
  if (schema === undefined) {
    const why = `must only have a single schema if ${listTypeKey} is map`;
    return [...faults, invalid(`${at}.items`, { Schema: null, JSONSchemas: [] }, why)];
  }
  if (schema.type !== "object") {
    const why = `must be object if parent array's ${listTypeKey} is map`;
    return [...faults, invalid(`${at}.items.type`, schema.type, why)];
  }
  const seen = new Set<string>();
  for (const key of listMapKeys) {
    const property = schema.properties.get(key);
    if (property === undefined) {
      faults.push(
        invalid(`${at}.${listKeysKey}`, listMapKeys, "entries must all be names of item properties"),
      );
    } else if (property.type === "array" || property.type === "object") {
      const why = `must be a scalar type if parent array's ${listTypeKey} is map`;
      faults.push(invalid(`${at}.items.properties[${key}].type`, schema.type, why));
    }
    if (seen.has(key))
      faults.push(invalid(`${at}.${listKeysKey}`, listMapKeys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return faults;
}

function faultsOfItems({ listType, listMapKeys, items }: Schema, at: string): readonly SchemaFault[] {
  const schema = items?.schema;
  if (schema === undefined || (listType !== "set" && listType !== "map")) return [];
  const faults: SchemaFault[] = [];
  if (schema.nullable) {
    faults.push(forbidden(`${at}.items.nullable`, `cannot be nullable when ${listTypeKey} is ${listType}`));
  }
  for (const key of listType === "map" ? listMapKeys : []) {
    const property = schema.properties.get(key);
    const here = `${at}.items.properties[${key}]`;
    if (property === undefined) continue;
    if (!schema.required.includes(key) && property.default === undefined) {
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
