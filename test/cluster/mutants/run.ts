// Plants mistakes in the conversions of other projects, and says which of them `antechamber verify --url` finds.
//   npm run mutants -- --seeds 1,2,3 --only bgppeers
// With --record it writes the page of docs/evidence.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { haveTargets, targetsLeftOut } from "../webhook-targets.ts";
import { type Judged, judgedKind, mutatedKinds, withTarget } from "./mutants.ts";
import { page, pageOf } from "./page.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    record: { type: "boolean", default: false },
  },
});

if (!haveTargets()) throw new Error(targetsLeftOut);
if (values.record && values.only !== "")
  throw new Error("--record writes what was found of all mistakes: leave out --only");

const kinds = mutatedKinds().filter(({ target, plural }) => `${target} ${plural}`.includes(values.only));
const seeds = values.seeds.split(",").map(Number);
const judged: Judged[] = [];
for (const target of new Set(kinds.map((kind) => kind.target)))
  await withTarget(target, async (running) => {
    for (const kind of kinds.filter((each) => each.target === target))
      for await (const each of judgedKind(kind, running, seeds)) {
        judged.push(each);
        if (each.verdict === "found" || each.verdict === "quiet") continue;
        console.log(`seed ${each.seed}, ${each.verdict}: ${each.text}`);
        for (const line of each.lines) console.log(`  ${line}`);
      }
  });
for (const seed of seeds) {
  const count = (verdict: Judged["verdict"]) =>
    judged.filter((each) => each.seed === seed && each.verdict === verdict).length;
  const [found, missed, quiet, alarm] = [count("found"), count("missed"), count("quiet"), count("alarm")];
  console.log(
    `seed ${seed}: ${found} of ${found + missed} mistakes found, ${missed} missed; ${alarm} alarms on ${quiet + alarm} sound conversions`,
  );
}
if (values.record) writeFileSync(page, pageOf(seeds, judged));
