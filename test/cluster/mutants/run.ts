// Plants mistakes in the conversions of other projects, and says which of them `antechamber verify --url` finds.
//   npm run mutants -- --seeds 1,2,3 --only bgppeers

import { parseArgs } from "node:util";
import { haveTargets, targetsLeftOut } from "../webhook-targets.ts";
import { judgedKind, mutatedKinds, withTarget } from "./mutants.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "1" }, only: { type: "string", default: "" } },
});

if (!haveTargets()) throw new Error(targetsLeftOut);

const kinds = mutatedKinds().filter(({ target, plural }) => `${target} ${plural}`.includes(values.only));
for (const seed of values.seeds.split(",").map(Number)) {
  const counts = { found: 0, missed: 0, quiet: 0, alarm: 0 };
  for (const target of new Set(kinds.map((kind) => kind.target)))
    await withTarget(target, async (running) => {
      for (const kind of kinds.filter((each) => each.target === target))
        for await (const { text, verdict, lines } of judgedKind(kind, running, seed)) {
          counts[verdict] += 1;
          if (verdict === "found" || verdict === "quiet") continue;
          console.log(`${verdict}: ${text}`);
          for (const line of lines) console.log(`  ${line}`);
        }
    });
  const { found, missed, quiet, alarm } = counts;
  console.log(
    `seed ${seed}: ${found} of ${found + missed} mistakes found, ${missed} missed; ${alarm} alarms on ${quiet + alarm} sound conversions`,
  );
}
