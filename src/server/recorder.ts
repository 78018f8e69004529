import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Answer, wholeReview } from "../review/answer.ts";
import { nameOf, type Texts, textsOf } from "./recording.ts";
import type { Handler } from "./review.ts";

/** What a recorder is told. */
export interface RecorderOptions {
  readonly folder: string;
  readonly log: Logger;
  /** How many files there may be in the folder. */
  readonly limit?: number;
  /** Writes a file; that of Node.js where none is given. */
  readonly write?: (file: string, text: string, options: { flag: string; mode: number }) => Promise<void>;
}

/** Makes the folders of a recording; goes on after what lies there already. Rejects where it cannot. */
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

/** Not more than this waits for the disk at once. */
const mostPending = 64;
/**
 * Writes reviews and their answers into files, in the format in which they are sent and compared again
 * (`<handler>/<n>-<kind>-<from>-<to>.json`, its answer beside it). It never keeps an answer waiting and never fails one:
 * where it cannot write it says so, once.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #limit: number;
  readonly #said = new Set<string>();
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

  /** The handler, with everything that comes along it recorded. */
  on(name: "convert" | "mutate" | "validate", handler: Handler): Handler {
    return async (review) => {
      const answer = await handler(review);
      this.#keep(name, review, answer);
      return answer;
    };
  }

  /** Resolves when everything that came so far is written. */
  async settled(): Promise<void> {
    while (this.#pending > 0) await this.#writing;
  }

  #keep(handler: string, review: Json, answer: Answer): void {
    if (!isObject(review)) return;
    if (this.#files + 2 > this.#limit) {
      this.#say("full", `${this.#options.folder} holds ${this.#files} files: nothing more is recorded`);
    } else if (this.#pending >= mostPending) {
      this.#say("slow", "reviews come faster than they can be recorded: some are left out");
    } else {
      this.#files += 2;
      this.#pending++;
      this.#writing = this.#writing.then(() => this.#write(handler, review, answer));
    }
  }

  async #write(handler: string, review: JsonObject, answer: Answer): Promise<void> {
    let written = false;
    try {
      // After the answer has left.
      await new Promise((resolve) => setImmediate(resolve));
      const texts = textsOf(review, wholeReview(answer));
      if (texts === undefined) return;
      await this.#writeFiles(path.join(this.#options.folder, handler), nameOf(review, answer), texts);
      written = true;
    } catch (error) {
      this.#say(
        "fault",
        `a review is not recorded: ${error instanceof Error ? error.message : String(error)}`,
      );
    } finally {
      this.#pending--;
      if (!written) this.#files -= 2;
    }
  }

  /** Under the next number that no other recorder of the same folder has taken. */
  async #writeFiles(folder: string, name: string, { review, answer }: Texts): Promise<void> {
    for (;;) {
      const file = path.join(folder, `${String(++this.#last).padStart(4, "0")}-${name}`);
      if (await this.#place(`${file}.json`, review)) {
        await this.#answer(file, answer);
        return;
      }
    }
  }

  /** An answer beside its review; where it cannot be written the review goes, which says nothing alone. */
  async #answer(file: string, answer: string): Promise<void> {
    try {
      await this.#place(`${file}.answer.json`, answer);
    } catch (error) {
      await rm(`${file}.json`, { force: true });
      throw error;
    }
  }

  /** Writes a file whole or not at all; false where there is one of that name. */
  async #place(file: string, text: string): Promise<boolean> {
    const { write = writeFile } = this.#options;
    const part = `${file}.${randomUUID()}.part`;
    try {
      await write(part, text, { flag: "wx", mode: 0o600 });
      // The name is taken first: a rename alone would replace what another recorder has just written.
      await writeFile(file, "", { flag: "wx", mode: 0o600 });
      await rename(part, file);
      return true;
    } catch (error) {
      await rm(part, { force: true });
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
  }

  #say(topic: string, sentence: string): void {
    if (this.#said.has(topic)) return;
    this.#said.add(topic);
    this.#options.log.warn(sentence);
  }
}
