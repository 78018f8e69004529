import fc from "fast-check";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Kind, Version } from "../kind/kind.ts";
import { faultsAt } from "./admitted.ts";
import { anyKey, anyText, withWord } from "./any.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { type Harvest, placeBelow } from "./harvest.ts";
import { lazily } from "./lazy.ts";
import type { SchemaStep } from "./places.ts";
import { valuesOf } from "./values.ts";

/** A change that a client makes to an object of one version: the same change of the same object every time. */
export interface Edit {
  readonly apply: (object: JsonObject) => JsonObject;
  /** A description of what the edit does to this object. */
  readonly says: (object: JsonObject) => string;
}

/** The object after all edits, in order. */
export function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce((here, edit) => edit.apply(here), object);
}

/** A description of each edit of an object. */
export function editsIn(object: JsonObject, edits: readonly Edit[]): readonly string[] {
  return edits.map((edit, index) => edit.says(edited(object, edits.slice(0, index))));
}

/** Edits of a version's objects, drawn from its schema: mostly of existing fields, and such as an API server admits. */
export function editsOf(kind: Kind, version: number, found: Harvest): fc.Arbitrary<Edit> {
  const at = kind.versions[version] ?? kind.hub;
  const schema = contentSchemaOf(at.entry);
  const admits = (before: JsonObject, after: JsonObject) => addsNoFault(at, before, after);
  const targets = targetsOf(schema, [], "").filter(({ steps }) => steps.length > 0);
  const changes = targets.map((target) => lazily(() => changesOf(target, found)));
  if (changes.length === 0) return marking.map((each) => firstOf(each));
  // Of several candidates the first that changes anything is taken, since most fields are absent from an object.
  const candidate = fc.oneof(
    { arbitrary: fc.oneof(...changes), weight: 12 },
    { arbitrary: marking.map(first), weight: 1 },
  );
  return fc.array(candidate, { minLength: 1, maxLength: 4 }).map((each) => firstOf(each, admits));
}

/** A change of one place, and its description. */
export interface Change {
  readonly words: string;
  readonly apply: (object: JsonObject) => JsonObject;
}

function first(changes: readonly Change[]): Change {
  return changes[0] as Change;
}

/** The first of several changes that has an effect on the object at hand, if it is admitted. */
export function firstOf(
  changes: readonly Change[],
  admits: (before: JsonObject, after: JsonObject) => boolean = () => true,
): Edit {
  const effective = (object: JsonObject): { readonly words: string; readonly after: JsonObject } => {
    for (const { words, apply } of changes) {
      const after = apply(object);
      if (!equal(after, object) && admits(object, after)) return { words, after };
    }
    return { words: "nothing", after: object };
  };
  return { apply: (object) => effective(object).after, says: (object) => effective(object).words };
}

/** Whether an API server finds no fault in an object after a change that it did not find before. */
function addsNoFault(version: Pick<Version, "schema">, before: JsonObject, after: JsonObject): boolean {
  const faults = faultsAt(version, after);
  if (faults.length === 0) return true;
  const known = new Set(faultsAt(version, before).map(({ field, type }) => `${field} ${type}`));
  return faults.every(({ field, type }) => known.has(`${field} ${type}`));
}

/** A part of a schema that an edit may change. */
export interface Target {
  readonly steps: readonly SchemaStep[];
  readonly schema: Json;
  readonly place: string;
}

/** All parts of a schema, the whole first. */
export function targetsOf(
  schema: Json | undefined,
  steps: readonly SchemaStep[],
  place: string,
): readonly Target[] {
  if (!isObject(schema)) return [];
  const [properties, items, others] = ["properties", "items", "additionalProperties"].map((name) =>
    get(schema, name),
  );
  const below = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, each]) =>
    targetsOf(each, [...steps, name], placeBelow(place, name)),
  );
  return [
    { steps, schema, place },
    ...below,
    ...targetsOf(items, [...steps, { any: "item" }], `${place}[]`),
    ...targetsOf(isObject(others) ? others : undefined, [...steps, { any: "entry" }], `${place}.*`),
  ];
}

/** The new value of a place. */
type Update = (value: Json | undefined) => Json | undefined;

function changesOf({ steps, schema, place }: Target, found: Harvest): fc.Arbitrary<Change> {
  const where = place;
  const picks = fc.array(fc.nat(30), { minLength: steps.length, maxLength: steps.length });
  const value = valuesOf(schema, place, found, "partial");
  const updates: { arbitrary: fc.Arbitrary<readonly [string, Update]>; weight: number }[] = [
    { arbitrary: value.map((each) => [`set ${where} to ${text(each)}`, () => each]), weight: 4 },
    { arbitrary: fc.constant([`clear ${where}`, () => undefined]), weight: 2 },
  ];
  // A client clears a field by null. No API server admits null as an item, unless the schema says nullable.
  if (!isItem(steps.at(-1)) || get(schema, "nullable") === true)
    updates.push({
      arbitrary: fc.constant([`set ${where} to null`, (before) => (before === undefined ? before : null)]),
      weight: 1,
    });
  const items = get(schema, "items");
  // A part of a text with a syntax is hardly ever valid.
  const hasSyntax = ["enum", "pattern", "format"].some((name) => get(schema, name) !== undefined);
  if (get(schema, "type") === "string" && !hasSyntax)
    updates.push({ arbitrary: wordUpdates(where), weight: 2 });
  if (items !== undefined) updates.push({ arbitrary: listUpdates(schema, place, found), weight: 6 });
  const isOpen = get(schema, "x-kubernetes-preserve-unknown-fields") === true;
  if (isOpen || get(schema, "additionalProperties") !== undefined)
    updates.push({ arbitrary: mapUpdates(schema, place, found), weight: 4 });
  return fc.tuple(fc.oneof(...updates), picks).map(([[words, update], chosen]) => ({
    words,
    apply: (object) => (changed(object, steps, chosen, update) ?? {}) as JsonObject,
  }));
}

