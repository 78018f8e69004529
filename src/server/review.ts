import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Json } from "../json/json.ts";
import { type Answer, writeAnswer } from "../review/answer.ts";
import { mayInflate } from "../review/compressed.ts";
import { answerTooDeep } from "../review/depth.ts";
import { logReview } from "./access-log.ts";
import type { BatchScheduler } from "./batches.ts";
import { readBody, rejectionOfHeaders } from "./body.ts";
import { callerOf } from "./caller.ts";
import { timeoutOf, within } from "./deadline.ts";
import { isLarge, type LargeOutcome } from "./large.ts";
import type { Stage } from "./life.ts";
import type { Limits } from "./limits.ts";
import type { BodyMemory, Share } from "./memory.ts";
import type { Metrics } from "./metrics.ts";
import { readReview } from "./read-json.ts";
import { overloaded, type Rejection, tooLarge, unavailable } from "./rejection.ts";
import { release } from "./release.ts";
import { reply, replyWithRejection } from "./reply.ts";
import { replyInPieces } from "./reply-in-pieces.ts";
import type { ReviewThread } from "./review-thread.ts";
import { type ReviewPath, reviewKindOf } from "./thread-messages.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import { type Trace, type Tracing, traceparentOf } from "./tracing.ts";

/** Answers a review. Throws UnreadableReview if the review has no envelope to answer in. */
export type Handler = (review: Json) => Answer | Promise<Answer>;

/** A path, its handler and its limit. */
export interface Endpoint {
  readonly path: ReviewPath;
  readonly handler: Handler;
  readonly maxBodyBytes: number;
}

/** What all requests of one service share. */
export interface ServerContext {
  readonly limits: Limits;
  readonly memory: BodyMemory;
  readonly metrics: Metrics;
  readonly stage: () => Stage;
  readonly log: Logger;
  /** Milliseconds, from any start. */
  readonly clock: () => number;
  readonly timeSlicer: TimeSlicer;
  readonly batches: BatchScheduler;
  /** Answers large reviews; without it the main thread does. */
  readonly thread?: ReviewThread | undefined;
  readonly tracing?: Tracing | undefined;
}

/** Serves one POST of a review: reads the body, calls the endpoint's handler, and responds. Rejects if the handler throws. */
export async function serveReview(
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: Endpoint,
  context: ServerContext,
): Promise<void> {
  const trace = context.tracing?.begin(request, endpoint.path);
  if (trace !== undefined) response.once("close", () => trace.end(response.statusCode));
  const early = context.stage() === "leaving" ? leaving : rejectionOfHeaders(request, endpoint.maxBodyBytes);
  if (early !== undefined) return reject(request, response, early, context);
  const timeout = timeoutOf(request.url ?? "");
  const deadline = context.clock() + timeout;
  // Held until the response closes: an answer that the client has not fetched yet takes memory too.
  const caller = callerOf(request.socket);
  const share = context.memory.share(caller);
  response.on("close", share.release);
  // Only `100-continue` comes here: Node answers all other expectations with 417. HTTP/1.0 has none.
  if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue();
  // Node calls before it has parsed the body, of which small ones mostly came with the headers: then it is whole after this.
  if (!request.complete) await undefined;
  const body = await readBody(request, {
    maxBytes: endpoint.maxBodyBytes,
    maxUndeclaredBytes: context.limits.undeclaredBytes,
    milliseconds: Math.min(context.limits.bodyMilliseconds, timeout),
    share,
  });
  if (body.outcome === "aborted") {
    return context.log.debug(logFieldsOf(request), "the caller left before its body");
  }
  if (body.outcome === "rejected") return reject(request, response, body.rejection, context);
  context.metrics.countBody(body.bytes.length);
  const begun = context.clock();
  const pending: PendingReview = {
    request,
    response,
    deadline,
    begun,
    caller,
    share,
    endpoint,
    context,
    trace,
  };
  if (context.thread !== undefined && isLarge(body.bytes)) {
    await answerOnThread(pending, body.bytes, context.thread);
  } else await answer(pending, body.bytes);
}

/** Rejects a request; logs and counts that. */
export function reject(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: Rejection,
  { limits, stage, log, metrics }: ServerContext,
): void {
  metrics.countRejected(rejection.code);
  log.info(
    { ...logFieldsOf(request), status: rejection.code, reason: rejection.message },
    "request rejected",
  );
  if (response.destroyed) return;
  const headers = { ...rejection.headers, ...closingHeaders(stage()) };
  replyWithRejection(request, response, { ...rejection, headers }, limits);
}

const leaving = unavailable("this replica is shutting down; ask again in a second");

/** A review whose body was read and that is not answered yet. */
interface PendingReview {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When the caller stops waiting, and when the body had been read; by the context's clock. */
  readonly deadline: number;
  readonly begun: number;
  readonly caller: string;
  readonly share: Share;
  readonly endpoint: Endpoint;
  readonly context: ServerContext;
  readonly trace: Trace | undefined;
}

