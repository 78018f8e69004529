import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Json } from "../json/json.ts";
import { type Answer, writeAnswer } from "../review/answer.ts";
import { mayInflate } from "../review/compressed.ts";
import { answerTooDeep } from "../review/depth.ts";
import type { BatchScheduler } from "./batches.ts";
import { readBody, refusalOfHeaders } from "./body.ts";
import { callerOf } from "./caller.ts";
import { timeoutOf, within } from "./deadline.ts";
import { type LargeOutcome, largeBody } from "./large.ts";
import type { Stage } from "./life.ts";
import type { Limits } from "./limits.ts";
import type { BodyMemory, Share } from "./memory.ts";
import type { Metrics } from "./metrics.ts";
import { replyInPieces } from "./pieces.ts";
import { readReview } from "./reading.ts";
import { crowded, type Refusal, tooLarge, unavailable } from "./refusal.ts";
import { refuse, reply } from "./reply.ts";
import type { ReviewThread } from "./review-thread.ts";
import { tell } from "./tell.ts";
import type { ReviewPath } from "./thread-messages.ts";
import { type Tracing, traceparentOf } from "./tracing.ts";
import type { Turns } from "./turns.ts";

/** From a review to its answer. Throws UnreadableReview for one that has no envelope to answer in. */
export type Road = (review: Json) => Answer | Promise<Answer>;

/** A road, and what may come along it. */
export interface Lane {
  readonly path: ReviewPath;
  readonly road: Road;
  /** Bytes of the largest body. */
  readonly limit: number;
}

/** What every review is served with. */
export interface Desk {
  readonly limits: Limits;
  readonly memory: BodyMemory;
  readonly metrics: Metrics;
  readonly stage: () => Stage;
  readonly log: Logger;
  /** Milliseconds, from whenever. */
  readonly clock: () => number;
  readonly turns: Turns;
  readonly batches: BatchScheduler;
  /** Answers large reviews; without it the main thread does. */
  readonly thread?: ReviewThread | undefined;
  readonly tracing?: Tracing | undefined;
}

/** Serves one request for a review: reads it, sends it down its road, and answers. Rejects where the road throws. */
export async function serveReview(
  request: IncomingMessage,
  response: ServerResponse,
  lane: Lane,
  desk: Desk,
): Promise<void> {
  const early = desk.stage() === "leaving" ? leaving : refusalOfHeaders(request, lane.limit);
  if (early !== undefined) return turnAway(request, response, early, desk);
  const timeout = timeoutOf(request.url ?? "");
  const deadline = desk.clock() + timeout;
  // An answer that nobody has fetched yet counts too.
  const caller = callerOf(request.socket);
  const share = desk.memory.share(caller);
  response.on("close", share.release);
  // Node has answered every other expectation with 417 already; HTTP/1.0 has none.
  if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue();
  const body = await readBody(request, {
    limit: lane.limit,
    undeclaredLimit: desk.limits.undeclaredBytes,
    milliseconds: Math.min(desk.limits.bodyMilliseconds, timeout),
    share,
  });
  if (body.outcome === "aborted") return desk.log.debug(whereOf(request), "the caller left before its body");
  if (body.outcome === "refused") return turnAway(request, response, body.refusal, desk);
  desk.metrics.countBody(body.bytes.length);
  const call: Call = { request, response, deadline, begun: desk.clock(), caller, share, lane, desk };
  if (desk.thread !== undefined && body.bytes.length >= largeBody) {
    await answerOnThread(call, body.bytes, desk.thread);
  } else await answer(call, body.bytes);
}

/** Refuses a request, and says so in the log. */
export function turnAway(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  { limits, stage, log, metrics }: Desk,
): void {
  metrics.countRefused(refusal.code);
  log.info({ ...whereOf(request), status: refusal.code, reason: refusal.message }, "request refused");
  if (response.destroyed) return;
  const headers = { ...refusal.headers, ...farewell(stage()) };
  refuse(request, response, { ...refusal, headers }, limits);
}

const leaving = unavailable("this replica is shutting down; ask again in a second");

/** A review whose body has come. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When nobody waits for the answer any more, and when the body was there; by the desk's clock. */
  readonly deadline: number;
  readonly begun: number;
  readonly caller: string;
  readonly share: Share;
  readonly lane: Lane;
  readonly desk: Desk;
}

