import fc from "fast-check";
import { isArray, isObject, type Json, type JsonObject, valuesIn } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { schemaBelow } from "../../values/smallest.ts";
import { entriesOf, isMap, valueAt, withAt } from "./build.ts";
import type { Case } from "./cases.ts";
import type { Work } from "./pace.ts";
import { faultsOf, merged, objectOf, type SubjectVersion } from "./subject.ts";

/** The fullest valid objects: all cases in one, the first ones and the last ones first. All items of a list are full. */
export function* fullest(version: SubjectVersion, cases: readonly Case[]): Work<readonly JsonObject[]> {
  const made: JsonObject[] = [];
  for (const each of [cases, cases.toReversed()]) {
    const object = yield* joined(version, undefined, each);
    if (object !== undefined) made.push(yield* withFullItems(version, object));
  }
  return made;
}

/** The most values that an object has with full items: lists within lists grow quickly. */
const mostValues = 20_000;

/**
 * An object in which all items of a list, and all entries of a map, have what its first one has and they lack. A webhook may
 * read some of it in the first one alone.
 */
function* withFullItems(version: SubjectVersion, object: JsonObject): Work<JsonObject> {
  let here = object;
  for (const path of itemsIn(object, version.schema, [])) {
    yield;
    const [first, ...others] = entriesOf(valueAt(here, path));
    if (first === undefined || !isObject(first[1])) continue;
    const full = others.reduce(
      (made, [step, item]) => withAt(made, [...path, step], merged(first[1], item)) as JsonObject,
      here,
    );
    if (valuesIn(full) > mostValues) break;
    if (full !== here && faultsOf(version, full).length === 0) here = full;
  }
  return here;
}

/** The paths of all lists and maps of a value, those within the first items of others before these. */
function itemsIn(value: Json | undefined, schema: Json | undefined, path: Path): readonly Path[] {
  const isMany = isArray(value) || isMap(schema);
  const inside = isMany ? entriesOf(value).slice(0, 1) : entriesOf(value);
  return [
    ...inside.flatMap(([step, inner]) => itemsIn(inner, schemaBelow(schema, step), [...path, step])),
    ...(isMany ? [path] : []),
  ];
}

/** Random valid objects: each has the values of several cases. The same seed draws the same objects. */
export function* drawn(
  version: SubjectVersion,
  cases: readonly Case[],
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Work<readonly JsonObject[]> {
  if (cases.length < 2) return [];
  const indexes = fc.array(fc.nat({ max: cases.length - 1 }), { minLength: 2, maxLength: 12 });
  const made: JsonObject[] = [];
  for (const chosen of fc.sample(indexes, { seed, numRuns: runs })) {
    const several = chosen.flatMap((index) => cases[index] ?? []);
    const object = yield* joined(version, undefined, several);
    if (object !== undefined) made.push(object);
  }
  return made;
}

/**
 * An object and the objects of cases in one. A case with which it would not be valid is left out; it is found by halves, since
 * nearly all go together and a large object takes long to validate.
 */
function* joined(
  version: SubjectVersion,
  object: JsonObject | undefined,
  cases: readonly Case[],
): Work<JsonObject | undefined> {
  if (cases.length === 0) return object;
  yield;
  const whole = cases.reduce<JsonObject | undefined>(
    (here, each) => (here === undefined ? each.object : (merged(here, each.object) as JsonObject)),
    object,
  );
  const made = objectOf(version, whole ?? {});
  if (faultsOf(version, made).length === 0) return made;
  if (cases.length === 1) return object;
  const middle = cases.length >> 1;
  const first = yield* joined(version, object, cases.slice(0, middle));
  return yield* joined(version, first, cases.slice(middle));
}
