import type { CrdState } from "../cluster/crd-state.ts";
import type { MigrationProgress, Outcome } from "../cluster/migration.ts";

/** The report of a finished migration, with the next step for a version to drop. */
export function reportOf(
  crd: CrdState,
  { done, dropped }: MigrationProgress,
  { writes, drop }: { readonly writes: "store" | "check"; readonly drop?: string },
): readonly string[] {
  const { name, storage, storedVersions, served } = crd;
  const objects = counted(done, "object");
  const before = storedVersions.join(", ");
  const stored = before === storage ? `storedVersions: ${storage}` : `storedVersions: ${before} → ${storage}`;
  const forgotten = drop === undefined ? "" : `; ${counted(dropped, "object")} had fields managed at ${drop}`;
  if (writes === "check") {
    return [
      `${name}: dry run, nothing was written: ${objects} can be stored as ${storage}${forgotten}; ${stored}`,
    ];
  }
  const lines = [`${name}: ${objects} stored as ${storage}${forgotten}; ${stored}`];
  if (drop === undefined || !crd.versions.includes(drop)) return lines;
  if (!served.includes(drop)) return [...lines, `${name}: ${drop} can be removed from the CRD`];
  return [
    ...lines,
    `${name}: ${drop} is still served, so writes at it add managedFields entries again; set served: false, run this command again, then remove it from the CRD`,
  ];
}

/** The message of a migration that stopped early or could not write every object. */
export function failureOf(
  { name }: CrdState,
  outcome: Exclude<Outcome, { readonly outcome: "finished" }>,
): string {
  const far = `${outcome.done}${outcome.total === undefined ? "" : ` of ${outcome.total}`}`;
  const kept = "status.storedVersions is unchanged; run the same command again";
  switch (outcome.outcome) {
    case "interrupted":
      return `${name}: interrupted after ${far} objects; ${kept}: it starts from the beginning`;
    case "crdChanged":
      return `${name}: ${outcome.sentence}; ${kept}`;
    case "failed":
      return [
        `${name}: ${counted(outcome.failures.length, "object")} could not be written; ${kept} after fixing that`,
        ...outcome.failures.map(({ object, sentence }) => `  ${object}: ${sentence}`),
      ].join("\n");
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
