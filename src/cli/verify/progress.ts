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
    if (message.type === "answer") {
      const name = nameAt(done);
      done += 1;
      const { runs, counterexample } = message.trial;
      const verdict = counterexample === undefined ? `held, ${runs} runs` : `FAILED after ${runs} runs`;
      if (rewrite === undefined && runs > 0) note(`${done}/${questions.length} ${name}: ${verdict}`);
    }
    const next = nameAt(done) ?? "survey of the versions";
    rewrite?.(`${done}/${questions.length} ${next}`);
  };
}
