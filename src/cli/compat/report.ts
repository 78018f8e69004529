import type { Class, Comparison, DeletedPlace, CrdFinding as Finding } from "../../checks/index.ts";
import type { Sourced } from "./sources.ts";

/** Stored objects that lose values with the first write at some versions. */
export interface DeletedObjects {
  readonly stored: string;
  readonly at: readonly string[];
  readonly objects: number;
  readonly places: readonly DeletedPlace[];
}

/** What a replacement of the CRD means for the objects of a cluster. */
export interface StoredReport {
  readonly deletes: readonly DeletedObjects[];
  /** Versions whose objects cannot be read, since they are not served. */
  readonly unseen: readonly string[];
}

/** The result for one kind. */
export interface KindReport extends Comparison {
  readonly stored?: StoredReport;
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

/** The number of findings of each class; a CRD that is removed, that the API server refuses, or that costs objects values is breaking. */
export function countsOf(kinds: readonly KindReport[]): Readonly<Record<Class, number>> {
  const findings = kinds.flatMap((kind) => kind.findings);
  const count = (wanted: Class) => findings.filter((each: Finding) => each.class === wanted).length;
  const ofCrds = kinds.reduce(
    (sum, { refusedCrd, only, stored }) =>
      sum + refusedCrd.length + (only === "old" ? 1 : 0) + (stored?.deletes.length ?? 0),
    0,
  );
  return { breaking: count("breaking") + ofCrds, risky: count("risky"), safe: count("safe") };
}
