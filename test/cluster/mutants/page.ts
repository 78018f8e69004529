import { type Judged, mutatedKinds } from "./mutants.ts";

/** The page with what was found of all mistakes. */
export const page = "docs/evidence/mutants.md";

/** What one run with a seed found. */
export interface MutantRun {
  readonly seed: number;
  readonly judged: readonly Judged[];
}

/** How many mistakes there are, as the page says it. */
export function totalOf(count: number): string {
  return `${count} mistakes`;
}

/** The page as Markdown. */
export function pageOf(runs: readonly MutantRun[]): string {
  const kinds = mutatedKinds();
  const total = kinds.reduce((sum, { mutants }) => sum + mutants.length, 0);
  const sound = kinds.filter(({ isSound }) => isSound).map(({ plural }) => plural);
  const counts = ({ judged }: MutantRun, verdict: Judged["verdict"]) =>
    judged.filter((each) => each.verdict === verdict).length;
  const byName = Map.groupBy(
    kinds.flatMap(({ mutants }) => mutants),
    ({ name }) => name,
  );
  const missed = runs.flatMap(({ seed, judged }) =>
    judged
      .filter(({ verdict }) => verdict === "missed" || verdict === "alarm")
      .map(({ text, verdict }) => `- seed ${seed}, ${verdict}: ${text}`),
  );
  return `${[
    "# Mistakes that were planted in other projects' conversions",
    "",
    "`npm run mutants -- --seeds 1,2,3,4,5 --record` writes this page.",
    `It plants ${totalOf(total)} in the answers of real conversion webhooks, one at a time, and runs the checks of`,
    "`antechamber verify --url` with their default settings on each.",
    "A mistake is found if a finding that upstream's own conversion does not show is at its place.",
    `${sound.length} kinds are sound: ${sound.join(", ")}. They are converted in four ways that lose nothing; anything found there is an alarm.`,
    "",
    "| seed | found | missed | alarms on sound conversions |",
    "|---|---|---|---|",
    ...runs.map(
      (run) =>
        `| ${run.seed} | ${counts(run, "found")} of ${total} | ${counts(run, "missed")} | ${counts(run, "alarm")} of ${counts(run, "quiet") + counts(run, "alarm")} |`,
    ),
    "",
    ...(missed.length === 0 ? [] : ["Not as it should be:", "", ...missed, ""]),
    "| project | kind | mistakes |",
    "|---|---|---|",
    ...kinds.map(({ target, plural, mutants }) => `| ${target} | ${plural} | ${mutants.length} |`),
    "",
    "`test/cluster/mutants/operators.ts` says what each sort of mistake is:",
    "",
    "| sort | mistakes |",
    "|---|---|",
    ...[...byName]
      .toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
      .map(([name, all]) => `| ${name} | ${all.length} |`),
  ].join("\n")}\n`;
}
