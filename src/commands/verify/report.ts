import type { Kind } from "../../kind.ts";
import type { Counterexample } from "../../laws/law.ts";
import type { Survey } from "../../laws/survey.ts";
import type { Asked, Telling } from "./telling.ts";

/** What verifying gave, whole or as far as it came. */
export interface Report {
  readonly seed: number;
  /** Cases for each claim of each law. */
  readonly runs: number;
  readonly interrupted: boolean;
  readonly kinds: readonly KindReport[];
}

/** What verifying a kind gave. */
export interface KindReport {
  readonly name: string;
  readonly folder: string;
  /** Oldest first; the last is the hub. */
  readonly versions: readonly string[];
  readonly answers: readonly Answer[];
  /** Absent where it was not come to. */
  readonly survey?: Survey | { readonly fault: string };
}

/** What putting a law to a version gave. */
export interface Answer {
  readonly law: string;
  readonly statement: string;
  /** Absent where the kind's versions leave the law nothing to try. */
  readonly version?: string;
  readonly state: "held" | "failed" | "nothing to try" | "not tried";
  /** What would leave something to try, where nothing is. */
  readonly needs?: string;
  /** Cases tried, over all claims of the law. */
  readonly runs: number;
  readonly seconds: number;
  readonly counterexample?: Counterexample;
  /** The command line that finds the counterexample again. */
  readonly again?: string;
}

/** What has been heard of a trial so far, each telling with its time in milliseconds. */
export interface Heard {
  readonly telling: Telling;
  readonly at: number;
}

/** The report of what has been heard. */
export function reportOf(
  kinds: readonly Kind[],
  heard: readonly Heard[],
  settings: Omit<Report, "kinds">,
  again: (asked: Asked) => string,
): Report {
  const questions = heard.flatMap(({ telling }) => (telling.tells === "questions" ? telling.questions : []));
  const surveys = heard.flatMap(({ telling }) => (telling.tells === "survey" ? [telling.survey] : []));
  const answers = questions.map((asked, index) => ({
    folder: asked.folder,
    answer: answerTo(asked, heard[index + 1], heard[index]?.at ?? 0, again),
  }));
  const reports = kinds.map(({ name, folder, versions }, index): KindReport => {
    const survey = surveys[index];
    const own = answers.filter((each) => each.folder === folder).map(({ answer }) => answer);
    const names = versions.map((each) => each.name);
    return { name, folder, versions: names, answers: own, ...(survey === undefined ? {} : { survey }) };
  });
  return { ...settings, kinds: reports };
}

function answerTo(
  asked: Asked,
  heard: Heard | undefined,
  since: number,
  again: (asked: Asked) => string,
): Answer {
  const { folder: _, ...question } = asked;
  if (asked.version === undefined) return { ...question, state: "nothing to try", runs: 0, seconds: 0 };
  if (heard?.telling.tells !== "answer") return { ...question, state: "not tried", runs: 0, seconds: 0 };
  const { runs, counterexample } = heard.telling.trial;
  const seconds = (heard.at - since) / 1000;
  if (counterexample === undefined) return { ...question, state: "held", runs, seconds };
  return { ...question, state: "failed", runs, seconds, counterexample, again: again(asked) };
}
