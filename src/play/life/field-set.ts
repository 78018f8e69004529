import { isObject, type Json, type JsonObject } from "../../json/json.ts";

/**
 * A set of fields of an object, as `metadata.managedFields` holds them (structured-merge-diff, fieldpath, Set): at each step of
 * a path (`f:spec`, `k:{"name":"a"}`, `v:"x"`) whether the set has it, and what it has below.
 */
export interface FieldSet {
  readonly has: boolean;
  readonly below: ReadonlyMap<string, FieldSet>;
}

export const noFields: FieldSet = { has: false, below: new Map() };
export const itself: FieldSet = { has: true, below: new Map() };

/** A set from what is below its steps; steps with nothing below are left out. */
export function fieldSet(has: boolean, below: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { has, below: new Map([...below].filter(([, set]) => !isEmpty(set))) };
}

export function isEmpty({ has, below }: FieldSet): boolean {
  return !has && below.size === 0;
}

/** What the set has at a step and below it. */
export function at({ below }: FieldSet, step: string): FieldSet {
  return below.get(step) ?? noFields;
}

/** Two sets, path by path: whether the result has a path is decided by whether they have it. */
function combined(a: FieldSet, b: FieldSet, has: (a: boolean, b: boolean) => boolean): FieldSet {
  const steps = new Set([...a.below.keys(), ...b.below.keys()]);
  return fieldSet(
    has(a.has, b.has),
    [...steps].map((step) => [step, combined(at(a, step), at(b, step), has)] as const),
  );
}

export const union = (a: FieldSet, b: FieldSet) => combined(a, b, (here, there) => here || there);
export const difference = (a: FieldSet, b: FieldSet) => combined(a, b, (here, there) => here && !there);
export const intersection = (a: FieldSet, b: FieldSet) => combined(a, b, (here, there) => here && there);

/** The set without some paths and all that is below them. */
export function without(set: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  return fieldSet(
    set.has,
    [...set.below].flatMap(([step, below]) => {
      const rest = paths.filter(([first]) => first === step).map((path) => path.slice(1));
      return rest.some((path) => path.length === 0) ? [] : [[step, without(below, rest)] as const];
    }),
  );
}

/** The set as the text of an entry holds it: a step that the set has is empty, or has a dot beside what is below it. */
export function fieldsV1({ has, below }: FieldSet): JsonObject {
  const entries = [...below].sort(([a], [b]) => (a < b ? -1 : 1));
  const inner = entries.map(([step, set]) => [step, fieldsV1(set)] as const);
  return Object.fromEntries([...(has && inner.length > 0 ? [[".", {}] as const] : []), ...inner]);
}

/** The set that the text of an entry holds. */
export function readFieldsV1(json: Json | undefined): FieldSet {
  const entries = isObject(json) ? Object.entries(json) : [];
  const below = entries.filter(([step]) => step !== ".").map(([step, json]) => [step, inner(json)] as const);
  return fieldSet(false, below);
}

function inner(json: Json): FieldSet {
  const isLeaf = isObject(json) && (Object.hasOwn(json, ".") || Object.keys(json).length === 0);
  return { ...readFieldsV1(json), has: isLeaf };
}
