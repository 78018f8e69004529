import { parentPort, workerData } from "node:worker_threads";
import type { Kind } from "../../kind.ts";
import { loadKindsAt } from "../../kinds.ts";
import { laws } from "../../laws/check.ts";
import type { Law } from "../../laws/law.ts";
import { questionsOf } from "../../laws/questions.ts";
import { surveyOf } from "../../laws/survey.ts";
import { type Order, type Telling, toText } from "./telling.ts";

// A thread of its own: a law is tried in one go, and whoever waits for it must be able to stop it.
const port = parentPort;
if (port !== null) await carryOut(workerData as Order, (telling) => port.postMessage(toText(telling)));

async function carryOut({ folders, laws: words, runs, seed }: Order, tell: (telling: Telling) => void) {
  const chosen = lawsOf(words);
  if (typeof chosen === "string") return tell({ tells: "misuse", sentence: chosen });
  const { all } = await loadKindsAt(folders);
  const questions = all.flatMap((kind) =>
    questionsOf(kind, chosen).map((each) => ({ ...each, folder: kind.folder })),
  );
  tell({ tells: "questions", questions: questions.map(({ ask: _, ...asked }) => asked) });
  for (const { ask } of questions) tell({ tells: "answer", trial: ask(runs, seed) });
  for (const kind of all) tell({ tells: "survey", survey: surveyed(kind, seed, runs) });
}

/** The laws that words mean, all of them where there are no words; or a sentence about a word that means none. */
function lawsOf(words: readonly string[]): readonly Law[] | string {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  const chosen = laws.filter(({ name }) => words.length === 0 || wanted.delete(name.toLowerCase()));
  const [unknown] = wanted;
  const word = words.find((each) => each.toLowerCase() === unknown);
  if (word === undefined) return chosen;
  return `--law ${word}: no law is called so; there are ${laws.map(({ name }) => name).join(", ")}`;
}

/** A lens that throws is the laws' business; here it only means that there is no survey. */
function surveyed(kind: Kind, seed: number, runs: number) {
  try {
    return surveyOf(kind, seed, runs);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
