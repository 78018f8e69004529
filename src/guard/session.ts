import { hash } from "node:crypto";
import { Unanswered } from "../conversion/lens.ts";
import { writeJson } from "../json/exact.ts";
import type { JsonObject } from "../json/json.ts";
import type { Answer } from "./answer.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { Asker, Question } from "./upstream.ts";

/** The answers that one review needs: those that came, and the questions whose answers are missing. */
export class Session {
  readonly #cache: AnswerCache;
  readonly #answers = new Map<string, Answer>();
  readonly #missing = new Map<string, Question>();
  /** Questions that can wait, since work goes on with a guess; and those of the present work. */
  readonly #later = new Map<string, Question>();
  #guesses: Question[] = [];

  constructor(cache: AnswerCache) {
    this.#cache = cache;
  }

  /** The answer to what an object is at a version. Throws Unanswered, and notes the question, if it is not known yet. */
  find(object: JsonObject, desired: string, asker: Asker): Answer {
    const known = this.#known(object, desired, asker, (question) =>
      this.#missing.set(question.key, question),
    );
    if (known === undefined) throw new Unanswered(`the upstream must be asked what ${desired} shows`);
    return known;
  }

  /** The same for work that can go on with a guess: undefined if it is not known yet. */
  peek(object: JsonObject, desired: string, asker: Asker): Answer | undefined {
    return this.#known(object, desired, asker, (question) => this.#guesses.push(question));
  }

  #known(
    object: JsonObject,
    desired: string,
    asker: Asker,
    note: (question: Question) => void,
  ): Answer | undefined {
    const question = questionOf(object, desired, asker);
    const { key } = question;
    const known = this.#answers.get(key) ?? this.#cache.get(key);
    if (known === undefined) note(question);
    else this.#answers.set(key, known);
    return known;
  }

  /**
   * Ends the work on an object. If nothing is missing but what it guessed, the first guess is asked about, on which the others may
   * depend. Else the questions come along only where they take no request of their own: a search may take many guesses.
   */
  end(isGuess: boolean): void {
    const first = isGuess ? this.#guesses[0]?.desired : undefined;
    for (const each of this.#guesses)
      (each.desired === first ? this.#missing : this.#later).set(each.key, each);
    this.#guesses = [];
  }

  /** The questions to ask next; each is asked once. */
  take(): readonly Question[] {
    const all = new Map([...this.#later, ...this.#missing]);
    const desired = new Set([...this.#missing.values()].map((each) => each.desired));
    this.#later.clear();
    this.#missing.clear();
    return [...all.values()].filter((each) => desired.has(each.desired));
  }

  add({ key, text }: Question, answer: Answer): void {
    this.#answers.set(key, answer);
    this.#cache.keep(key, answer, text.length);
  }
}

/** The question what an object is at a version. */
export function questionOf(object: JsonObject, desired: string, asker: Asker): Question {
  const text = writeJson(object);
  return { key: hash("sha256", `${desired} ${text}`, "base64"), object, text, desired, asker };
}
