import { writeSerialized } from "../conversion/carriers.ts";
import { placeBeyond } from "../json/depth.ts";
import { mostDepth } from "../json/document.ts";
import { writeJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";
import { type Answer, aroundObjects, writeAnswer } from "../review/answer.ts";
import type { Conversion } from "../review/conversion.ts";
import { answerTooDeep, tooDeepSentence } from "../review/depth.ts";
import { comma } from "./brackets.ts";
import { afterMark, type JsonReading, notJson, readJson, rejectionOfBytes, tooMuch } from "./read-json.ts";
import { badRequest, type Rejection } from "./rejection.ts";
import { mostItems, type Spans, scanReview } from "./scan.ts";

/** Begins to answer a ConversionReview whose objects come one by one. */
export type Begin = (review: Json) => Conversion;

/** How the reviews of one path are answered away from the main thread. */
export interface LargeEndpoint {
  readonly handler: (review: Json) => Answer;
  /** The same for a ConversionReview, object by object. */
  readonly begin?: Begin;
}

/** What became of a large review. */
export type LargeOutcome =
  | {
      readonly outcome: "answered";
      /** The text of the answer; where there is a tail, the pieces that were emitted belong between the two. */
      readonly head: Uint8Array;
      readonly tail?: Uint8Array;
      readonly report: Answer["report"];
    }
  | { readonly outcome: "rejected"; readonly rejection: Rejection }
  /** There is no memory for the answer. */
  | { readonly outcome: "overloaded" };

/** Takes in a part of an answer as soon as it is written; false where there is no memory for it. */
export type Emit = (piece: Uint8Array<ArrayBuffer>) => boolean;

/**
 * Whether a review is answered away from the main thread. What a review costs is decided by how many values it has: 64 KiB of
 * lists of nulls, where containers should be, have cost a second.
 */
export function isLarge(body: Buffer): boolean {
  if (body.length < smallBody) return false;
  return body.length >= largeBody || hasManyCommas(body);
}

/** A body below this costs at most some 50 ms, whatever it holds. Most reviews are smaller. */
const smallBody = 8 * 1024;

/** From so many bytes on a body is large, however few values it has. */
export const largeBody = 64 * 1024;

/** A body has about as many commas as values. */
const manyCommas = 2_000;

function hasManyCommas(body: Buffer): boolean {
  let left = manyCommas;
  for (let at = body.indexOf(comma); at >= 0 && left > 0; at = body.indexOf(comma, at + 1)) left--;
  return left === 0;
}

/** An object of more bytes is not converted: an API server takes requests of 3 MiB, and etcd objects of 1.5 MiB. */
export const largestObject = 4 * 1024 * 1024;

/** How many bytes of a large ConversionReview may stand around its objects. */
const largestEnvelope = 1024 * 1024;

/**
 * Answers a large review. A ConversionReview is answered object by object, to the byte as one that is taken as a whole is:
 * each object is parsed, converted and written alone, so that nothing of it stays but its bytes. Yields after each.
 */
export function* answerLarge(
  body: Buffer,
  { handler, begin }: LargeEndpoint,
  emit: Emit,
): Generator<undefined, LargeOutcome> {
  const unreadable = rejectionOfBytes(body);
  if (unreadable !== undefined) return rejected(unreadable);
  const bytes = afterMark(body);
  if (begin === undefined) return answerWhole(bytes, handler);
  const scan = yield* scanReview(bytes, largestEnvelope);
  switch (scan.found) {
    case "list":
      return yield* answerObjects(bytes, scan.spans, begin, emit);
    case "nothing":
      return answerWhole(bytes, handler);
    case "fault":
      return rejected(notJson(bytes, scan.at));
    case "duplicate":
      return rejected(badRequest(`the review has two members ${scan.member}; send one`));
    case "excess":
      return rejected(
        tooMuch(
          scan.of === "items"
            ? `request.objects has more than ${mostItems} items`
            : `more than ${largestEnvelope} bytes stand around request.objects`,
        ),
      );
  }
}

function answerWhole(bytes: Buffer, handler: LargeEndpoint["handler"]): LargeOutcome {
  const reading = readJson(bytes);
  if ("fault" in reading) return rejected(notJson(bytes, reading.fault));
  if ("excess" in reading) return rejected(tooMuch(reading.excess));
  const { value, isDeep } = reading;
  const answer = (isDeep ? answerTooDeep(value) : undefined) ?? handler(value);
  return { outcome: "answered", head: encoded(writeAnswer(answer).join("")), report: answer.report };
}

function* answerObjects(
  bytes: Buffer,
  { from, to, starts, ends }: Spans,
  begin: Begin,
  emit: Emit,
): Generator<undefined, LargeOutcome> {
  const around = Buffer.concat([bytes.subarray(0, from), Buffer.from("[]"), bytes.subarray(to)]);
  const envelope = readJson(around);
  // Two bytes stand for the whole list.
  if ("fault" in envelope) {
    return rejected(notJson(bytes, envelope.fault <= from ? envelope.fault : envelope.fault + to - from - 2));
  }
  if ("excess" in envelope) return rejected(tooMuch(envelope.excess));
  const conversion = begin(envelope.value);
  const pieces = new Pieces(emit);
  for (const [index, start] of starts.entries()) {
    const item = bytes.subarray(start, ends[index]);
    const reading = readObject(item);
    // After one that cannot be converted the others are still read: the whole may not be JSON, which is another rejection.
    if ("fault" in reading) return rejected(notJson(bytes, start + reading.fault));
    const converted = "excess" in reading ? conversion.skip(reading.excess) : conversion.next(reading.value);
    if (converted !== undefined && !pieces.add(writeSerialized(converted))) return { outcome: "overloaded" };
    yield undefined;
  }
  const { review, report } = conversion.end([]);
  return { outcome: "answered", report, ...pieces.within(review, report.outcome === "success") };
}

/** Reads one object; what is too long or too deep to be walked is more than is taken in. */
function readObject(item: Buffer): JsonReading {
  if (item.length > largestObject) {
    return { excess: `it has ${item.length} bytes, more than the ${largestObject} that are taken in` };
  }
  const reading = readJson(item);
  if (!("value" in reading) || !reading.isDeep) return reading;
  const place = placeBeyond(reading.value, mostDepth);
  return place === undefined ? reading : { excess: tooDeepSentence(place) };
}

function rejected(rejection: Rejection): LargeOutcome {
  return { outcome: "rejected", rejection };
}

/** Texts of objects, joined and encoded some at a time. */
class Pieces {
  readonly #emit: Emit;
  #text = "";
  #isFirst = true;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Adds the text of an object, in parts; false where there is no memory for it. */
  add(parts: readonly string[]): boolean {
    if (!this.#isFirst) this.#text += ",";
    this.#isFirst = false;
    for (const part of parts) this.#text += part;
    if (this.#text.length < pieceLength) return true;
    const piece = encoded(this.#text);
    this.#text = "";
    return this.#emit(piece);
  }

  /** The text around the pieces, in the place of an empty list at the end of the review; of a failure the review alone. */
  within(review: Json, isSuccess: boolean): { readonly head: Uint8Array; readonly tail?: Uint8Array } {
    const text = writeJson(review);
    if (!isSuccess) return { head: encoded(text) };
    const [before, after] = aroundObjects(text);
    return { head: encoded(before), tail: encoded(`${this.#text}${after}`) };
  }
}

/** Not in Node's pool: what is sent to another thread takes its memory with it. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

const pieceLength = 64 * 1024;
