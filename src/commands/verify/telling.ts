import { parseJson, writeJson } from "../../json/exact.ts";
import type { Json } from "../../json/json.ts";
import type { Trial } from "../../laws/law.ts";
import type { Survey } from "../../laws/survey.ts";

/** What the thread that tries laws is told to do. */
export interface Order {
  /** Folders of kinds, in order. */
  readonly folders: readonly string[];
  /** Names of laws as the user wrote them; none for all. */
  readonly laws: readonly string[];
  readonly runs: number;
  readonly seed: number;
}

/** A law and the version that it is put to; of a law that finds nothing to try, the kind alone. */
export interface Asked {
  /** The kind's folder. */
  readonly folder: string;
  readonly law: string;
  readonly statement: string;
  readonly version?: string;
  /** What would leave something to try, where nothing is. */
  readonly needs?: string;
}

/** What that thread tells: that there is no such law; or all that it will ask, an answer to each in that order, then a survey of each kind in order. */
export type Telling =
  | { readonly tells: "misuse"; readonly sentence: string }
  | { readonly tells: "questions"; readonly questions: readonly Asked[] }
  | { readonly tells: "answer"; readonly trial: Trial }
  | { readonly tells: "survey"; readonly survey: Survey | { readonly fault: string } };

/** A telling as text: threads cannot hand over exact numbers as they are. */
export function toText(telling: Telling): string {
  return writeJson(telling as unknown as Json);
}

/** The telling that a text says. */
export function fromText(text: string): Telling {
  return parseJson(text) as unknown as Telling;
}
