import { hash } from "node:crypto";
import { Unanswered } from "../conversion/lens.ts";
import { writeJson } from "../json/exact.ts";
import type { JsonObject } from "../json/json.ts";
import type { Answer } from "./answer.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { Asker, Question } from "./upstream.ts";

/** The answers that one review needs: those that came, and the questions whose answers are missing. */
export class Session {
  readonly #kept: KeptAnswers;
  readonly #answers = new Map<string, Answer>();
  readonly #missing = new Map<string, Question>();

  constructor(kept: KeptAnswers) {
    this.#kept = kept;
  }

  /** The answer to what an object is at a version. Throws Unanswered, and notes the question, if it is not known yet. */
  find(object: JsonObject, desired: string, asker: Asker): Answer {
    const question = questionOf(object, desired, asker);
    const { key } = question;
    const known = this.#answers.get(key) ?? this.#kept.get(key);
    if (known === undefined) {
      this.#missing.set(key, question);
      throw new Unanswered(`the upstream must be asked what ${desired} shows`);
    }
    this.#answers.set(key, known);
    return known;
  }

  /** The questions without an answer; they are asked for once. */
  take(): readonly Question[] {
    const questions = [...this.#missing.values()];
    this.#missing.clear();
    return questions;
  }

  add({ key, text }: Question, answer: Answer): void {
    this.#answers.set(key, answer);
    this.#kept.keep(key, answer, text.length);
  }
}

/** The question what an object is at a version. */
export function questionOf(object: JsonObject, desired: string, asker: Asker): Question {
  const text = writeJson(object);
  return { key: hash("sha256", `${desired} ${text}`, "base64"), object, text, desired, asker };
}
