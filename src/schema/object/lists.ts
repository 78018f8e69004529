import { printJson } from "../../go/json.ts";
import { isArray, isObject, type Json, type JsonArray, own, ownField } from "../../json/json.ts";
import { duplicate, invalid, type SchemaFault } from "../model/fault.ts";
import { child, entry, item, type Place } from "../model/place.ts";
import { scalarKey } from "../model/ratcheting.ts";
import type { Schema } from "../model/schema.ts";

/** What is there twice in the lists of type set and map below a place (apiextensions, schema/listtype). */
interface ListCheck {
  /** Whether nothing is, which holds for most objects and needs no place. */
  readonly holds: (value: Json) => boolean;
  readonly faults: (value: Json, at: Place) => readonly SchemaFault[];
}

/** Compiles the check of a schema; undefined where nothing in it is a set or a map. */
export function listCheckOf(schema: Schema): ListCheck | undefined {
  const self = listOwnCheck(schema);
  const items = schema.items === undefined ? undefined : listCheckOf(schema.items);
  const fields = checksOf(schema.properties);
  const others = schema.additional;
  const other = others === undefined ? undefined : listCheckOf(others);
  if (self === undefined && items === undefined && fields.size === 0 && other === undefined) return undefined;
  return {
    holds(value) {
      if (isArray(value)) {
        return (self?.holds(value) ?? true) && (items === undefined || value.every(items.holds));
      }
      if (!isObject(value)) return true;
      if (other !== undefined && !Object.values(value).every(other.holds)) return false;
      for (const [key, check] of fields) {
        const below = ownField(value, key);
        if (below !== undefined && !check.holds(below)) return false;
      }
      return true;
    },
    faults(value, at) {
      if (isArray(value)) {
        const below =
          items === undefined ? [] : value.flatMap((each, index) => items.faults(each, item(at, index)));
        return self === undefined ? below : [...self.faults(value, at), ...below];
      }
      if (!isObject(value)) return [];
      const entries = other === undefined ? [] : Object.entries(value);
      return [
        ...entries.flatMap(([key, below]) => other?.faults(below, entry(at, key)) ?? []),
        ...[...fields].flatMap(([key, check]) => {
          const below = ownField(value, key);
          return below === undefined ? [] : check.faults(below, child(at, key));
        }),
      ];
    },
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

interface OwnCheck {
  readonly holds: (list: JsonArray) => boolean;
  readonly faults: (list: JsonArray, at: Place) => readonly SchemaFault[];
}

function listOwnCheck({ listType, listMapKeys }: Schema): OwnCheck | undefined {
  if (listType === "set") {
    return {
      holds: (list) => repeated(list.map(keyOf)).length === 0,
      faults: (list, at) => repeated(list.map(keyOf)).map((index) => duplicate(item(at, index), list[index])),
    };
  }
  if (listType !== "map") return undefined;
  return {
    holds: (list) =>
      !list.some(isNotObject) && repeated(list.map((each) => tupleKey(each, listMapKeys))).length === 0,
    faults: (list, at) => faultsOfMap(list, listMapKeys, at),
  };
}

/** Null counts as an item without keys. */
function isNotObject(item: Json): boolean {
  return item !== null && !isObject(item);
}

function faultsOfMap(list: JsonArray, keys: readonly string[], at: Place): readonly SchemaFault[] {
  const wrong = list.findIndex(isNotObject);
  if (wrong >= 0) {
    const why = "must be an object for an array of list-type map";
    return [invalid(item(at, wrong), list[wrong], why)];
  }
  const again = repeated(list.map((each) => tupleKey(each, keys)));
  return again.map((index) => duplicate(item(at, index), tupleOf(list[index] ?? null, keys)));
}

/** The keys of an item alone. */
function tupleOf(value: Json, keys: readonly string[]): Json {
  const fields = keys.map((key) => [key, own(value, key)] as const);
  return Object.fromEntries(fields.flatMap(([key, field]) => (field === undefined ? [] : [[key, field]])));
}

function tupleKey(value: Json, keys: readonly string[]): string {
  let text = "";
  for (const key of keys) {
    const part = own(value, key);
    const found = part === undefined ? "" : keyOf(part);
    // With its length before it, one text cannot be taken for two.
    text += `${found.length}:${found}`;
  }
  return text;
}

/** The index of the second of each of the texts that are there more than once. */
function repeated(texts: readonly string[]): readonly number[] {
  if (new Set(texts).size === texts.length) return [];
  const times = new Map<string, number>();
  const second: number[] = [];
  for (const [index, text] of texts.entries()) {
    const before = times.get(text) ?? 0;
    if (before === 1) second.push(index);
    times.set(text, before + 1);
  }
  return second;
}

/** A text that two values share if they are the same: scalars by Go's equality, lists and objects by their JSON. */
function keyOf(value: Json): string {
  return value === null || isArray(value) || isObject(value) ? printJson(value) : scalarKey(value);
}
