import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Kind } from "../../kind/kind.ts";
import { remarksOnStatus, requiredInStatus } from "../../kind/required-status.ts";
import type { Counterexample } from "../../laws/law.ts";
import type { Survey } from "../../laws/survey.ts";
import type { Place } from "../reports/report.ts";
import type { Question, TrialMessage } from "./messages.ts";

/** The results of verification, complete or up to an interruption. */
export interface Report {
  readonly seed: number;
  /** Cases for each claim of each law. */
  readonly runs: number;
  readonly interrupted: boolean;
  readonly kinds: readonly KindReport[];
}

/** The results for a kind. */
export interface KindReport {
  readonly name: string;
  readonly folder: string;
  /** The file that defines the kind. */
  readonly file: string;
  /** Oldest first; the last is the hub. */
  readonly versions: readonly string[];
  readonly answers: readonly Answer[];
  /** What keeps laws from being tried in full, and what to change. */
  readonly remarks: readonly string[];
  /** Absent after an interruption. */
  readonly survey?: Survey | { readonly fault: string };
}

/** The result of a law on a version. */
export interface Answer {
  readonly law: string;
  readonly statement: string;
  /** Absent if the law does not apply to the kind. */
  readonly version?: string;
  readonly state: "held" | "failed" | "nothing to try" | "not tried" | "cut short";
  /** What the kind would need for the law to apply. */
  readonly needs?: string;
  /** Why it was not tried, or not to the end. */
  readonly why?: string;
  /** Cases tested, over all claims of the law. */
  readonly runs: number;
  readonly seconds: number;
  readonly counterexample?: Counterexample;
  /** Where the author of the kind wrote what breaks the law: the row, else the lens, else the kind. */
  readonly place?: Place;
  /** Why the version of the counterexample's object does not admit it: some laws hold for any JSON. */
  readonly invalid?: string;
  /** Whether a row maps the field that the counterexample is about, or a lens that was written by hand may. */
  readonly isMapped?: boolean;
  /** A row that maps a field of spec to one of status or the other way round, which may be why: `spec.a to status.b`. */
  readonly across?: string;
  /** The command line that reproduces the counterexample. */
  readonly reproduce?: string;
}

/** A message of a trial, with the time of its arrival in milliseconds. */
export interface ReceivedMessage {
  readonly message: TrialMessage;
  readonly at: number;
}

/** The report of the messages received so far. */
export function reportOf(
  kinds: readonly Kind[],
  received: readonly ReceivedMessage[],
  settings: Omit<Report, "kinds">,
  reproduce: (asked: Question) => string,
): Report {
  const questions = received.flatMap(({ message }) =>
    message.type === "questions" ? message.questions : [],
  );
  const surveys = received.flatMap(({ message }) => (message.type === "survey" ? [message.survey] : []));
  const answers = questions.map((asked, index) => ({
    folder: asked.folder,
    answer: answerTo(asked, received[index + 1], received[index]?.at ?? 0, reproduce),
  }));
  const reports = kinds.map(({ name, folder, versions }, index): KindReport => {
    const survey = surveys[index];
    const own = answers.filter((each) => each.folder === folder).map(({ answer }) => answer);
    const names = versions.map((each) => each.name);
    const file = definitionFile(folder);
    const remarks = remarksOn(versions);
    return {
      name,
      folder,
      file,
      versions: names,
      answers: own,
      remarks,
      ...(survey === undefined ? {} : { survey }),
    };
  });
  return { ...settings, kinds: reports };
}

function remarksOn(versions: Kind["versions"]): readonly string[] {
  if (versions.length === 1) return [];
  return remarksOnStatus(
    versions.map((version) => ({
      name: version.name,
      required: version.carriesStatus ? requiredInStatus(version) : [],
    })),
  );
}

function definitionFile(folder: string): string {
  const file = join(folder, "kind.ts");
  return existsSync(file) ? file : join(folder, "kind.js");
}

function answerTo(
  asked: Question,
  received: ReceivedMessage | undefined,
  since: number,
  reproduce: (asked: Question) => string,
): Answer {
  const { folder: _, ...question } = asked;
  if (asked.version === undefined) return { ...question, state: "nothing to try", runs: 0, seconds: 0 };
  const none = { ...question, state: "not tried", runs: 0, seconds: 0 } as const;
  if (received?.message.type === "unfinished") return { ...none, why: received.message.why };
  if (received?.message.type !== "answer") return none;
  const { runs, untried = 0, counterexample } = received.message.trial;
  const seconds = (received.at - since) / 1000;
  if (counterexample === undefined && untried > 0) {
    const share = `the laws share the time of the kind, and the share of ${asked.law} was over after ${seconds.toFixed(1)} s`;
    const why = `${untried} more were not tried: ${share}; --law ${asked.law} alone has all of it, and a longer --max-time gives it more`;
    return { ...question, state: runs === 0 ? "not tried" : "cut short", runs, seconds, why };
  }
  if (counterexample === undefined) return { ...question, state: "held", runs, seconds };
  return { ...question, state: "failed", runs, seconds, counterexample, reproduce: reproduce(asked) };
}
