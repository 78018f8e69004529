import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";

/** A longer line cannot be an event of an API server, whose objects have at most 3 MiB. */
const maxLine = 16 * 1024 * 1024;

/** The lines of a watch; rejects if one is too long, or if nothing arrives for `silence` milliseconds. */
export function linesOf(
  response: IncomingMessage,
  silence: number,
  most = maxLine,
): AsyncGenerator<string, void, void> {
  response.setTimeout(silence, () => response.destroy(new Error("the watch sent nothing for too long")));
  return completeLines(response, most, () => new Error("an event of the watch is too long"));
}

/** The lines of a text that have a line end; throws what `tooLong` makes if one is longer than so many characters. */
export async function* completeLines(
  chunks: AsyncIterable<Buffer>,
  most: number,
  tooLong: () => Error,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder("utf8");
  let pending = new Pieces();
  for await (const chunk of chunks) {
    const pieces = decoder.write(chunk).split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      pending.add(piece);
      yield pending.text();
      pending = new Pieces();
    }
    pending.add(last);
    if (pending.length > most) throw tooLong();
  }
}

/** A response is longer than it may be. */
export class ResponseTooLong extends Error {
  override readonly name = "ResponseTooLong";
}

/** The text of a response; rejects with ResponseTooLong if it is longer than so many characters. */
export async function textOf(response: IncomingMessage, most: number): Promise<string> {
  const { text, isComplete } = await beginningOf(response, most);
  if (!isComplete) throw new ResponseTooLong(`the response is longer than ${most} characters`);
  return text;
}

/** The beginning of the text of a response, and whether it is complete; the rest is not read. */
export async function beginningOf(
  response: IncomingMessage,
  most: number,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  const decoder = new StringDecoder("utf8");
  const pieces = new Pieces();
  for await (const chunk of response) {
    pieces.add(decoder.write(chunk as Buffer));
    // Leaving the loop closes the connection.
    if (pieces.length > most) return { text: pieces.text().slice(0, most), isComplete: false };
  }
  pieces.add(decoder.end());
  return { text: pieces.text(), isComplete: true };
}

/** A string builder. A million pieces of one byte take little more memory than the text. */
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
