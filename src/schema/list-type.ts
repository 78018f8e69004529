import { isArray, isExactNumber, isObject, type Json, type JsonArray, own } from "../json/json.ts";
import { duplicate, invalid, type SchemaFault } from "./fault.ts";
import type { Schema } from "./model.ts";
import { child, entry, item, type Place } from "./place.ts";
import { isInt64, printJson, printNumber } from "./printed.ts";

/** What is there twice in the lists of type set and map below a place (apiextensions, schema/listtype). */
export type ListCheck = (value: Json, at: Place) => readonly SchemaFault[];

/** Compiles the check of a schema; undefined where nothing in it is a set or a map. */
export function listCheckOf(schema: Schema): ListCheck | undefined {
  const own = listCheck(schema);
  const items = schema.items?.schema === undefined ? undefined : listCheckOf(schema.items.schema);
  const fields = checksOf(schema.properties);
  const others = schema.additionalProperties?.schema;
  const other = others === undefined ? undefined : listCheckOf(others);
  if (own === undefined && items === undefined && fields.size === 0 && other === undefined) return undefined;
  return (value, at) => {
    if (isArray(value)) {
      const below = items === undefined ? [] : value.flatMap((each, index) => items(each, item(at, index)));
      return own === undefined ? below : [...own(value, at), ...below];
    }
    if (!isObject(value)) return [];
    const faults: SchemaFault[] = [];
    if (other !== undefined) {
      for (const [key, below] of Object.entries(value)) faults.push(...other(below, entry(at, key)));
    }
    for (const [key, check] of fields) {
      if (Object.hasOwn(value, key)) faults.push(...check(value[key] as Json, child(at, key)));
    }
    return faults;
  };
}

function checksOf(properties: ReadonlyMap<string, Schema>): ReadonlyMap<string, ListCheck> {
  const checks = new Map<string, ListCheck>();
  for (const [key, below] of properties) {
    const check = listCheckOf(below);
    if (check !== undefined) checks.set(key, check);
  }
  return checks;
}

function listCheck(schema: Schema): ((list: JsonArray, at: Place) => readonly SchemaFault[]) | undefined {
  if (schema.listType === "set") {
    return (list, at) => repeated(list).map((index) => duplicate(item(at, index), list[index]));
  }
  return schema.listType === "map" ? (list, at) => faultsOfMap(list, schema.listMapKeys, at) : undefined;
}

/** Null counts as an item that says none of its keys. */
function faultsOfMap(list: JsonArray, keys: readonly string[], at: Place): readonly SchemaFault[] {
  const stranger = list.findIndex((each) => each !== null && !isObject(each));
  if (stranger >= 0) {
    const why = "must be an object for an array of list-type map";
    return [invalid(item(at, stranger), list[stranger], why)];
  }
  const tuples = list.map((each) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = own(each, key);
        return value === undefined ? [] : [[key, value]];
      }),
    ),
  );
  return repeated(tuples).map((index) => duplicate(item(at, index), tuples[index]));
}

/** The index of the second of each of the values that are there more than once. */
function repeated(list: JsonArray): readonly number[] {
  if (list.length < 2) return [];
  const times = new Map<string, number>();
  const second: number[] = [];
  for (const [index, value] of list.entries()) {
    const key = keyOf(value);
    const before = times.get(key) ?? 0;
    if (before === 1) second.push(index);
    times.set(key, before + 1);
  }
  return second;
}

/** A text that two values share if they are the same: 1 and 1.5 by number, lists and objects by their JSON. */
function keyOf(value: Json): string {
  if (typeof value === "string") return `"${value}`;
  if (typeof value === "number" || isExactNumber(value)) {
    return `${isInt64(value) ? "i" : "f"}${printNumber(value)}`;
  }
  return printJson(value);
}
