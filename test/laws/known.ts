import type { Kind } from "../../src/kind/kind.ts";
import type { Claim, Law } from "../../src/laws/law.ts";

/** A claim of a law that the present engine breaks on a kind. */
export interface KnownFinding {
  readonly kind: string;
  readonly law: string;
  /** The claim as it is worded, with its path where several claims have the same words. */
  readonly claim: string;
  /** Cases that find it with seed 1. */
  readonly runs?: number;
}

/** All of them, by what the engine gets wrong. Remove an entry once the engine is mended: a test fails while it is still here. */
export const known: readonly KnownFinding[] = [
  // A list of objects without keys is one leaf: a change of one item loses what every other item had.
  { kind: "Plan", law: "Lists", claim: "items of the hub keep what a write at v1beta1 did not touch" },
  { kind: "Plan", law: "Lists", claim: "items of v1beta1 keep what a write at the hub did not touch" },
  { kind: "Route", law: "Lists", claim: "items of the hub keep what a write at v1beta1 did not touch" },
  { kind: "Route", law: "Lists", claim: "items of v1beta1 keep what a write at the hub did not touch" },
  { kind: "SidecarSet", law: "Lists", claim: "items of the hub keep what a write at v1alpha1 did not touch" },
  {
    kind: "SidecarSet",
    law: "Lists",
    claim: "items of v1alpha1 keep what a write at the hub did not touch",
    runs: 3000,
  },
];

/** Whether a known finding is about this claim. */
export function isAbout(kind: Kind, law: Law, claim: Claim) {
  return (each: KnownFinding): boolean =>
    each.kind === kind.definition.kind &&
    each.law === law.name &&
    [claim.says, `${claim.says}, ${claim.versions}`].includes(each.claim);
}
