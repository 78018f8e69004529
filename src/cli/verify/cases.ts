import { printFault } from "../../kind/fault.ts";
import type { Kind } from "../../kind/kind.ts";
import type { Counterexample, Trial } from "../../laws/law.ts";
import type { Question } from "../../laws/questions.ts";
import { type ConversionCase, wholeObject } from "../../testing/case.ts";
import { type CaseFailure, type CaseResult, runCase } from "../../testing/run-case.ts";
import { type PlacedCase, readCases } from "../cases.ts";

/** The law of the cases that an author wrote: what a lens means cannot be drawn. */
export const casesLaw = {
  name: "Cases",
  statement:
    "The objects that a case shows at several versions are one object: each is converted into the others, as the author of the kind meant it.",
} as const;

/** The conversions in the case files of a kind as a law. Throws InvalidCases if a file holds something else. */
export function casesQuestion(kind: Kind): Question {
  const { cases, faults } = readCases(kind);
  if (faults.length > 0) throw new InvalidCases(["invalid cases:", ...faults.map(printFault)].join("\n"));
  const { name: law, statement } = casesLaw;
  const pairs = cases.flatMap(({ found, ...place }) => ("convert" in found ? [{ ...place, found }] : []));
  if (pairs.length === 0)
    return { law, statement, needs: "cases/*.yaml in the folder of the kind", ask: () => ({ runs: 0 }) };
  const version = kind.versions.map((each) => each.name).join(", ");
  return { law, statement, version, ask: () => tried(pairs) };
}

/** Case files that hold something else. */
export class InvalidCases extends Error {
  override readonly name = "InvalidCases";
}

/** A case of conversions, with its place. */
type Pair = Omit<PlacedCase, "found"> & { readonly found: ConversionCase };

/** All conversions of the cases, until the first that fails. */
function tried(pairs: readonly Pair[]): Trial {
  let runs = 0;
  for (const pair of pairs)
    for (const { claim, failure } of runCase(pair.found, pair.kind, [pair.kind])) {
      runs += 1;
      if (failure !== undefined) return { runs, counterexample: counterexampleOf(pair, claim, failure) };
    }
  return { runs };
}

function counterexampleOf(
  { found, kind, name, file, position }: Pair,
  claim: CaseResult["claim"],
  { sentence, expected, actual }: CaseFailure,
): Counterexample {
  const [from] = claim.split(" → ");
  const given = found.convert.find(({ version }) => version === from);
  return {
    claim: `the case "${name}" (${file}:${position.line}): ${sentence}`,
    versions: claim,
    object: given === undefined ? {} : wholeObject(kind, given),
    steps: [],
    field: "",
    expected,
    actual,
    hint: "mend the row that maps what differs, or the case if it is wrong; antechamber test runs the cases alone",
  };
}
