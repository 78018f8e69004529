import { parseJson, writeJson } from "../../json/exact.ts";
import type { Json } from "../../json/json.ts";
import type { Trial } from "../../laws/law.ts";
import type { Survey } from "../../laws/survey.ts";

/** What the thread that tests laws is to do. */
export interface TrialOrder {
  /** Folders of kinds, in order. */
  readonly folders: readonly string[];
  /** Names of laws as the user wrote them; empty for all. */
  readonly laws: readonly string[];
  readonly runs: number;
  readonly seed: number;
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

/** The messages of that thread: a misuse; or all questions, an answer to each in order, then a survey of each kind in order. */
export type TrialMessage =
  | { readonly type: "misuse"; readonly sentence: string }
  | { readonly type: "questions"; readonly questions: readonly Question[] }
  | { readonly type: "answer"; readonly trial: Trial }
  | { readonly type: "survey"; readonly survey: Survey | { readonly fault: string } };

/** A message as text: a structured clone would lose exact numbers. */
export function encode(message: TrialMessage): string {
  return writeJson(message as unknown as Json);
}

/** The message of a text. */
export function decode(text: string): TrialMessage {
  return parseJson(text) as unknown as TrialMessage;
}