function isItem(step: SchemaStep | undefined): boolean {
  return typeof step === "object" && step.any === "item";
}

/** Changes of one word of a text, which may stand for several fields of another version. */
function wordUpdates(where: string): fc.Arbitrary<readonly [string, Update]> {
  return fc
    .tuple(fc.nat(3), fc.option(fc.constantFrom("a", "b", "d"), { nil: undefined }))
    .map(([pick, word]) => [
      `${word === undefined ? "remove" : "change"} word ${pick} of ${where}${word === undefined ? "" : ` to ${word}`}`,
      (before) => (typeof before === "string" ? withWord(before, pick, word) : before),
    ]);
}

function listUpdates(schema: Json, place: string, found: Harvest): fc.Arbitrary<readonly [string, Update]> {
  const item = valuesOf(get(schema, "items"), `${place}[]`, found, "partial");
  const keys = get(schema, "x-kubernetes-list-map-keys");
  const [key] = isArray(keys) ? keys : [];
  const named = valuesOf(
    get(schema, "items", "properties", String(key)),
    `${place}[].${key}`,
    found,
    "valid",
  );
  const onList =
    (update: (list: readonly Json[]) => readonly Json[]): Update =>
    (value) =>
      isArray(value) ? update(value) : value;
  const at = (list: readonly Json[], pick: number) => (list.length === 0 ? 0 : pick % list.length);
  return fc
    .tuple(fc.constantFrom("add", "remove", "rename", "reorder"), fc.nat(30), item, named)
    .map(([op, pick, fresh, name]): readonly [string, Update] => {
      const words = `${op} ${op === "add" ? text(fresh) : `item ${pick}`} in ${place}`;
      if (op === "add") {
        const added = isObject(fresh) && key !== undefined ? set(fresh, String(key), name) : fresh;
        return [
          words,
          (value) => (isArray(value) ? value.toSpliced(pick % (value.length + 1), 0, added) : [added]),
        ];
      }
      if (op === "remove") return [words, onList((list) => list.toSpliced(at(list, pick), 1))];
      if (op === "reorder")
        return [words, onList((list) => [...list.slice(at(list, pick)), ...list.slice(0, at(list, pick))])];
      const renamed = (each: Json) =>
        isObject(each) && key !== undefined ? set(each, String(key), name) : fresh;
      return [
        `${words} to ${text(key === undefined ? fresh : name)}`,
        onList((list) => list.map((each, index) => (index === at(list, pick) ? renamed(each) : each))),
      ];
    });
}

function mapUpdates(schema: Json, place: string, found: Harvest): fc.Arbitrary<readonly [string, Update]> {
  const value = valuesOf(get(schema, "additionalProperties"), `${place}.*`, found, "partial");
  return fc
    .tuple(fc.constantFrom("add", "remove", "rename"), fc.nat(30), anyKey, value)
    .map(([op, pick, key, fresh]): readonly [string, Update] => [
      `${op} ${op === "remove" ? `entry ${pick}` : text(key)} in ${place}`,
      (map) => {
        if (!isObject(map)) return op === "add" ? { [key]: fresh } : map;
        if (op === "add") return set(map, key, fresh);
        const keys = Object.keys(map);
        const old = keys[pick % Math.max(1, keys.length)];
        if (old === undefined) return map;
        const rest = set(map, old, undefined);
        return op === "rename" ? set(rest, key, map[old]) : rest;
      },
    ]);
}

/** Edits of labels and annotations: set one, remove one, remove all. */
const marking: fc.Arbitrary<readonly Change[]> = fc
  .tuple(
    fc.constantFrom("labels", "annotations"),
    fc.constantFrom("app", "example.org/b"),
    fc.option(anyText, { nil: undefined }),
  )
  .map(([name, key, value]) => [
    {
      words: `${value === undefined ? "remove" : "set"} ${name}[${key}]`,
      apply: (object) =>
        changed(object, ["metadata", name], [], (marks) => {
          const after = set(isObject(marks) ? marks : {}, key, value);
          return marks === undefined && value === undefined ? marks : after;
        }) as JsonObject,
    },
  ]);

/** A value with the part below the steps changed. Missing parents are created, missing items and entries are not. */
export function changed(
  value: Json | undefined,
  [step, ...rest]: readonly SchemaStep[],
  [pick = 0, ...picks]: readonly number[],
  update: Update,
): Json | undefined {
  if (step === undefined) return update(value);
  if (typeof step === "string") {
    if (value !== undefined && value !== null && !isObject(value)) return value;
    const below = changed(get(value ?? undefined, step), rest, picks, update);
    return below === undefined && !isObject(value) ? value : set(isObject(value) ? value : {}, step, below);
  }
  if (step.any === "item") {
    if (!isArray(value) || value.length === 0) return value;
    const index = pick % value.length;
    const after = changed(value[index], rest, picks, update);
    return after === undefined ? value.toSpliced(index, 1) : value.with(index, after);
  }
  const key = isObject(value) ? Object.keys(value)[pick % Math.max(1, Object.keys(value).length)] : undefined;
  return isObject(value) && key !== undefined
    ? set(value, key, changed(value[key], rest, picks, update))
    : value;
}

/** A value as a short text. */
export function text(value: Json): string {
  const long = JSON.stringify(value);
  return long.length > 80 ? `${long.slice(0, 77)}...` : long;
}
