import { get, isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { agrees } from "./agrees.ts";
import { isEmpty } from "./leaf.ts";
import type { FieldSteps, GroupedField, GroupedObject } from "./row-groups.ts";

// The rule of rows: the leaves of a group of fields come back together if the group then still shows what the writer wrote. If not,
// the group alone decides, and all of its fields stay as the lenses made them. What no row joins with such a field is not touched.

/** The rule for one object, which a writer wrote. */
export interface RowRule {
  /** What the writer wrote, by the objects of its image that stand for it. */
  readonly written: ReadonlyMap<Json, JsonObject>;
}

/** The rule for the image of what a writer wrote. */
export function ruleFor(image: JsonObject, said: JsonObject, { object }: GroupedField): RowRule {
  const written = object === undefined ? new Map() : writtenIn(image, said, object, new Map());
  return { written };
}

/** Items stand for each other where both lists have as many, and values of maps under the same key. */
function writtenIn(
  image: JsonObject,
  said: JsonObject,
  { lists }: GroupedObject,
  found: Map<Json, JsonObject>,
): RowRule["written"] {
  found.set(image, said);
  for (const { here, there, items } of lists)
    for (const [item, word] of pairsOf(get(image, ...here), get(said, ...there)))
      if (isObject(item) && isObject(word)) writtenIn(item, word, items, found);
  return found;
}

function pairsOf(
  image: Json | undefined,
  said: Json | undefined,
): readonly (readonly [Json, Json | undefined])[] {
  if (isArray(image) && isArray(said))
    return image.length === said.length ? image.map((item, at) => [item, said[at]] as const) : [];
  if (!isObject(image) || !isObject(said)) return [];
  return Object.entries(image).map(([key, item]) => [item, own(said, key)] as const);
}

/** A restored object, in which the fields of contradicted groups are as they were before. */
export function ruled(
  restored: JsonObject,
  before: JsonObject,
  object: GroupedObject | undefined,
  rule: RowRule | undefined,
): JsonObject {
  if (object === undefined || rule === undefined) return restored;
  const changed = object.groups.filter(
    ({ here, isScalar }) => isScalar && here.some((path) => get(restored, ...path) !== get(before, ...path)),
  );
  if (changed.length === 0) return restored;
  const [alone, image] = [object.imageOf(before), object.imageOf(restored)];
  const said = rule.written.get(before) ?? alone;
  const contradicted = changed.filter(({ there }) =>
    there.some(({ path, shape }) => {
      const [shows, word, plain] = [image, said, alone].map((each) => get(each, ...path));
      return !agrees(shows, word, plain, shape);
    }),
  );
  return contradicted
    .flatMap(({ here }) => here)
    .reduce<JsonObject>((here, path) => withFieldOf(here, before, path), restored);
}

/** An object with a field of another one; an object that only this emptied goes, unless the other one has it. */
function withFieldOf(here: JsonObject, other: JsonObject, [key = "", ...rest]: FieldSteps): JsonObject {
  const value = own(other, key);
  if (rest.length === 0) return set(here, key, value);
  const [inner, before] = [own(here, key), value].map((each) => (isObject(each) ? each : {}));
  const left = withFieldOf(inner ?? {}, before ?? {}, rest);
  return set(here, key, isEmpty(left) ? value : left);
}
