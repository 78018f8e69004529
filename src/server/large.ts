import { isUtf8 } from "node:buffer";
import { writeLoaded } from "../conversion/carriers.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";
import { type Answer, aroundObjects, UnreadableReview } from "../review/answer.ts";
import type { Conversion } from "../review/conversion.ts";
import type { Share } from "./memory.ts";
import { spansOf } from "./spans.ts";

/** Begins to answer a ConversionReview whose objects come one by one. */
export type Begin = (review: Json) => Conversion;

/** What came of a large review: its answer in pieces, or why it is not answered so. */
export type Made =
  | { readonly outcome: "answered"; readonly pieces: readonly Buffer[]; readonly report: Answer["report"] }
  /** Anything is odd with it. Taken as a whole it is answered as it should be, whatever that is. */
  | { readonly outcome: "odd" }
  /** There is no memory for the answer. */
  | { readonly outcome: "crowded" };

/** From so many bytes on objects are taken one by one: fewer are parsed in a millisecond or two. */
export const largeBody = 256 * 1024;

/**
 * Answers a ConversionReview object by object, to the byte as one that is taken as a whole is answered: each object is
 * parsed, converted and written alone, so that nothing of it stays but its bytes. Yields after each.
 */
export function* answerInPieces(bytes: Buffer, begin: Begin, share: Share): Generator<undefined, Made> {
  const spans = yield* spansOf(bytes);
  if (spans === undefined) return { outcome: "odd" };
  const around = [bytes.subarray(0, spans.from), Buffer.from("[]"), bytes.subarray(spans.to)];
  const conversion = begun(Buffer.concat(around), begin);
  if (conversion === undefined) return { outcome: "odd" };
  // An answer is about as large as what was asked.
  if (!share.grow(bytes.length)) return { outcome: "crowded" };
  const pieces = new Pieces(share, bytes.length);
  for (const [from, to] of spans.objects) {
    const reading = read(bytes.subarray(from, to));
    if (reading === undefined) return { outcome: "odd" };
    // After one that cannot be converted the others are still read: the whole may be no JSON, which is another refusal.
    const converted = conversion.next(reading.value);
    if (converted !== undefined && !pieces.add(writeLoaded(converted))) return { outcome: "crowded" };
    yield undefined;
  }
  const { review, report } = conversion.end([]);
  const text = writeJson(review);
  return {
    outcome: "answered",
    pieces: report.outcome === "success" ? pieces.within(text) : [Buffer.from(text)],
    report,
  };
}

function begun(envelope: Buffer, begin: Begin): Conversion | undefined {
  const reading = read(envelope);
  if (reading === undefined) return undefined;
  try {
    return begin(reading.value);
  } catch (error) {
    if (error instanceof UnreadableReview) return undefined;
    throw error;
  }
}

function read(bytes: Buffer): { readonly value: Json } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: parseJson(bytes.toString("utf8")) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Texts of objects, joined and encoded some at a time. */
class Pieces {
  readonly #share: Share;
  readonly #done: Buffer[] = [];
  #text = "";
  #room: number;

  constructor(share: Share, room: number) {
    this.#share = share;
    this.#room = room;
  }

  /** Adds the text of an object, in parts; false where there is no memory for it. */
  add(parts: readonly string[]): boolean {
    if (this.#done.length > 0 || this.#text !== "") this.#text += ",";
    for (const part of parts) this.#text += part;
    if (this.#text.length < pieceLength) return true;
    const piece = Buffer.from(this.#text);
    this.#text = "";
    this.#done.push(piece);
    this.#room -= piece.length;
    if (this.#room >= 0) return true;
    const more = -this.#room;
    this.#room = 0;
    return this.#share.grow(more);
  }

  /** All pieces, in the place of an empty list at the end of the review that an answer is. */
  within(review: string): readonly Buffer[] {
    const [before, after] = aroundObjects(review);
    return [Buffer.from(before), ...this.#done, Buffer.from(`${this.#text}${after}`)];
  }
}

const pieceLength = 64 * 1024;
