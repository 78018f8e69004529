import { equal } from "../json/equal.ts";
import { isArray, isExactNumber, isObject, type Json, own } from "../json/json.ts";
import type { Schema } from "./model.ts";
import { isInt64, printNumber, quote } from "./printed.ts";

/**
 * A value and what stood there before: what did not change since may stay as wrong as it is (kubernetes.md 2.9).
 * Follows upstream's CorrelatedObject (apiserver, pkg/cel/common/equality.go), also where that seems odd: a key that
 * the schema does not declare has no old value, so that an object with one never counts as unchanged.
 */
export interface Correlation {
  readonly value: Json;
  readonly old: Json;
  /** The field of an object; undefined where nothing stood there before. */
  readonly key: (name: string) => Correlation | undefined;
  /** The item of a list; undefined but for lists of type map. */
  readonly index: (index: number) => Correlation | undefined;
  readonly unchanged: () => boolean;
}

/** A value with its old one, by the schema of both. */
export function correlate(value: Json, old: Json, schema: Schema): Correlation {
  const children = new Map<string | number, Correlation | undefined>();
  const cached = (step: string | number, find: () => Correlation | undefined) => {
    if (!children.has(step)) children.set(step, find());
    return children.get(step);
  };
  let olds: ReadonlyMap<string, Json> | undefined;
  let same: boolean | undefined;
  const correlation: Correlation = {
    value,
    old,
    key: (name) => cached(name, () => correlatedField(value, old, schema, name)),
    index: (index) =>
      cached(index, () => {
        olds ??= isKeyed(schema) && isArray(old) ? byKeys(old, schema.listMapKeys) : new Map();
        return correlatedItem(value, olds, schema, index);
      }),
    unchanged: () => {
      same ??= isUnchanged(correlation, isKeyed(schema));
      return same;
    },
  };
  return correlation;
}

function correlatedField(value: Json, old: Json, schema: Schema, name: string): Correlation | undefined {
  const [after, before] = [own(value, name), own(old, name)];
  if (after === undefined || before === undefined) return undefined;
  const below = schema.properties.get(name) ?? schema.additionalProperties?.schema;
  return below === undefined ? undefined : correlate(after, before, below);
}

function correlatedItem(
  value: Json,
  olds: ReadonlyMap<string, Json>,
  schema: Schema,
  index: number,
): Correlation | undefined {
  const item = isArray(value) ? value[index] : undefined;
  const below = schema.items?.schema;
  const key = item === undefined ? undefined : keyOf(item, schema.listMapKeys);
  const before = key === undefined ? undefined : olds.get(key);
  return item === undefined || before === undefined || below === undefined
    ? undefined
    : correlate(item, before, below);
}

function isKeyed({ type, listType, listMapKeys }: Schema): boolean {
  return type === "array" && listType === "map" && listMapKeys.length > 0;
}

/** Of several items with the same keys the first one counts. */
function byKeys(items: readonly Json[], keys: readonly string[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  for (const item of items) {
    const key = keyOf(item, keys);
    if (key !== undefined && !found.has(key)) found.set(key, item);
  }
  return found;
}

/** The keys of an item in one text; undefined where one is missing or no scalar. */
function keyOf(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  let text = "";
  for (const key of keys) {
    const value = own(item, key);
    if (typeof value === "string") text += `\0${quote(value)}`;
    else if (typeof value === "boolean") text += `\0${value}`;
    else if (typeof value === "number" || isExactNumber(value)) {
      text += `\0${isInt64(value) ? "" : "f"}${printNumber(value)}`;
    } else return undefined;
  }
  return text;
}

function isUnchanged(correlation: Correlation, keyed: boolean): boolean {
  const { value, old } = correlation;
  if (isArray(value)) {
    if (!isArray(old) || old.length !== value.length) return false;
    return keyed
      ? value.every((_, index) => correlation.index(index)?.unchanged() === true)
      : equal(value, old);
  }
  if (!isObject(value)) return equal(value, old);
  if (!isObject(old)) return false;
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(old).length && keys.every((key) => correlation.key(key)?.unchanged() === true)
  );
}
