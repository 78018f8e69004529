import { equal } from "../../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { fieldBelow } from "../../json/path.ts";
import type { SchemaStep } from "../../laws/places.ts";

/** A keyword that two schemas set differently at one place. */
export interface Difference {
  /** The place, `spec.lights[].color`; empty for the object itself. */
  readonly place: string;
  readonly steps: readonly SchemaStep[];
  /** `maximum`, or `property` for a field that only one of them declares. */
  readonly keyword: string;
  /** The values of the keyword; undefined where a schema does not set it. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** The schemas at the place; an empty one where there is none. */
  readonly old: JsonObject;
  readonly new: JsonObject;
}

/** Keywords that no object depends on. */
const silent = new Set(["description", "title", "example", "externalDocs", "id", "$schema"]);

/** Keywords that are compared field by field, or together with another one. */
const structure = new Set(["properties", "items", "additionalProperties", "required", "enum"]);

/** The keywords in which two schemas differ, place by place, parents first. What only describes is left out. */
export function differencesOf(before: JsonObject, after: JsonObject): readonly Difference[] {
  return below({ place: "", steps: [], old: before, new: after });
}

/** Whether an object may depend on the difference between two schemas. */
export function differs(before: JsonObject, after: JsonObject): boolean {
  return differencesOf(before, after).length > 0;
}

type Pair = Pick<Difference, "place" | "steps" | "old" | "new">;

function below(pair: Pair): readonly Difference[] {
  if (equal(pair.old, pair.new)) return [];
  return [
    ...keywordsOf(pair),
    ...namesOf(pair, "required"),
    ...namesOf(pair, "enum"),
    ...propertiesOf(pair),
    ...innerOf(pair, "items", "item"),
    ...innerOf(pair, "additionalProperties", "entry"),
  ];
}

function keywordsOf(pair: Pair): readonly Difference[] {
  const names = new Set([...Object.keys(pair.old), ...Object.keys(pair.new)]);
  return [...names]
    .filter((name) => !silent.has(name) && !structure.has(name))
    .filter((name) => !equal(comparable(pair.old, name), comparable(pair.new, name)))
    .map((keyword) => differenceAt(pair, keyword));
}

/** A keyword's value without the parts that no object depends on: what a rule says where it fails. */
function comparable(schema: JsonObject, name: string): Json | undefined {
  const value = schema[name];
  if (value === usual[name]) return undefined;
  if (name !== "x-kubernetes-validations" || !isArray(value)) return value ?? undefined;
  return value.map((rule) => [
    get(rule, "rule") ?? null,
    get(rule, "fieldPath") ?? null,
    get(rule, "optionalOldSelf") ?? null,
  ]);
}

/** Values that mean the same as none. */
const usual: JsonObject = {
  nullable: false,
  uniqueItems: false,
  exclusiveMaximum: false,
  exclusiveMinimum: false,
  "x-kubernetes-embedded-resource": false,
  "x-kubernetes-int-or-string": false,
  "x-kubernetes-list-type": "atomic",
  "x-kubernetes-map-type": "granular",
  minLength: 0,
  minItems: 0,
  minProperties: 0,
};

function differenceAt(pair: Pair, keyword: string): Difference {
  return { ...pair, keyword, before: pair.old[keyword], after: pair.new[keyword] };
}

/** A list of names or values, in which order does not count. */
function namesOf(pair: Pair, keyword: "required" | "enum"): readonly Difference[] {
  const sorted = (value: Json | undefined) =>
    isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : undefined;
  const [before, after] = [sorted(pair.old[keyword]), sorted(pair.new[keyword])];
  // An empty list of required fields says nothing.
  const isNothing = (names: readonly string[] | undefined) => (names ?? []).length === 0;
  if (isNothing(before) && isNothing(after)) return [];
  return equal(before, after) ? [] : [differenceAt(pair, keyword)];
}

function propertiesOf(pair: Pair): readonly Difference[] {
  const [before, after] = [propertiesIn(pair.old), propertiesIn(pair.new)];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const here = { place: fieldBelow(pair.place, name), steps: [...pair.steps, name] };
    return compared(here, get(before, name), get(after, name), "property");
  });
}

function innerOf(pair: Pair, keyword: "items" | "additionalProperties", any: "item" | "entry") {
  const suffix = any === "item" ? "[]" : ".*";
  const here = { place: `${pair.place}${suffix}`, steps: [...pair.steps, { any }] };
  const [before, after] = [pair.old[keyword], pair.new[keyword]];
  if (isObject(before) && isObject(after)) return compared(here, before, after, keyword);
  return equal(before ?? undefined, after ?? undefined) ? [] : [differenceAt(pair, keyword)];
}

function compared(
  here: Pick<Difference, "place" | "steps">,
  before: Json | undefined,
  after: Json | undefined,
  keyword: string,
): readonly Difference[] {
  const pair = { ...here, old: isObject(before) ? before : {}, new: isObject(after) ? after : {} };
  if (before !== undefined && after !== undefined) return below(pair);
  return [{ ...pair, keyword, before, after }];
}

function propertiesIn(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}