async function answer(call: Call, bytes: Buffer): Promise<void> {
  const { request, response, lane, desk } = call;
  await desk.batches.turn("read", { bytes: bytes.length, caller: call.caller });
  const reading = readReview(bytes);
  if ("refusal" in reading) return turnAway(request, response, reading.refusal, desk);
  const { review: asked, isDeep } = reading;
  if (desk.thread !== undefined && mayInflate(asked)) return answerOnThread(call, bytes, desk.thread);
  await desk.batches.turn("answer");
  const made = (isDeep ? answerTooDeep(asked) : undefined) ?? traced(call, () => lane.road(asked));
  const answered = made instanceof Promise ? await within(made, call.deadline - desk.clock()) : made;
  if (answered === undefined) return giveUp(call);
  await desk.batches.turn("write");
  const parts = writeAnswer(answered);
  await desk.batches.turn("send");
  finish(call, answered.report);
  if (!response.destroyed) reply(response, 200, parts, farewell(desk.stage()));
}

/** Answers a large review on the thread for such: whatever it costs, this one goes on with all others. */
async function answerOnThread(call: Call, bytes: Buffer, thread: ReviewThread): Promise<void> {
  const { request, response, deadline, caller, share, lane, desk } = call;
  // They go over to the thread.
  const bytesBefore = bytes.length;
  const end = new AbortController();
  const abort = () => end.abort();
  const timer = setTimeout(abort, Math.max(deadline - desk.clock(), 0));
  response.on("close", abort);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const emit = (piece: Uint8Array) => {
    pieces.push(piece);
    length += piece.length;
    return share.grow(piece.length);
  };
  const outcome = await thread.answer({
    path: lane.path,
    body: ownBytes(bytes),
    caller,
    emit,
    signal: end.signal,
  });
  clearTimeout(timer);
  response.off("close", abort);
  if (outcome === undefined) return giveUp(call);
  if (outcome.outcome === "crowded") {
    return turnAway(
      request,
      response,
      desk.memory.isEnoughFor(bytesBefore + length) ? crowded : tooLong,
      desk,
    );
  }
  if (outcome.outcome === "rejected") return turnAway(request, response, outcome.refusal, desk);
  finish(call, outcome.report);
  if (response.destroyed) return;
  await replyInPieces(
    response,
    joined(outcome, pieces),
    { turns: desk.turns, caller },
    farewell(desk.stage()),
  );
}

/** The same review would be rejected however often it is sent. */
const tooLong = tooLarge(
  "the review and its answer take more memory than one caller may have (--body-memory)",
);

/** Bytes in memory of their own, which can go over to another thread. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : Uint8Array.from(bytes);
}

/** All pieces of an answer, in order. */
function joined(
  { head, tail }: Extract<LargeOutcome, { outcome: "answered" }>,
  pieces: readonly Uint8Array[],
): readonly Uint8Array[] {
  return tail === undefined ? [head] : [head, ...pieces, tail];
}

/** Ends work on a review for which nobody waits any more. */
function giveUp({ request, response, desk }: Call): void {
  if (response.destroyed) desk.log.debug(whereOf(request), "the caller left before its answer");
  else turnAway(request, response, tooLate, desk);
}

const tooLate: Refusal = { code: 504, message: "the review was not answered within its timeout" };

function finish({ request, response, begun, desk }: Call, report: Answer["report"]): void {
  const seconds = (desk.clock() - begun) / 1000;
  if (response.destroyed) desk.log.debug(whereOf(request), "the caller left before its answer");
  desk.metrics.countReview(report, seconds);
  const isSlow = seconds * 1000 >= desk.limits.slowMilliseconds;
  tell(desk.log, report, { seconds, isSlow, traceparent: traceparentOf(request) });
}

function traced<Made>({ request, desk }: Call, work: () => Made): Made {
  const traceparent = desk.tracing === undefined ? undefined : traceparentOf(request);
  return desk.tracing === undefined || traceparent === undefined ? work() : desk.tracing(traceparent, work);
}

/** Closing an idle connection of a caller loses the call that is just coming in; telling it does not (kubernetes.md 8c). */
function farewell(stage: Stage): Readonly<Record<string, string>> {
  return stage === "leaving" ? { Connection: "close" } : {};
}

/** What the log is told of a request. A URL may be as long as all headers together. */
function whereOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const { method, url = "" } = request;
  const traceparent = traceparentOf(request);
  return {
    method: method ?? "",
    url: url.slice(0, 200),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
