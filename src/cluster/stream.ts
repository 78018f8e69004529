import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";

/** A line longer than this is no event of an API server, whose objects have 3 MiB at most. */
const longestLine = 16 * 1024 * 1024;

/** The lines of an answer as they come; rejects where one has no end, or nothing is heard for so long. */
export async function* linesOf(
  response: IncomingMessage,
  silence: number,
  most = longestLine,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder("utf8");
  response.setTimeout(silence, () => response.destroy(new Error("the watch fell silent")));
  let pending = new Pieces();
  for await (const chunk of response) {
    const pieces = decoder.write(chunk as Buffer).split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      pending.add(piece);
      yield pending.text();
      pending = new Pieces();
    }
    pending.add(last);
    if (pending.length > most) throw new Error("an event of the watch has no end");
  }
}

/** An answer is longer than it may be. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** The text of an answer; rejects with AnswerTooLong where it is longer than so many characters. */
export async function textOf(response: IncomingMessage, most: number): Promise<string> {
  const { text, isWhole } = await beginningOf(response, most);
  if (!isWhole) throw new AnswerTooLong(`the answer is longer than ${most} characters`);
  return text;
}

/** The beginning of an answer's text, and whether that is all of it; what comes behind is not read. */
export async function beginningOf(
  response: IncomingMessage,
  most: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new StringDecoder("utf8");
  const pieces = new Pieces();
  for await (const chunk of response) {
    pieces.add(decoder.write(chunk as Buffer));
    // To leave the loop closes the connection.
    if (pieces.length > most) return { text: pieces.text().slice(0, most), isWhole: false };
  }
  pieces.add(decoder.end());
  return { text: pieces.text(), isWhole: true };
}

/** A text in the making. A million pieces of a byte each take little more memory than the text. */
class Pieces {
  length = 0;
  readonly #blocks: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    this.length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < 1_000) return;
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  text(): string {
    return [...this.#blocks, ...this.#pieces].join("");
  }
}
