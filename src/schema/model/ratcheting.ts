import { isInt64, printNumber } from "../../go/json.ts";
import { quote } from "../../go/text.ts";
import { equal } from "../../json/equal.ts";
import { isArray, isExactNumber, isObject, type Json, type JsonArray, own } from "../../json/json.ts";
import type { Schema } from "./schema.ts";

/**
 * A value and what stood there before: what did not change may stay as wrong as it was ("ratcheting"). Follows upstream's
 * CorrelatedObject (apiserver, pkg/cel/common/equality.go), also where that seems odd: a key that the schema does not
 * declare has no old value, so that an object with one never counts as unchanged.
 */
export class Correlation {
  readonly #value: Json;
  readonly #old: Json;
  readonly #schema: Schema;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #olds: ReadonlyMap<string, Json> | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: Json, old: Json, schema: Schema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** A field of an object; undefined where nothing stood there before or the schema does not declare it. */
  key(name: string): Correlation | undefined {
    return this.#child(name, () => {
      const [value, old] = [own(this.#value, name), own(this.#old, name)];
      const schema = this.#schema.properties.get(name) ?? this.#schema.additional;
      if (value === undefined || old === undefined || schema === undefined) return undefined;
      return new Correlation(value, old, schema);
    });
  }

  /** An item of a list; undefined but for lists of type map. */
  index(index: number): Correlation | undefined {
    return this.#child(index, () => {
      const { items, listMapKeys } = this.#schema;
      const value = isArray(this.#value) ? this.#value[index] : undefined;
      if (!isKeyed(this.#schema) || !isArray(this.#old) || items === undefined || value === undefined)
        return undefined;
      this.#olds ??= itemsByKey(this.#old, listMapKeys);
      const key = itemKey(value, listMapKeys);
      const old = key === undefined ? undefined : this.#olds.get(key);
      return old === undefined ? undefined : new Correlation(value, old, items);
    });
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  #child(step: string | number, find: () => Correlation | undefined): Correlation | undefined {
    if (!this.#children.has(step)) this.#children.set(step, find());
    return this.#children.get(step);
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (isArray(value) && isArray(old)) {
      if (value.length !== old.length) return false;
      if (!isKeyed(this.#schema)) return equal(value, old);
      return value.every((_, index) => this.index(index)?.isUnchanged === true);
    }
    if (!isObject(value) || !isObject(old)) return equal(value, old);
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => this.key(name)?.isUnchanged === true);
  }
}

function isKeyed({ type, listType, listMapKeys }: Schema): boolean {
  return type === "array" && listType === "map" && listMapKeys.length > 0;
}

/** The items of a list by their keys; of several with the same keys the first one counts. */
export function itemsByKey(items: JsonArray, keys: readonly string[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  for (const item of items) {
    const key = itemKey(item, keys);
    if (key !== undefined && !found.has(key)) found.set(key, item);
  }
  return found;
}

/** The keys of an item in one text; undefined where one is missing or not a scalar. */
export function itemKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  let text = "";
  for (const key of keys) {
    const value = own(item, key);
    if (value === undefined || value === null || isArray(value) || isObject(value)) return undefined;
    text += `\0${scalarKey(value)}`;
  }
  return text;
}

/** A text that two scalars share if they are the same to Go: 1 and 1.5 by number, an int64 and a float64 never. */
export function scalarKey(value: Exclude<Json, null | JsonArray>): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || isExactNumber(value)) {
    return `${isInt64(value) ? "i" : "f"}${printNumber(value)}`;
  }
  return String(value);
}
