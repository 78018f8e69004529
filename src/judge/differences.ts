import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json } from "../json/json.ts";
import { fieldOf, type Path } from "../json/path.ts";

/** A difference between two values: its field, and what each value has there. */
export interface Difference {
  readonly field: string;
  /** The same as steps; items of keyed lists by their keys, where the schema is known. */
  readonly path?: Path;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** How two values are compared. */
interface Comparison {
  /** The OpenAPI schema of both; with it a list with keys is compared by key, and an atomic map as a whole. */
  readonly schema?: Json | undefined;
  /** Whether two values are the same: by default, whether they are the same JSON. */
  readonly same?: (expected: Json | undefined, actual: Json | undefined) => boolean;
}

/** The first difference between two values; undefined if they are the same JSON. */
export function differenceOf(
  expected: Json | undefined,
  actual: Json | undefined,
  path: Path = [],
): Difference | undefined {
  const [first] = differencesOf(expected, actual, {}, path);
  return first;
}

/** All differences between two values, each as deep as both have an object or equally many items. */
export function differencesOf(
  expected: Json | undefined,
  actual: Json | undefined,
  { schema, same = equal }: Comparison = {},
  path: Path = [],
): readonly Difference[] {
  if (same(expected, actual)) return [];
  const found = partsOf([expected, actual], schema)?.flatMap(({ step, values: [one, other], schema }) =>
    differencesOf(one, other, { schema, same }, [...path, step]),
  );
  // Where no part differs, what differs is the order, or which parts there are.
  if (found !== undefined && found.length > 0) return found;
  return [{ field: fieldOf(path), path, expected, actual }];
}

/** A part of several values at once: a field, or an item by its key or place. */
interface Part {
  readonly step: string | number;
  /** The step as a schema has it: `[]` for an item of a list and for an entry of a map. */
  readonly place: string;
  readonly values: readonly (Json | undefined)[];
  readonly schema: Json | undefined;
}

/**
 * The parts of values that server-side apply tells apart; undefined where it does not, or where the values are not of one kind. A value
 * that is absent has no parts.
 */
export function partsOf(
  values: readonly (Json | undefined)[],
  schema: Json | undefined,
): readonly Part[] | undefined {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return undefined;
  if (present.every((value) => isArray(value)))
    return itemsOf(values as readonly (readonly Json[] | undefined)[], schema);
  if (!present.every((value) => isObject(value)) || get(schema, "x-kubernetes-map-type") === "atomic")
    return undefined;
  const [properties, others] = [get(schema, "properties"), get(schema, "additionalProperties")];
  return [...new Set(present.flatMap((value) => Object.keys(value)))].map((name) => {
    const known = get(properties, name);
    return {
      step: name,
      place: known === undefined && isObject(others) ? "[]" : name,
      values: values.map((value) => get(value, name)),
      schema: known ?? others,
    };
  });
}

function itemsOf(
  lists: readonly (readonly Json[] | undefined)[],
  schema: Json | undefined,
): readonly Part[] | undefined {
  const items = get(schema, "items");
  const keys = get(schema, "x-kubernetes-list-map-keys");
  const part = (step: string | number, values: Part["values"]) => ({
    step,
    place: "[]",
    values,
    schema: items,
  });
  if (isArray(keys)) {
    const byKey = lists.map((list) => keyedItems(list ?? [], keys.map(String)));
    const names = [...new Set(byKey.flatMap((each) => [...(each?.keys() ?? [])]))];
    return byKey.includes(undefined)
      ? undefined
      : names.map((name) =>
          part(
            name,
            byKey.map((each) => each?.get(name)),
          ),
        );
  }
  const [first, ...others] = lists;
  if (first === undefined || others.some((list) => list?.length !== first.length)) return undefined;
  return [...first.keys()].map((index) =>
    part(
      index,
      lists.map((list) => list?.[index]),
    ),
  );
}

/** What a value has at the path of a difference. */
export function valueAt(value: Json | undefined, [step, ...rest]: Path, schema?: Json): Json | undefined {
  if (step === undefined) return value;
  const part = partsOf([value], schema)?.find((each) => each.step === step);
  return part && valueAt(part.values[0], rest, part.schema);
}

/** The items of a list by their keys; undefined unless all items have keys of their own. */
function keyedItems(list: readonly Json[], keys: readonly string[]): ReadonlyMap<string, Json> | undefined {
  const items = new Map(
    list.flatMap((item) => {
      const own = keys.map((key) => get(item, key));
      const isKeyed = own.every((key) => key !== undefined && key !== null && typeof key !== "object");
      return isKeyed ? [[own.length === 1 ? String(own[0]) : JSON.stringify(own), item] as const] : [];
    }),
  );
  return items.size === list.length ? items : undefined;
}
