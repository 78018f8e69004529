import { existsSync } from "node:fs";
import path from "node:path";
import { casesQuestion } from "../../src/cli/verify/cases.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { InvalidKinds, loadKinds } from "../../src/kind/load-kinds.ts";
import { checkLaws } from "../../src/laws/check.ts";

// Prints for each folder of a kind what finds something wrong with it, as a JSON list: `start`, a law of `antechamber verify`, or
// `nothing`. The first argument is the seed.

const [, , seedText, ...folders] = process.argv;
const seed = Number(seedText);
const found: string[] = [];
for (const folder of folders) found.push(await finderOf(folder));
process.stdout.write(JSON.stringify(found));

async function finderOf(folder: string): Promise<string> {
  const kind = await loaded(folder);
  if (kind === undefined) return "start";
  // The default number of runs of `antechamber verify`.
  const verdicts = checkLaws(kind, { runs: 100, seed, laws: ["Faithful", "Mapped"] });
  const broken = verdicts.find(({ holds }) => !holds);
  if (broken !== undefined) return broken.law;
  const { law, ask } = casesQuestion(kind);
  return ask(1, seed).counterexample === undefined ? "nothing" : law;
}

async function loaded(folder: string): Promise<Kind | undefined> {
  try {
    return (await loadKinds([folder])).all[0];
  } catch (error) {
    // A folder that was removed meanwhile is a fault of the test, not a mistake that was found.
    if (error instanceof InvalidKinds && existsSync(path.join(folder, "kind.ts"))) return undefined;
    throw error;
  }
}
