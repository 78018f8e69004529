import fc from "fast-check";
import type { JsonObject } from "../../json/json.ts";
import type { Case } from "./cases.ts";
import { faultsOf, merged, objectOf, type SubjectVersion } from "./subject.ts";

/** The fullest valid objects: all cases in one, the first ones and the last ones first. */
export function fullest(version: SubjectVersion, cases: readonly Case[]): readonly JsonObject[] {
  return [cases, cases.toReversed()].flatMap((each) => {
    const made = joined(version, each);
    return made === undefined ? [] : [made];
  });
}

/** Random valid objects: each has the values of several cases. The same seed draws the same objects. */
export function drawn(
  version: SubjectVersion,
  cases: readonly Case[],
  { seed, runs }: { readonly seed: number; readonly runs: number },
): readonly JsonObject[] {
  if (cases.length < 2) return [];
  const indexes = fc.array(fc.nat({ max: cases.length - 1 }), { minLength: 2, maxLength: 12 });
  return fc.sample(indexes, { seed, numRuns: runs }).flatMap((chosen) => {
    const made = joined(
      version,
      chosen.flatMap((index) => cases[index] ?? []),
    );
    return made === undefined ? [] : [made];
  });
}

/** The cases' objects in one. A case with which the object would not be valid is left out. */
function joined(version: SubjectVersion, cases: readonly Case[]): JsonObject | undefined {
  let here: JsonObject | undefined;
  for (const { object } of cases) {
    const next = here === undefined ? object : (merged(here, object) as JsonObject);
    const whole = objectOf(version, next);
    if (faultsOf(version, whole).length === 0) here = whole;
  }
  return here;
}