async function answer(pending: PendingReview, bytes: Buffer): Promise<void> {
  const { request, response, caller, deadline, endpoint, context, trace } = pending;
  await context.batches.turn("read", caller);
  const reading = readReview(bytes);
  if ("rejection" in reading) return reject(request, response, reading.rejection, context);
  const { review, isDeep } = reading;
  if (context.thread !== undefined && mayInflate(review)) {
    return answerOnThread(pending, bytes, context.thread);
  }
  await context.batches.turn("answer", caller);
  const result =
    (isDeep ? answerTooDeep(review, reviewKindOf(endpoint.path)) : undefined) ??
    (trace === undefined ? endpoint.handler(review) : trace.within(() => endpoint.handler(review)));
  const answered = result instanceof Promise ? await within(result, deadline - context.clock()) : result;
  if (answered === undefined) return endUnanswered(pending);
  await context.batches.turn("write");
  const parts = writeAnswer(answered);
  report(pending, answered.report);
  if (!response.destroyed) reply(response, 200, parts, closingHeaders(context.stage()));
}

/** Answers a large review on its own thread, so that the main thread can serve all other requests meanwhile. */
async function answerOnThread(pending: PendingReview, bytes: Buffer, thread: ReviewThread): Promise<void> {
  const { request, response, deadline, caller, share, endpoint, context } = pending;
  // Read here: the bytes are transferred to the thread, which leaves the buffer empty.
  const bodyLength = bytes.length;
  const end = new AbortController();
  const abort = () => end.abort();
  const timer = setTimeout(abort, Math.max(deadline - context.clock(), 0));
  response.on("close", abort);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const emit = (piece: Uint8Array<ArrayBuffer>) => {
    pieces.push(piece);
    length += piece.length;
    return share.grow(piece.length);
  };
  const outcome = await thread.answer({
    path: endpoint.path,
    body: ownBytes(bytes),
    caller,
    emit,
    signal: end.signal,
  });
  clearTimeout(timer);
  response.off("close", abort);
  if (outcome?.outcome !== "answered") for (const piece of pieces) release(piece);
  if (outcome === undefined) return endUnanswered(pending);
  if (outcome.outcome === "overloaded") {
    const mayFitLater = context.memory.isEnoughFor(bodyLength + length);
    return reject(request, response, mayFitLater ? overloaded : neverFits, context);
  }
  if (outcome.outcome === "rejected") return reject(request, response, outcome.rejection, context);
  report(pending, outcome.report);
  if (response.destroyed) {
    for (const piece of pieces) release(piece);
    return;
  }
  await replyInPieces(
    response,
    joined(outcome, pieces),
    { timeSlicer: context.timeSlicer, caller },
    closingHeaders(context.stage()),
  );
}

/** For a review that does not fit even when no other is being answered: the caller must not repeat it. */
const neverFits = tooLarge(
  "the review and its answer take more memory than one caller may have (--body-memory)",
);

/** The bytes in an ArrayBuffer of their own, which can be transferred to another thread. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : Uint8Array.from(bytes);
}

/** All pieces of an answer, in order. */
function joined(
  { head, tail }: Extract<LargeOutcome, { outcome: "answered" }>,
  pieces: readonly Uint8Array<ArrayBuffer>[],
): readonly Uint8Array<ArrayBuffer>[] {
  return tail === undefined ? [head] : [head, ...pieces, tail];
}

/** Ends a review that was not answered before its caller left or its deadline passed. */
function endUnanswered({ request, response, context }: PendingReview): void {
  if (response.destroyed) context.log.debug(logFieldsOf(request), "the caller left before its answer");
  else reject(request, response, tooLate, context);
}

const tooLate: Rejection = { code: 504, message: "the review was not answered within its timeout" };

/** Counts and logs an answered review. */
function report({ request, response, begun, context, trace }: PendingReview, facts: Answer["report"]): void {
  const seconds = (context.clock() - begun) / 1000;
  if (response.destroyed) context.log.debug(logFieldsOf(request), "the caller left before its answer");
  context.metrics.countReview(facts, seconds);
  trace?.describe(facts);
  const isSlow = seconds * 1000 >= context.limits.slowMilliseconds;
  logReview(context.log, facts, { seconds, isSlow, request });
}

/**
 * Asks the caller to close its connection. If this side closed an idle one, a request that is on its way would fail, and API
 * servers do not repeat such a request.
 */
function closingHeaders(stage: Stage): Readonly<Record<string, string>> {
  return stage === "leaving" ? { Connection: "close" } : {};
}

/** What is logged of a request. Its URL is cut short: it may be as long as all headers together. */
function logFieldsOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const { method, url = "" } = request;
  const traceparent = traceparentOf(request);
  return {
    method: method ?? "",
    url: url.slice(0, 200),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
