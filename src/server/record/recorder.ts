import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import { type Answer, wholeReview } from "../../review/answer.ts";
import type { Handler } from "../review.ts";
import { nameOf, type Texts, textsOf } from "./recording.ts";

/** How a recorder is made. */
export interface RecorderOptions {
  readonly folder: string;
  readonly log: Logger;
  /** How many files there may be in the folder. */
  readonly limit?: number;
  /** Writes a file; by default that of Node.js. */
  readonly write?: (file: string, text: string, options: { flag: string; mode: number }) => Promise<void>;
}

/** Makes the folders of a recording, and counts on from the files that are there. Rejects if it cannot. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  let files = 0;
  let last = 0;
  for (const handler of ["convert", "mutate", "validate"]) {
    const folder = path.join(options.folder, handler);
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) {
      files++;
      last = Math.max(last, Number.parseInt(name, 10) || 0);
    }
  }
  return new Recorder(options, files, last);
}

/** How many reviews may wait for the disk. */
const maxPending = 64;

/**
 * Writes reviews and their answers to files from which they can be replayed and compared
 * (`<handler>/<n>-<kind>-<from>-<to>.json`, with the answer beside it). It never delays an answer and never makes one fail: a
 * review that cannot be written is left out, with a warning for the first of each reason.
 */
class Recorder {
  readonly #options: RecorderOptions;
  readonly #limit: number;
  readonly #warned = new Set<string>();
  #files: number;
  #last: number;
  #pending = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions, files: number, last: number) {
    this.#options = options;
    this.#limit = options.limit ?? 1_000;
    this.#files = files;
    this.#last = last;
  }

  /** A handler that records what the given one answers. */
  on(name: "convert" | "mutate" | "validate", handler: Handler): Handler {
    return async (review, call) => {
      const answer = await handler(review, call);
      this.#enqueue(name, review, answer);
      return answer;
    };
  }

  /** Resolves when all reviews so far have been written. */
  async settled(): Promise<void> {
    while (this.#pending > 0) await this.#writing;
  }

  #enqueue(handler: string, review: Json, answer: Answer): void {
    if (!isObject(review)) return;
    if (this.#files + 2 > this.#limit) {
      this.#warnOnce("full", `${this.#options.folder} holds ${this.#files} files: nothing more is recorded`);
    } else if (this.#pending >= maxPending) {
      this.#warnOnce("slow", "reviews come faster than they can be recorded: some are left out");
    } else {
      this.#files += 2;
      this.#pending++;
      this.#writing = this.#writing.then(() => this.#write(handler, review, answer));
    }
  }

  async #write(handler: string, review: JsonObject, answer: Answer): Promise<void> {
    let written = false;
    try {
      // After the response has been sent.
      await new Promise((resolve) => setImmediate(resolve));
      const texts = textsOf(review, wholeReview(answer));
      if (texts === undefined) return;
      await this.#writeFiles(path.join(this.#options.folder, handler), nameOf(review, answer), texts);
      written = true;
    } catch (error) {
      this.#warnOnce("fault", `a review is not recorded: ${messageOf(error)}`);
    } finally {
      this.#pending--;
      if (!written) this.#files -= 2;
    }
  }

  /** Writes both under the next number that no other recorder of the same folder has taken. */
  async #writeFiles(folder: string, name: string, { review, answer }: Texts): Promise<void> {
    for (;;) {
      const file = path.join(folder, `${String(++this.#last).padStart(4, "0")}-${name}`);
      if (await this.#writeWhole(`${file}.json`, review)) {
        await this.#writeAnswer(file, answer);
        return;
      }
    }
  }

  /** Writes an answer beside its review; if that fails the review is removed, since it is of no use alone. */
  async #writeAnswer(file: string, answer: string): Promise<void> {
    try {
      await this.#writeWhole(`${file}.answer.json`, answer);
    } catch (error) {
      await rm(`${file}.json`, { force: true });
      throw error;
    }
  }

  /** Writes a file whole or not at all; false if there is one of that name. */
  async #writeWhole(file: string, text: string): Promise<boolean> {
    const { write = writeFile } = this.#options;
    const part = `${file}.${randomUUID()}.part`;
    try {
      await write(part, text, { flag: "wx", mode: 0o600 });
      // Reserves the name first: a rename alone would replace a file that another recorder has just written.
      await writeFile(file, "", { flag: "wx", mode: 0o600 });
      await rename(part, file);
      return true;
    } catch (error) {
      await rm(part, { force: true });
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
  }

  #warnOnce(topic: string, sentence: string): void {
    if (this.#warned.has(topic)) return;
    this.#warned.add(topic);
    this.#options.log.warn(sentence);
  }
}
