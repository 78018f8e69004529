/** What a command checked and found, for tools that read results: CI servers, code scanning, editors. */
export interface CheckReport {
  /** The command, such as `antechamber verify`. */
  readonly name: string;
  readonly suites: readonly Suite[];
}

/** Checks that belong together: of one kind, or of one file. */
export interface Suite {
  readonly name: string;
  /** Settings that repeat the run, such as the seed. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
  /** Text that belongs to no single check. */
  readonly output?: string;
}

/** One thing that was checked: a law, a document, a case. */
export interface Check {
  /** The group of the check, such as the kind. */
  readonly group: string;
  readonly name: string;
  /** Duration, where it was measured. */
  readonly seconds?: number;
  /** Why the check did not run. */
  readonly skipped?: string;
  /** What is wrong. The check fails if one of them is an error. */
  readonly findings: readonly Finding[];
}

/** One thing that is wrong. */
export interface Finding {
  readonly level: "error" | "warning";
  /** A stable word for this sort of finding: the name of a law, the reason of a cause. */
  readonly rule: string;
  /** One sentence. */
  readonly message: string;
  /** More lines, such as a counterexample; without them the message is all. */
  readonly details?: string;
  /** Absent for standard input. */
  readonly place?: Place;
}

/** A place in a file. */
export interface Place {
  /** Path, relative to the working directory where possible. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column?: number;
}

/** Whether a check failed. */
export function isFailed({ findings }: Check): boolean {
  return findings.some(({ level }) => level === "error");
}
