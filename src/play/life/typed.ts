import { equal } from "../../json/equal.ts";
import { writeJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt, own } from "../../json/json.ts";
import { at, type FieldSet, fieldSet, isEmpty, itself, noFields } from "./field-set.ts";

/**
 * Values by their schema, as server-side apply sees them (structured-merge-diff, package typed): which fields two objects differ
 * in, what an applied object makes of a live one, and an object without some of its fields.
 */

/** Fields by how they differ between two values. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** What the fields of a value are: none that can be owned alone, those of a map, or the items of a list. */
type Form =
  | { readonly is: "leaf" }
  | { readonly is: "map"; readonly schema: Json | undefined }
  | { readonly is: "list"; readonly items: Json | undefined; readonly keys: readonly string[] | undefined };

const leaf: Form = { is: "leaf" };

/** The form of a value by its schema; by the value alone where the schema says nothing (schemaconv, deduced types). */
function formOf(schema: Json | undefined, value: Json): Form {
  if (isObject(value)) {
    const isKnown =
      own(schema, "properties") !== undefined || own(schema, "additionalProperties") !== undefined;
    if (isKnown) return own(schema, "x-kubernetes-map-type") === "atomic" ? leaf : { is: "map", schema };
    return { is: "map", schema: undefined };
  }
  if (!isArray(value)) return leaf;
  const items = own(schema, "items");
  const type = own(schema, "x-kubernetes-list-type");
  if (type === "set") return { is: "list", items, keys: undefined };
  if (type !== "map") return leaf;
  const keys = listAt(schema, "x-kubernetes-list-map-keys").map(String);
  return { is: "list", items, keys };
}

/** The fields of a map or the items of a list, each with its schema; undefined for a leaf. */
function partsOf(schema: Json | undefined, value: Json): ReadonlyMap<string, Part> | undefined {
  const form = formOf(schema, value);
  if (form.is === "leaf") return undefined;
  if (isObject(value))
    return new Map(
      Object.entries(value).map(([name, field]) => [
        `f:${name}`,
        { value: field, ...fieldSchema(form.is === "map" ? form.schema : undefined, name) },
      ]),
    );
  const { items, keys } = form as Extract<Form, { is: "list" }>;
  return new Map(
    (value as readonly Json[]).map((item) => [
      keys === undefined ? `v:${writeJson(item)}` : `k:${keyOf(item, keys, items)}`,
      { value: item, schema: items, isNamed: false },
    ]),
  );
}

interface Part {
  readonly value: Json;
  readonly schema: Json | undefined;
  /** Whether the schema names the field: keys of open maps are not. */
  readonly isNamed: boolean;
}

function fieldSchema(schema: Json | undefined, name: string): Pick<Part, "schema" | "isNamed"> {
  const named = own(own(schema, "properties"), name);
  if (named !== undefined) return { schema: named, isNamed: true };
  return { schema: own(schema, "additionalProperties"), isNamed: false };
}

/** The keys of an item as an entry writes them; a key that is absent has its default. */
function keyOf(item: Json, keys: readonly string[], items: Json | undefined): string {
  const values = keys.toSorted().flatMap((key) => {
    const value = get(item, key) ?? get(items, "properties", key, "default");
    return value === undefined ? [] : [[key, value] as const];
  });
  return writeJson(Object.fromEntries(values));
}

function isHollow(value: Json | undefined): boolean {
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || (isArray(value) && value.length === 0);
}

/** Whether two values are compared as a whole: leaves, empty ones, and those of different forms. */
function partsOfBoth(schema: Json | undefined, before: Json | undefined, after: Json | undefined) {
  if (isHollow(before) && isHollow(after)) return undefined;
  const none: ReadonlyMap<string, Part> = new Map();
  const isSame = isHollow(before) || isHollow(after) || isArray(before) === isArray(after);
  const [here, there] = [before, after].map((each) =>
    isHollow(each) ? none : partsOf(schema, each ?? null),
  );
  return here === undefined || there === undefined || !isSame ? undefined : { here, there };
}

