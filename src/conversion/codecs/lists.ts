import { compareBytes } from "../../go/text.ts";
import {
  define,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
} from "../../json/json.ts";
import { type Codec, eachValue, type OpenCodec } from "./codec.ts";

/**
 * One value ↔ the first of a list: `10.0.0.1` ↔ `[10.0.0.1]`, as podIP became podIPs. Further items stay with the version
 * that has the list.
 */
export function oneToList<Value = Json>(): OpenCodec<Value, readonly Value[]>;
export function oneToList(): Codec {
  return {
    up: (older) => [older],
    down: (newer) => (isArray(newer) ? (newer[0] ?? undefined) : undefined),
    lossy: "one value stands for the first of the list",
  };
}

/**
 * Values ↔ objects that have the value in a field: `[a]` ↔ `[{name: a}]` with `toItems("name")`. Further fields stay with the
 * version that has the objects. A list is converted as a whole or not at all: one with an object without the field is not.
 * @throws {Error} if the field is missing
 */
export function toItems<Older = Json, Newer = Json>(field: string): OpenCodec<Older, Newer>;
export function toItems(field: string): Codec {
  if (typeof field !== "string")
    throw new Error('toItems needs the field of an object that has the value: toItems("name")');
  return eachValue({
    up: (value: Json) => withField({}, field, value),
    down: (item: Json) => own(item, field) ?? undefined,
  });
}

/** Of the entries of a map that is a list: which field has their values, or whether their values have the key as well. */
type ListOptions =
  | { readonly value?: string; readonly isKept?: never }
  | { readonly isKept: boolean; readonly value?: never };

/**
 * A map ↔ a list of objects that have the name of their entry in a field: `{a: {size: 1}}` ↔ `[{name: a, size: 1}]` with
 * `mapToList("name")`. With `value` the values stand in that field: `{a: 1}` ↔ `[{name: a, is: 1}]` with `{ value: "is" }`.
 * With `isKept` the values have the name as well: `{a: {name: a, size: 1}}`. The key decides where they differ.
 * The list is sorted by name, since an API server sorts the keys of a map. An item without a name has no entry, and of items
 * with the same name the first one counts.
 * @throws {Error} if the field of the name is missing, or the options are none
 */
export function mapToList<Older = Json, Newer = Json>(
  name: string,
  options?: ListOptions,
): OpenCodec<Older, Newer>;
export function mapToList(name: string, options: ListOptions = {}): Codec {
  if (typeof name !== "string" || typeof options !== "object")
    throw new Error(
      'mapToList needs the field of an item that has the key of its entry, and options: mapToList("name", { isKept: true })',
    );
  const { value, isKept = false } = options;
  const entryOf = (item: JsonObject): Json | undefined => {
    if (isKept) return item;
    const { [name]: _, ...rest } = item;
    return value === undefined ? rest : own(item, value);
  };
  return {
    up: (older) => (isObject(older) ? listOf(older, name, value) : undefined),
    down: (newer) => (isArray(newer) ? mapOf(newer, name, entryOf) : undefined),
    lossy: "a map has neither an order nor entries without a name or with the same name",
    derived: isKept ? { older: name } : undefined,
  };
}

function listOf(map: JsonObject, name: string, value: string | undefined): JsonArray | undefined {
  const list = Object.keys(map)
    .sort(compareBytes)
    .flatMap((key) => {
      const entry = map[key] as Json;
      if (value !== undefined) return [withField({ [name]: key }, value, entry)];
      return isObject(entry) ? [withField(entry, name, key)] : [];
    });
  return list.length === 0 && Object.keys(map).length > 0 ? undefined : list;
}

function mapOf(
  list: JsonArray,
  name: string,
  entryOf: (item: JsonObject) => Json | undefined,
): JsonObject | undefined {
  const map: Record<string, Json> = {};
  for (const item of list) {
    const key = own(item, name);
    if (!isObject(item) || typeof key !== "string" || Object.hasOwn(map, key)) continue;
    const entry = entryOf(item);
    if (entry !== undefined) define(map, key, entry);
  }
  return Object.keys(map).length === 0 && list.length > 0 ? undefined : map;
}

function withField(object: JsonObject, name: string, value: Json): JsonObject {
  const copy: Record<string, Json> = { ...object };
  define(copy, name, value);
  return copy;
}
