import type { Kind } from "../../src/kind/kind.ts";
import type { Claim, Law } from "../../src/laws/law.ts";

/** A claim of a law that the present engine breaks on a kind. */
export interface KnownFinding {
  /** `Small` for the kinds that broken.test.ts makes. */
  readonly kind: string;
  readonly law: string;
  /** The claim as it is worded, with its path where several claims have the same words. */
  readonly claim: string;
  /** Cases that find it with seed 1. */
  readonly runs: number;
}

/** All of them, by what the engine gets wrong. Remove an entry once the engine is mended: a test fails while it is still here. */
export const known: readonly KnownFinding[] = [
  // A row whose fields have different parents: a field that its applier gave up is not stored as absent beside the other one.
  {
    kind: "Directory",
    law: "FieldWise",
    claim: "what an applier stops applying is removed, and nothing else",
    runs: 400,
  },
  // A row that shows the first of several fields: an applier that gives up the one that is shown loses the other (docs/reference/limits.md).
  ...["a stored object", "an object from an export"].map((origin) => ({
    kind: "Firm",
    law: "FieldWise",
    claim: `what an applier of v1beta1 stops applying to ${origin} is removed, and nothing else`,
    runs: 50,
  })),
];

/** Whether a known finding is about this claim. */
export function isAbout(kind: Kind, law: Law, claim: Claim) {
  return (each: KnownFinding): boolean =>
    each.kind === kind.definition.kind &&
    each.law === law.name &&
    [claim.says, `${claim.says}, ${claim.versions}`].includes(each.claim);
}
