import { parentPort, workerData } from "node:worker_threads";
import type { Kind } from "../../kind/kind.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { laws } from "../../laws/check.ts";
import type { Law } from "../../laws/law.ts";
import { questionsOf } from "../../laws/questions.ts";
import { surveyOf } from "../../laws/survey.ts";
import { encode, type TrialMessage, type TrialOrder } from "./messages.ts";

// A separate thread: testing a law is synchronous, and the main thread must be able to stop it.
const port = parentPort;
if (port !== null) await carryOut(workerData as TrialOrder, (message) => port.postMessage(encode(message)));

async function carryOut(
  { folders, laws: words, runs, seed }: TrialOrder,
  send: (message: TrialMessage) => void,
) {
  const chosen = lawsOf(words);
  if (typeof chosen === "string") return send({ type: "misuse", sentence: chosen });
  const { all } = await loadKinds(folders);
  const questions = all.flatMap((kind) =>
    questionsOf(kind, chosen).map((each) => ({ ...each, folder: kind.folder })),
  );
  send({ type: "questions", questions: questions.map(({ ask: _, ...asked }) => asked) });
  for (const { ask } of questions) send({ type: "answer", trial: ask(runs, seed) });
  for (const kind of all) send({ type: "survey", survey: surveyed(kind, seed, runs) });
}

/** The laws of the given names, all if none are given; or a message about an unknown name. */
function lawsOf(words: readonly string[]): readonly Law[] | string {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  const chosen = laws.filter(({ name }) => words.length === 0 || wanted.delete(name.toLowerCase()));
  const [unknown] = wanted;
  const word = words.find((each) => each.toLowerCase() === unknown);
  if (word === undefined) return chosen;
  return `--law ${word}: unknown law; known laws are ${laws.map(({ name }) => name).join(", ")}`;
}

/** A lens that throws breaks a law; here it only prevents the survey. */
function surveyed(kind: Kind, seed: number, runs: number) {
  try {
    return surveyOf(kind, seed, runs);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
