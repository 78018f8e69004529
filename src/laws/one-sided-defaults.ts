import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { differenceOf } from "../judge/differences.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { contentsOf, type Pair } from "./pair.ts";
import { allOf, placesBelow, type SchemaPlace, valuesIn, withoutEmpty, withoutPlace } from "./places.ts";

/** A default of one version without an equivalent in the other version. */
export interface OneSidedDefault {
  readonly place: string;
  readonly value: Json;
  /** The place where the other version differs; absent if it has no field for the default at all. */
  readonly field?: string;
  /** What the other version shows for the default, and what it shows for an absent field; absent if nothing. */
  readonly shown?: Json;
  readonly instead?: Json;
}

/** The defaults of one version that objects of the other version do not get, or get with another value. */
export function oneSidedDefaults(pair: Pair): readonly OneSidedDefault[] {
  const there = new Map(
    allOf(placesBelow(contentSchemaOf(pair.to.entry))).map(({ text, schema }) => [text, schema.default]),
  );
  const filled = contentsOf(pair).map((content) => pair.from.defaulted(content));
  return allOf(pair.places).flatMap((place) => {
    const value = place.schema.default;
    if (value === undefined || equal(value, there.get(place.text))) return [];
    // A default is set only where its parent exists.
    const holders = filled.filter((content) =>
      valuesIn(content, place.steps.slice(0, -1)).some((parent) => isObject(parent)),
    );
    return oneSided(pair, place, value, holders);
  });
}

/**
 * Converts each object once with the default set and once with the field absent: the other version's defaults must give
 * the same.
 */
function oneSided(
  pair: Pair,
  { text: place, steps }: SchemaPlace,
  value: Json,
  contents: readonly JsonObject[],
): readonly OneSidedDefault[] {
  const { from, to, shown } = pair;
  let isSaid = false;
  let isTried = false;
  for (const content of contents) {
    const absent = withoutPlace(content, steps) as JsonObject;
    const filled = from.defaulted(absent);
    if (equal(absent, filled)) continue;
    isTried = true;
    const [image, meant] = [shown(absent), shown(filled)];
    if (equal(withoutEmpty(image), withoutEmpty(meant))) continue;
    isSaid = true;
    const found = differenceOf(to.defaulted(meant), to.defaulted(withParents(image, meant)));
    if (found === undefined) continue;
    const { field, expected, actual } = found;
    return [
      {
        place,
        value,
        field,
        ...(expected === undefined ? {} : { shown: expected }),
        ...(actual === undefined ? {} : { instead: actual }),
      },
    ];
  }
  return isTried && !isSaid ? [{ place, value }] : [];
}

/** An object with the parents that another one has, since a default is set only if its parent exists. */
function withParents(object: JsonObject, model: JsonObject): JsonObject {
  return Object.entries(model).reduce((here, [key, inner]) => {
    const before = get(here, key) ?? {};
    return isObject(inner) && isObject(before) ? set(here, key, withParents(before, inner)) : here;
  }, object);
}
