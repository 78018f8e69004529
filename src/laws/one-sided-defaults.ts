import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { differenceOf } from "./compare.ts";
import { contentsOf, type Pair } from "./pair.ts";
import { allOf, type Place, withoutPlace } from "./places.ts";

/** A default of one version that the other version does not have in its words. */
export interface OneSidedDefault {
  readonly place: string;
  readonly value: Json;
  /** Where the other version reads otherwise; absent where it has no word for the default at all. */
  readonly field?: string;
  /** What the other version shows for the default, and what it has where nothing was said; absent for nothing. */
  readonly shown?: Json;
  readonly instead?: Json;
}

/** The defaults of one version that an object of the other one does not get, or gets differently. */
export function oneSidedDefaults(pair: Pair): readonly OneSidedDefault[] {
  return allOf(pair.places).flatMap((place) => {
    const value = place.schema.default;
    return value === undefined ? [] : oneSided(pair, place, value);
  });
}

/** Each object is shown with the default filled in, and with nothing said: what the other version fills in must be the same. */
function oneSided(pair: Pair, { text: place, steps }: Place, value: Json): readonly OneSidedDefault[] {
  const { from, to, shown } = pair;
  let isSaid = false;
  let isTried = false;
  for (const content of contentsOf(pair)) {
    const unsaid = withoutPlace(from.defaulted(content), steps) as JsonObject;
    const filled = from.defaulted(unsaid);
    if (equal(unsaid, filled)) continue;
    isTried = true;
    const [image, meant] = [shown(unsaid), shown(filled)];
    if (equal(image, meant)) continue;
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

/** An object with the parents that another one has: defaults are filled in only where their parent is there. */
function withParents(object: JsonObject, model: JsonObject): JsonObject {
  return Object.entries(model).reduce((here, [key, inner]) => {
    const before = get(here, key) ?? {};
    return isObject(inner) && isObject(before) ? set(here, key, withParents(before, inner)) : here;
  }, object);
}
