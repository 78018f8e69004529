import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import type { Kind } from "../../kind/kind.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { laws } from "../../laws/check.ts";
import type { Law } from "../../laws/law.ts";
import { questionsOf } from "../../laws/questions.ts";
import { surveyOf } from "../../laws/survey.ts";
import { type Tracer, tracedKind } from "../../laws/traced.ts";
import { casesLaw, casesQuestion, InvalidCases } from "./cases.ts";
import { encode, type TrialMessage, type WorkerOrder } from "./messages.ts";
import { noteCall, noteCase, type Watch } from "./watch.ts";

// A separate thread: testing a law is synchronous, and the main thread must be able to stop it.
const port = parentPort;
if (port !== null) await carryOut(workerData as WorkerOrder, (message) => port.postMessage(encode(message)));

async function carryOut(order: WorkerOrder, send: (message: TrialMessage) => void) {
  const { folders, laws: words, runs, seed, from, isTraced, watch } = order;
  const chosen = lawsOf(words);
  if (typeof chosen === "string") return send({ type: "misuse", sentence: chosen });
  const { all } = await loadKinds(folders);
  const kinds = isTraced ? all.map((kind) => tracedKind(kind, tracerOf(watch))) : all;
  const questions = questionsOrMisuse(kinds, chosen);
  if (questions instanceof InvalidCases) return send({ type: "misuse", sentence: questions.message });
  send({ type: "questions", questions: questions.map(({ ask: _, ...asked }) => asked) });
  const spent = { ...order.spent };
  const onCase = () => noteCase(watch);
  const asked = isTraced ? questions.slice(from, from + 1) : questions.slice(from);
  for (const [index, { ask, folder }] of asked.entries()) {
    const since = performance.now();
    const left = asked.slice(index).filter((each) => each.folder === folder).length;
    // What a law leaves of its share is the others'.
    const milliseconds = (order.lawsTime - (spent[folder] ?? 0)) / left;
    send({ type: "answer", trial: ask(runs, seed, { milliseconds, onCase }) });
    spent[folder] = (spent[folder] ?? 0) + performance.now() - since;
  }
  if (isTraced) return;
  for (const kind of all.slice(Math.max(0, from - questions.length)))
    send({
      type: "survey",
      survey: order.convicted.has(kind.folder)
        ? { fault: "its lens does not return" }
        : surveyed(kind, seed, runs),
    });
}

function tracerOf(watch: Watch): Tracer {
  return { begin: (call) => noteCall(watch, call), end: () => noteCall(watch, undefined) };
}

/** What to try: laws on drawn objects, and perhaps the cases of the kind. */
interface Chosen {
  readonly laws: readonly Law[];
  readonly hasCases: boolean;
}

function questionsOrMisuse(kinds: readonly Kind[], chosen: Chosen) {
  try {
    return kinds.flatMap((kind) => questionsAbout(kind, chosen));
  } catch (error) {
    if (error instanceof InvalidCases) return error;
    throw error;
  }
}

function questionsAbout(kind: Kind, { laws, hasCases }: Chosen) {
  const asked = [...questionsOf(kind, laws), ...(hasCases ? [casesQuestion(kind)] : [])];
  return asked.map((each) => ({ ...each, folder: kind.folder }));
}

/** The laws of the given names, all if none are given; or a message about an unknown name. */
function lawsOf(words: readonly string[]): Chosen | string {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  const isChosen = (name: string) => words.length === 0 || wanted.delete(name.toLowerCase());
  const chosen = { laws: laws.filter(({ name }) => isChosen(name)), hasCases: isChosen(casesLaw.name) };
  const [unknown] = wanted;
  const word = words.find((each) => each.toLowerCase() === unknown);
  if (word === undefined) return chosen;
  const known = [...laws, casesLaw].map(({ name }) => name).join(", ");
  return `--law ${word}: unknown law; known laws are ${known}`;
}

/** A lens that throws breaks a law; here it only prevents the survey. */
function surveyed(kind: Kind, seed: number, runs: number) {
  try {
    return surveyOf(kind, seed, runs);
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
