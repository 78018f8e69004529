import { isNumber, toDouble } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { branchesOf } from "./combinators.ts";
import { differentFor, nthFor } from "./leaf.ts";

// The smallest values of settled schemas, and the smallest ones with a value at a place. Rules may still reject them.

/** How a value is made. */
interface Making {
  /** The field that the value is for, which tells a time from a name. */
  readonly name?: string;
  /** Which of several values is wanted: items of a list differ by it, as far as the schema has so many. */
  readonly nth?: number;
  /** Which way is taken where combinators leave a choice. */
  readonly branch?: number;
  /** Whether a field with a default is left out: the API server fills it in. */
  readonly isDefaulted?: boolean;
  /** How many values may still be made: lists of a hundred items within each other would fill the memory. */
  readonly left?: { values: number };
}

/** The most values that one value consists of. */
const mostValues = 20_000;

/** The value of a schema that has nothing but what is required. */
export function smallestOf(given: Json | undefined, making: Making = {}): Json {
  const { left = { values: mostValues } } = making;
  const [schema, work] = [chosen(given, making), { ...making, left }];
  left.values--;
  if (get(schema, "type") === "object" || isObject(get(schema, "properties")))
    return smallestObject(schema, work);
  if (get(schema, "type") === "array") {
    const least = Math.min(countAt(schema, "minItems"), Math.max(left.values, 0));
    left.values -= least;
    const items = get(schema, "items");
    if (least > 1 && isTold(schema)) return differentOf(items, least, keysOf(schema), work);
    return Array.from({ length: least }, (_, nth) => smallestOf(items, { ...work, nth }));
  }
  const { name = "", nth = 0 } = making;
  const anything = get(schema, "x-kubernetes-preserve-unknown-fields") === true ? {} : null;
  return nthFor(schema, name, nth) ?? anything;
}

/** The schema with one way of its combinators. */
function chosen(schema: Json | undefined, { branch = 0 }: Making): Json | undefined {
  if (!isObject(schema)) return schema;
  const branches = branchesOf(schema);
  return branches[branch % branches.length];
}

function smallestObject(schema: Json | undefined, work: Making): JsonObject {
  const required = requiredOf(schema);
  const least = countAt(schema, "minProperties");
  const others = Object.keys(propertiesOf(schema)).filter((name) => !required.includes(name));
  const names = [...required, ...others.slice(0, Math.max(0, least - required.length))];
  const embedded = get(schema, "x-kubernetes-embedded-resource") === true ? embeddedObject : {};
  const known = names
    .filter((name) => !Object.hasOwn(embedded, name))
    .filter((name) => !work.isDefaulted || get(schema, "properties", name, "default") === undefined)
    .map((name) => [name, smallestOf(propertiesOf(schema)[name], { ...work, name })] as const);
  const open = get(schema, "additionalProperties");
  const missing = isObject(open) ? Math.max(0, least - known.length) : 0;
  const entries = Array.from(
    { length: missing },
    (_, nth) => [`k${nth}`, smallestOf(open, { ...work, nth })] as const,
  );
  return { ...embedded, ...Object.fromEntries([...known, ...entries]) };
}

const embeddedObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

/**
 * The smallest value of a schema that has `value` at a path, with the required fields beside it. A list gets as many items
 * as it must have.
 */
export function built(given: Json | undefined, path: Path, value: Json, making: Making = {}): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const schema = chosen(given, making);
  const smallest = smallestOf(schema, making);
  if (typeof step !== "number") {
    const object = isObject(smallest) ? smallest : {};
    const below = get(schema, "properties", step) ?? get(schema, "additionalProperties");
    return set(object, step, built(below, rest, value, { ...making, name: step }));
  }
  const items = isArray(smallest) ? smallest : [];
  const below = get(schema, "items");
  return Array.from({ length: Math.max(items.length, step + 1) }, (_, nth) =>
    nth === step
      ? built(below, rest, value, { ...making, nth })
      : (items[nth] ?? smallestOf(below, { ...making, nth })),
  );
}

