import { existsSync } from "node:fs";
import path from "node:path";
import type { Kind } from "../../src/kind/kind.ts";
import { InvalidKinds, loadKinds } from "../../src/kind/load-kinds.ts";
import { readFolder } from "../../src/kind/read-documents.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { readCase } from "../../src/testing/case.ts";
import { runCase } from "../../src/testing/run-case.ts";

// Prints for each folder of a kind what finds something wrong with it, as a JSON list: `start`, a law, `Cases`, or `nothing`.

const found: string[] = [];
for (const folder of process.argv.slice(2)) found.push(await finderOf(folder));
process.stdout.write(JSON.stringify(found));

async function finderOf(folder: string): Promise<string> {
  const kind = await loaded(folder);
  if (kind === undefined) return "start";
  // The default number of runs of `antechamber verify`.
  const verdicts = checkLaws(kind, { runs: 100, seed: 1, laws: ["Faithful", "Mapped"] });
  const broken = verdicts.find(({ holds }) => !holds);
  if (broken !== undefined) return broken.law;
  return (await failsACase(kind)) ? "Cases" : "nothing";
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

async function failsACase(kind: Kind): Promise<boolean> {
  const { documents } = await readFolder(path.join(kind.folder, "cases"));
  return documents.some(({ value }) => {
    const read = readCase(value, kind);
    if ("faults" in read) throw new Error(`${kind.folder}: ${read.faults[0]?.sentence}`);
    return runCase(read.found, kind, [kind]).some(({ failure }) => failure !== undefined);
  });
}
