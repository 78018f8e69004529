import type { Trial } from "../../laws/law.ts";
import type { Gauge } from "../console.ts";
import type { Question, TrialMessage } from "./messages.ts";

/** Shows the progress of a trial from its messages. */
export function progress(
  { note, rewrite }: Gauge,
  nameOf: (folder: string) => string,
): (message: TrialMessage) => void {
  let questions: readonly Question[] = [];
  let done = 0;
  const nameAt = (index: number) => {
    const { folder, law, version } = questions[index] ?? {};
    return folder === undefined ? undefined : [nameOf(folder), law, version].filter(Boolean).join(" ");
  };
  return (message) => {
    if (message.type === "questions") questions = message.questions;
    if (message.type === "answer" || message.type === "unfinished") {
      const name = nameAt(done);
      done += 1;
      const verdict = message.type === "answer" ? verdictOf(message.trial) : message.why;
      if (rewrite === undefined && verdict !== undefined)
        note(`${done}/${questions.length} ${name}: ${verdict}`);
    }
    const next = nameAt(done) ?? "survey of the versions";
    rewrite?.(`${done}/${questions.length} ${next}`);
  };
}

function verdictOf({ runs, untried = 0, counterexample }: Trial): string | undefined {
  if (counterexample !== undefined) return `FAILED after ${runs} runs`;
  if (untried > 0) return `cut short after ${runs} runs`;
  return runs === 0 ? undefined : `held, ${runs} runs`;
}
