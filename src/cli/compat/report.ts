import type { Class, Comparison, CrdFinding as Finding } from "../../checks/index.ts";
import type { Sourced } from "./sources.ts";

/** The result for one kind. */
export interface KindReport extends Comparison {
  /** Finds places in the file of the new side. */
  readonly find?: Sourced["find"];
  readonly oldSource?: string;
  readonly newSource?: string;
  /** Set where only one side has the kind. */
  readonly only?: "old" | "new";
}

/** The result of `antechamber compat`. */
export interface CompatReport {
  readonly old: string;
  readonly new: string;
  readonly seed: number;
  readonly counts: Readonly<Record<Class, number>>;
  readonly kinds: readonly KindReport[];
}

/** The number of findings of each class; a CRD that is removed, or that the API server refuses, is breaking. */
export function countsOf(kinds: readonly KindReport[]): Readonly<Record<Class, number>> {
  const findings = kinds.flatMap((kind) => kind.findings);
  const count = (wanted: Class) => findings.filter((each: Finding) => each.class === wanted).length;
  const ofCrds = kinds.reduce(
    (sum, { refusedCrd, only }) => sum + refusedCrd.length + (only === "old" ? 1 : 0),
    0,
  );
  return { breaking: count("breaking") + ofCrds, risky: count("risky"), safe: count("safe") };
}