/** How two values differ (typed/compare.go, compareWalker). */
export function compared(
  schema: Json | undefined,
  before: Json | undefined,
  after: Json | undefined,
): Comparison {
  const has = { added: before === undefined, removed: after === undefined, modified: false };
  const parts = partsOfBoth(schema, before, after);
  const whole = parts === undefined;
  const below = [...new Set([...(parts?.here.keys() ?? []), ...(parts?.there.keys() ?? [])])].map((step) => {
    const [left, right] = [parts?.here.get(step), parts?.there.get(step)];
    return [step, compared((left ?? right)?.schema, left?.value, right?.value)] as const;
  });
  const isModified = whole && !has.added && !has.removed && !equal(before, after);
  const setOf = (which: keyof Comparison, own: boolean) =>
    fieldSet(
      own,
      below.map(([step, each]) => [step, each[which]] as const),
    );
  return {
    added: setOf("added", has.added),
    removed: setOf("removed", has.removed),
    modified: setOf("modified", isModified),
  };
}

/** The fields that a value has (typed/tofieldset.go). */
export function fieldsOf(schema: Json | undefined, value: Json): FieldSet {
  if (value === null) return noFields;
  const parts = partsOf(schema, value);
  if (parts === undefined) return itself;
  return fieldSet(
    false,
    [...parts].map(([step, part]) => {
      const fields = fieldsOf(part.schema, part.value);
      const isHollowMap = part.value === null || (isObject(part.value) && isHollow(part.value));
      return [step, { ...fields, has: fields.has || !part.isNamed || isHollowMap }] as const;
    }),
  );
}

/** What an applied value makes of a live one (typed/merge.go, mergingWalker): null in place of nothing. */
export function merged(
  schema: Json | undefined,
  live: Json | undefined,
  applied: Json | undefined,
): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const parts = partsOfBoth(schema, live, applied);
  if (parts === undefined) return applied;
  const { here, there } = parts;
  const valueAt = (step: string) => {
    const [left, right] = [here.get(step), there.get(step)];
    return merged((left ?? right)?.schema, left?.value, right?.value) ?? null;
  };
  if (!isArray(live) && !isArray(applied)) {
    const steps = new Set([...here.keys(), ...there.keys()]);
    return Object.fromEntries([...steps].map((step) => [step.slice(2), valueAt(step)] as const));
  }
  return orderOf([...here.keys()], [...there.keys()]).map(valueAt);
}

/** The items of both lists: the applied ones in their order, each live one behind what it followed (visitListItems). */
function orderOf(live: readonly string[], applied: readonly string[]): readonly string[] {
  const [inLive, inApplied] = [new Set(live), new Set(applied)];
  const shared = applied.filter((step) => inLive.has(step));
  const out: string[] = [];
  const done = new Set<string>();
  let [left, right] = [0, 0];
  let next = shared.shift();
  while (left < live.length || right < applied.length) {
    const [here, there] = [live[left], applied[right]];
    if (here !== undefined && there !== undefined) {
      if (here === there) {
        done.add(here);
        out.push(here);
        left += 1;
        right += 1;
        next = shared.shift();
        continue;
      }
      if (inApplied.has(here) && next !== undefined && next !== here) {
        left += 1;
        continue;
      }
    }
    if (here !== undefined) {
      if (!inApplied.has(here)) {
        out.push(here);
        left += 1;
        continue;
      }
      if (done.has(here)) left += 1;
    }
    if (there !== undefined) {
      done.add(there);
      out.push(there);
      right += 1;
      if (next === there) next = shared.shift();
    }
  }
  return out;
}

/** A value without some of its fields; null where nothing is left of it (typed/remove.go). */
export function removed(schema: Json | undefined, value: Json, fields: FieldSet): Json {
  const parts = isHollow(value) ? undefined : partsOf(schema, value);
  if (parts === undefined) return isObject(value) || isArray(value) ? null : value;
  const left = [...parts].flatMap(([step, part]) => {
    const below = at(fields, step);
    if (below.has) return [];
    const kept = isEmpty(below) ? part.value : removed(part.schema, part.value, below);
    return [[step.slice(2), kept] as const];
  });
  if (left.length === 0) return null;
  return isArray(value) ? left.map(([, item]) => item) : (Object.fromEntries(left) as JsonObject);
}

/** The set with the fields above its paths that a schema names (fieldpath/set.go, EnsureNamedFieldsAreMembers). */
export function withNamedParents(schema: Json | undefined, set: FieldSet): FieldSet {
  return fieldSet(
    set.has,
    [...set.below].map(([step, below]) => {
      const isField = step.startsWith("f:");
      const part = isField
        ? fieldSchema(schema, step.slice(2))
        : { schema: own(schema, "items"), isNamed: false };
      const inner = withNamedParents(part.schema, below);
      return [step, { ...inner, has: inner.has || (part.isNamed && below.below.size > 0) }] as const;
    }),
  );
}
