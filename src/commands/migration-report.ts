import type { Definition } from "../cluster/definition.ts";
import type { Count, Outcome } from "../cluster/migration.ts";

/** What a finished migration says: what was done, and of a version to drop what comes next. */
export function reportOf(
  definition: Definition,
  { done, dropped }: Count,
  { writes, drop }: { readonly writes: "store" | "check"; readonly drop?: string },
): readonly string[] {
  const { name, storage, storedVersions, served } = definition;
  const objects = counted(done, "object");
  const before = storedVersions.join(", ");
  const stored = before === storage ? `storedVersions: ${storage}` : `storedVersions: ${before} → ${storage}`;
  const forgotten = drop === undefined ? "" : `; ${counted(dropped, "object")} had fields managed at ${drop}`;
  if (writes === "check") {
    return [
      `${name}: dry run, nothing is written: ${objects} could be stored as ${storage}${forgotten}; ${stored}`,
    ];
  }
  const lines = [`${name}: ${objects} stored as ${storage}${forgotten}; ${stored}`];
  if (drop === undefined || !definition.versions.includes(drop)) return lines;
  if (!served.includes(drop)) return [...lines, `${name}: ${drop} can be taken out of the CRD`];
  return [
    ...lines,
    `${name}: ${drop} is still served, and who writes at it is remembered anew; set served: false, run this again, then take it out`,
  ];
}

/** What a migration says that did not come to its end, or not with every object. */
export function faultOf(
  { name }: Definition,
  outcome: Exclude<Outcome, { readonly outcome: "finished" }>,
): string {
  const far = `${outcome.done}${outcome.total === undefined ? "" : ` of ${outcome.total}`}`;
  const kept = "status.storedVersions is as it was; run the same again";
  switch (outcome.outcome) {
    case "interrupted":
      return `${name}: interrupted after ${far} objects; ${kept}, it starts from the beginning`;
    case "overtaken":
      return `${name}: ${outcome.sentence}; ${kept}`;
    case "failed":
      return [
        `${name}: ${counted(outcome.failures.length, "object")} could not be written; ${kept} once that is put right`,
        ...outcome.failures.map(({ object, sentence }) => `  ${object}: ${sentence}`),
      ].join("\n");
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
