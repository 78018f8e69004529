import type { Answer } from "./answer.ts";

/** Answers of the upstream, kept between reviews: the ones used last, up to a number of bytes. */
export class AnswerCache {
  readonly #most: number;
  readonly #clock: () => number;
  readonly #kept = new Map<
    string,
    { readonly answer: Answer; readonly size: number; readonly until: number }
  >();
  #size = 0;

  /** With bytes, of which 0 keeps none, and a clock in milliseconds. */
  constructor(most: number, clock: () => number) {
    this.#most = most;
    this.#clock = clock;
  }

  get(key: string): Answer | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#remove(key);
    if (found.until <= this.#clock()) return undefined;
    this.#put(key, found);
    return found.answer;
  }

  /** Keeps an answer to a question of so many characters. A refusal is kept for a short time: it may be mended. */
  keep(key: string, answer: Answer, characters: number): void {
    if (this.#most === 0) return;
    this.#remove(key);
    const until = this.#clock() + (answer.state === "refused" ? patience : lifetime);
    // With zeros that may say something there are three contents: as printed, without them, and with those that do.
    const contents = answer.state === "converted" && answer.printed !== undefined ? 3 : 1;
    this.#put(key, { answer, size: bytesOf(contents * characters), until });
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) return;
      this.#remove(oldest);
    }
  }

  #put(key: string, kept: { readonly answer: Answer; readonly size: number; readonly until: number }): void {
    this.#kept.set(key, kept);
    this.#size += kept.size;
  }

  #remove(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}

/** A parsed object takes some times the length of its text, and an answer is about as long as its question. */
function bytesOf(characters: number): number {
  return 4 * characters + 256;
}

const patience = 10_000;

/** Milliseconds: the reviews of one write come within a second, and the next release of the upstream may answer otherwise. */
const lifetime = 300_000;
