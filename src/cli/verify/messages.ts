import { parseJson, writeJson } from "../../json/exact.ts";
import type { Json } from "../../json/json.ts";
import type { Trial } from "../../laws/law.ts";
import type { Survey } from "../../laws/survey.ts";
import type { Watch } from "./watch.ts";

/** What the thread that tests laws is to do. */
export interface TrialOrder {
  /** Folders of kinds, in order. */
  readonly folders: readonly string[];
  /** Names of laws as the user wrote them; empty for all. */
  readonly laws: readonly string[];
  readonly runs: number;
  readonly seed: number;
  /** The milliseconds that a kind has for its laws, and for its survey. */
  readonly lawsTime: number;
  readonly surveyTime: number;
  /** The milliseconds after which a case counts as one that does not end. */
  readonly patience: number;
}

/** What one thread is to do of it. */
export interface WorkerOrder extends TrialOrder {
  /** How many questions and surveys are done already. */
  readonly from: number;
  /** Whether to ask the next question alone, of a kind that tells of each call of its functions. */
  readonly isTraced: boolean;
  /** The milliseconds that the laws of each folder have taken so far. */
  readonly spent: Readonly<Record<string, number>>;
  /** The folders of kinds of which a lens is known not to return. */
  readonly convicted: ReadonlySet<string>;
  readonly watch: Watch;
}

/** A law and the version that it is tested on; without a version if the law does not apply to the kind. */
export interface Question {
  /** The kind's folder. */
  readonly folder: string;
  readonly law: string;
  readonly statement: string;
  readonly version?: string;
  /** What the kind would need for the law to apply. */
  readonly needs?: string;
}

/**
 * The messages of that thread: a misuse; or all questions, an answer to each in order, then a survey of each kind in order. In the
 * place of an answer there may be why there is none.
 */
export type TrialMessage =
  | { readonly type: "misuse"; readonly sentence: string }
  | { readonly type: "questions"; readonly questions: readonly Question[] }
  | { readonly type: "answer"; readonly trial: Trial }
  | { readonly type: "unfinished"; readonly why: string }
  | { readonly type: "survey"; readonly survey: Survey | { readonly fault: string } };

/** A message as text: a structured clone would lose exact numbers. */
export function encode(message: TrialMessage): string {
  return writeJson(message as unknown as Json);
}

/** The message of a text. */
export function decode(text: string): TrialMessage {
  return parseJson(text) as unknown as TrialMessage;
}