/** In how many ways the combinators on a path can be met. */
export function waysAlong(schema: Json | undefined, path: Path): number {
  let [most, here] = [1, schema];
  for (const step of [...path, undefined]) {
    if (isObject(here)) most = Math.max(most, branchesOf(here).length);
    if (step !== undefined) here = schemaBelow(here, step);
  }
  return most;
}

/** The schema at a step below another one. */
export function schemaBelow(schema: Json | undefined, step: string | number): Json | undefined {
  if (typeof step === "number") return get(schema, "items");
  return get(schema, "properties", step) ?? get(schema, "additionalProperties");
}

/** The most schemas that are looked at for a leaf by which items differ. */
const mostLooked = 500;

/**
 * So many smallest values of a schema that differ in a leaf, whichever leaf that is, out of order. Fewer where no leaf has so
 * many values. The items of a keyed list differ in one of its keys.
 */
export function differentOf(
  schema: Json | undefined,
  count: number,
  keys: readonly string[] = [],
  making: Making = {},
): readonly Json[] {
  let best: { readonly path: Path; readonly values: readonly Json[] } = { path: [], values: [] };
  const queue: { readonly path: Path; readonly schema: Json }[] = isObject(schema)
    ? [{ path: [], schema }]
    : [];
  for (let looked = 0; looked < mostLooked && best.values.length < count; looked++) {
    const next = queue.shift();
    if (next === undefined) break;
    const { path } = next;
    const name = String(path.findLast((step) => typeof step === "string") ?? "");
    const values = differentFor(next.schema, name, count);
    if (values.length > best.values.length) best = { path, values };
    queue.push(...leavesBelow(next.schema, path, path.length === 0 ? keys : []));
  }
  return best.values.map((value, nth) => built(schema, best.path, value, { ...making, nth }));
}

/** What is directly below a schema: keys alone where there are some; what names an item and what is required first. */
function leavesBelow(schema: Json, path: Path, keys: readonly string[]) {
  const rank = (name: string) =>
    ["name", "type", "key", "id"].includes(name) ? 0 : requiredOf(schema).includes(name) ? 1 : 2;
  const fields = Object.entries(propertiesOf(schema))
    .filter(([name]) => keys.length === 0 || keys.includes(name))
    .toSorted(([a], [b]) => rank(a) - rank(b));
  const [items, others] = [get(schema, "items"), get(schema, "additionalProperties")];
  return [
    ...fields.map(([name, below]) => ({ path: [...path, name], schema: below })),
    ...(isObject(items) ? [{ path: [...path, 0], schema: items }] : []),
    ...(isObject(others) ? [{ path: [...path, "k"], schema: others }] : []),
  ];
}

/** The keys of a keyed list. */
export function keysOf(schema: Json | undefined): readonly string[] {
  const keys = get(schema, "x-kubernetes-list-map-keys");
  return isArray(keys) ? keys.map(String) : [];
}

/** Whether two equal items are a fault in a list. */
export function isTold(schema: Json | undefined): boolean {
  return (
    ["set", "map"].includes(String(get(schema, "x-kubernetes-list-type"))) ||
    get(schema, "uniqueItems") === true
  );
}

export function propertiesOf(schema: Json | undefined): JsonObject {
  const properties = get(schema, "properties");
  return isObject(properties) ? properties : {};
}

/** The names of the fields that a schema requires and describes. */
function requiredOf(schema: Json | undefined): readonly string[] {
  const required = get(schema, "required");
  return isArray(required)
    ? required.map(String).filter((name) => Object.hasOwn(propertiesOf(schema), name))
    : [];
}

function countAt(schema: Json | undefined, name: string): number {
  const value = get(schema, name);
  return isNumber(value) ? Math.min(toDouble(value), 100) : 0;
}
