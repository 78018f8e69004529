import type { Asked, Telling } from "./telling.ts";

/** Where progress is shown: a terminal's last line, written anew each time, or lines one after another. */
export interface Gauge {
  readonly note: (line: string) => void;
  /** Writes a terminal's last line anew; absent where there is no terminal. */
  readonly rewrite?: (line: string) => void;
}

/** Follows a trial's tellings and says what is being tried, or what was. */
export function progress(
  { note, rewrite }: Gauge,
  nameOf: (folder: string) => string,
): (telling: Telling) => void {
  let questions: readonly Asked[] = [];
  let done = 0;
  const nameAt = (index: number) => {
    const { folder, law, version } = questions[index] ?? {};
    return folder === undefined ? undefined : [nameOf(folder), law, version].filter(Boolean).join(" ");
  };
  return (telling) => {
    if (telling.tells === "questions") questions = telling.questions;
    if (telling.tells === "answer") {
      const name = nameAt(done);
      done += 1;
      const { runs, counterexample } = telling.trial;
      const verdict = counterexample === undefined ? `held, ${runs} runs` : `FAILED after ${runs} runs`;
      if (rewrite === undefined && runs > 0) note(`${done}/${questions.length} ${name}: ${verdict}`);
    }
    const next = nameAt(done) ?? "what the versions cannot say of each other";
    rewrite?.(`${done}/${questions.length} ${next}`);
  };
}
