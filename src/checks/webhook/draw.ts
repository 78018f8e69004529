import fc from "fast-check";
import type { JsonObject } from "../../json/json.ts";
import type { Case } from "./cases.ts";
import type { Work } from "./pace.ts";
import { faultsOf, merged, objectOf, type SubjectVersion } from "./subject.ts";

/** The fullest valid objects: all cases in one, the first ones and the last ones first. */
export function* fullest(version: SubjectVersion, cases: readonly Case[]): Work<readonly JsonObject[]> {
  const made: JsonObject[] = [];
  for (const each of [cases, cases.toReversed()]) {
    const object = yield* joined(version, undefined, each);
    if (object !== undefined) made.push(object);
  }
  return made;
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
