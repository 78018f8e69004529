import { type Judged, mutatedKinds } from "./mutants.ts";

/** The page with what was found of all mistakes. */
export const page = "docs/evidence/mutants.md";

/** How many mistakes there are, as the page says it. */
export function totalOf(count: number): string {
  return `${count} mistakes`;
}

/** The page as Markdown. */
export function pageOf(seeds: readonly number[], judged: readonly Judged[]): string {
  const kinds = mutatedKinds();
  const total = kinds.reduce((sum, { mutants }) => sum + mutants.length, 0);
  const sound = kinds.filter(({ isSound }) => isSound).map(({ plural }) => plural);
  const count = (seed: number, verdict: Judged["verdict"]) =>
    judged.filter((each) => each.seed === seed && each.verdict === verdict).length;
  const byName = Map.groupBy(
    kinds.flatMap(({ mutants }) => mutants),
    ({ name }) => name,
  );
  const wrong = judged
    .filter(({ verdict }) => verdict === "missed" || verdict === "alarm")
    .map(({ text, seed, verdict }) => `- seed ${seed}, ${verdict}: ${text}`);
  return `${[
    "# Mistakes that were planted in other projects' conversions",
    "",
    "`npm run mutants -- --seeds 1,2,3,4,5 --record` writes this page.",
    `It plants ${totalOf(total)} in the answers of real conversion webhooks, one at a time.`,
    "The checks of `antechamber verify --url` run on each with their default settings.",
    "A mistake is found if a finding that upstream's own conversion does not show is at its place.",
    "A seed decides on random objects alone.",
    "So a mistake that is found with one random object is not judged again with other seeds.",
    "All others, and what is sound, are judged with each seed and a hundred random objects, as by default.",
    `${sound.length} kinds are sound: ${sound.join(", ")}.`,
    "They are converted in four ways that lose nothing; anything found there is an alarm.",
    "",
    "| seed | found | missed | alarms on sound conversions |",
    "|---|---|---|---|",
    ...seeds.map((seed) => {
      const alarms = count(seed, "alarm");
      return `| ${seed} | ${count(seed, "found")} of ${total} | ${count(seed, "missed")} | ${alarms} of ${alarms + count(seed, "quiet")} |`;
    }),
    "",
    ...(wrong.length === 0 ? [] : ["Not as it should be:", "", ...wrong, ""]),
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
