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

/** Begins to answer a ConversionReview whose objects follow one by one. */
export type Begin = (review: Json) => Conversion;

/** How the large reviews of one path are answered. */
export interface LargeEndpoint {
  readonly handler: (review: Json) => Answer;
  /** The same for a ConversionReview, object by object. */
  readonly begin?: Begin;
}

/** The outcome of a large review. */
export type LargeOutcome =
  | {
      readonly outcome: "answered";
      /** The text of the answer; if there is a tail, the pieces that were emitted belong between the two. */
      readonly head: Uint8Array<ArrayBuffer>;
      readonly tail?: Uint8Array<ArrayBuffer>;
      readonly report: Answer["report"];
    }
  | { readonly outcome: "rejected"; readonly rejection: Rejection }
  /** There is no memory for the answer. */
  | { readonly outcome: "overloaded" };

/** Takes a part of an answer as soon as it is written; false if there is no memory for it. */
export type Emit = (piece: Uint8Array<ArrayBuffer>) => boolean;

/**
 * Whether a review is answered on the thread for large reviews. Its cost depends on how many values it has: 64 KiB of nulls in
 * place of containers have cost a second.
 */
export function isLarge(body: Buffer): boolean {
  if (body.length < smallBody) return false;
  return body.length >= largeBody || hasManyCommas(body);
}

/** Bytes. No body below this takes more than some 50 ms, and most reviews are smaller. */
const smallBody = 8 * 1024;

/** Bytes from which on a body is large, however few values it has. */
export const largeBody = 64 * 1024;

/** A body has about as many commas as values. */
const manyCommas = 2_000;

function hasManyCommas(body: Buffer): boolean {
  let left = manyCommas;
  for (let at = body.indexOf(comma); at >= 0 && left > 0; at = body.indexOf(comma, at + 1)) left--;
  return left === 0;
}

/** Bytes of the largest object that is converted: an API server accepts requests of 3 MiB, and etcd objects of 1.5 MiB. */
export const largestObject = 4 * 1024 * 1024;

/** Bytes of a large ConversionReview without its objects. */
const largestEnvelope = 1024 * 1024;

/**
 * Answers a large review. The objects of a ConversionReview are parsed, converted and written one by one, so that only their
 * bytes stay in memory; the text is the same as if the review had been answered as a whole. Yields after each object.
 */
export function* answerLarge(
  body: Buffer,
  { handler, begin }: LargeEndpoint,
  emit: Emit,
): Generator<undefined, LargeOutcome> {
  const unreadable = rejectionOfBytes(body);
  if (unreadable !== undefined) return rejected(unreadable);
  const bytes = afterMark(body);
  if (begin === undefined) return answerWhole(bytes, handler, "AdmissionReview");
  const scan = yield* scanReview(bytes, largestEnvelope);
  switch (scan.found) {
    case "list":
      return yield* answerObjects(bytes, scan.spans, begin, emit);
    case "nothing":
      return answerWhole(bytes, handler, "ConversionReview");
    case "fault":
      return rejected(notJson(bytes, scan.at));
    case "duplicate":
      return rejected(badRequest(`the review has two members ${scan.member}; send one`));
    case "excess":
      return rejected(
        tooMuch(
          scan.of === "items"
            ? `request.objects has more than ${mostItems} items`
            : `there are more than ${largestEnvelope} bytes around request.objects`,
        ),
      );
  }
}

function answerWhole(
  bytes: Buffer,
  handler: LargeEndpoint["handler"],
  kind: "ConversionReview" | "AdmissionReview",
): LargeOutcome {
  const reading = readJson(bytes);
  if ("fault" in reading) return rejected(notJson(bytes, reading.fault));
  if ("excess" in reading) return rejected(tooMuch(reading.excess));
  const { value, isDeep } = reading;
  const answer = (isDeep ? answerTooDeep(value, kind) : undefined) ?? handler(value);
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
  // In `around` the list is two bytes long.
  if ("fault" in envelope) {
    return rejected(notJson(bytes, envelope.fault <= from ? envelope.fault : envelope.fault + to - from - 2));
  }
  if ("excess" in envelope) return rejected(tooMuch(envelope.excess));
  const conversion = begin(envelope.value);
  const pieces = new Pieces(emit);
  for (const [index, start] of starts.entries()) {
    const item = bytes.subarray(start, ends[index]);
    const reading = readObject(item);
    // After an object that cannot be converted the others are still read: if one is not JSON the review is rejected instead.
    if ("fault" in reading) return rejected(notJson(bytes, start + reading.fault));
    const converted = "excess" in reading ? conversion.skip(reading.excess) : conversion.next(reading.value);
    if (converted !== undefined && !pieces.add(writeSerialized(converted))) return { outcome: "overloaded" };
    yield undefined;
  }
  const { review, report } = conversion.end([]);
  return { outcome: "answered", report, ...pieces.within(review, report.outcome === "success") };
}

/** Reads one object; one that is too long or nested too deeply exceeds a limit. */
function readObject(item: Buffer): JsonReading {
  if (item.length > largestObject) {
    return { excess: `it has ${item.length} bytes, more than the ${largestObject} that an object may have` };
  }
  const reading = readJson(item);
  if (!("value" in reading) || !reading.isDeep) return reading;
  const place = placeBeyond(reading.value, mostDepth);
  return place === undefined ? reading : { excess: tooDeepSentence(place) };
}

function rejected(rejection: Rejection): LargeOutcome {
  return { outcome: "rejected", rejection };
}

/** Joins the texts of objects and emits them in pieces. */
class Pieces {
  readonly #emit: Emit;
  #text = "";
  #isFirst = true;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Adds the text of an object, in parts; false if there is no memory for it. */
  add(parts: readonly string[]): boolean {
    if (!this.#isFirst) this.#text += ",";
    this.#isFirst = false;
    for (const part of parts) this.#text += part;
    if (this.#text.length < pieceLength) return true;
    const piece = encoded(this.#text);
    this.#text = "";
    return this.#emit(piece);
  }

  /** The text around the pieces, which replace the empty list at the end of the review; the review alone if it is a failure. */
  within(
    review: Json,
    isSuccess: boolean,
  ): { readonly head: Uint8Array<ArrayBuffer>; readonly tail?: Uint8Array<ArrayBuffer> } {
    const text = writeJson(review);
    if (!isSuccess) return { head: encoded(text) };
    const [before, after] = aroundObjects(text);
    return { head: encoded(before), tail: encoded(`${this.#text}${after}`) };
  }
}

/** Not in Node's buffer pool: an ArrayBuffer that is transferred to another thread must not be shared. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

const pieceLength = 64 * 1024;
