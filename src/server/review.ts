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
import { refuse, reply } from "./reply.ts";
import { replyInPieces } from "./reply-in-pieces.ts";
import type { ReviewThread } from "./review-thread.ts";
import type { ReviewPath } from "./thread-messages.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import { type Tracing, traceparentOf } from "./tracing.ts";

/** From a review to its answer. Throws UnreadableReview for one that has no envelope to answer in. */
export type Handler = (review: Json) => Answer | Promise<Answer>;

/** A handler, and what may come along it. */
export interface Endpoint {
  readonly path: ReviewPath;
  readonly handler: Handler;
  /** Bytes of the largest body. */
  readonly limit: number;
}

/** What every review is served with. */
export interface ServerContext {
  readonly limits: Limits;
  readonly memory: BodyMemory;
  readonly metrics: Metrics;
  readonly stage: () => Stage;
  readonly log: Logger;
  /** Milliseconds, from whenever. */
  readonly clock: () => number;
  readonly turns: TimeSlicer;
  readonly batches: BatchScheduler;
  /** Answers large reviews; without it the main thread does. */
  readonly thread?: ReviewThread | undefined;
  readonly tracing?: Tracing | undefined;
}

/** Serves one request for a review: reads it, sends it down its handler, and answers. Rejects where the handler throws. */
export async function serveReview(
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: Endpoint,
  context: ServerContext,
): Promise<void> {
  const early = context.stage() === "leaving" ? leaving : rejectionOfHeaders(request, endpoint.limit);
  if (early !== undefined) return reject(request, response, early, context);
  const timeout = timeoutOf(request.url ?? "");
  const deadline = context.clock() + timeout;
  // An answer that nobody has fetched yet counts too.
  const caller = callerOf(request.socket);
  const share = context.memory.share(caller);
  response.on("close", share.release);
  // Node has answered every other expectation with 417 already; HTTP/1.0 has none.
  if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue();
  const body = await readBody(request, {
    limit: endpoint.limit,
    undeclaredLimit: context.limits.undeclaredBytes,
    milliseconds: Math.min(context.limits.bodyMilliseconds, timeout),
    share,
  });
  if (body.outcome === "aborted")
    return context.log.debug(whereOf(request), "the caller left before its body");
  if (body.outcome === "rejected") return reject(request, response, body.rejection, context);
  context.metrics.countBody(body.bytes.length);
  const call: Call = {
    request,
    response,
    deadline,
    begun: context.clock(),
    caller,
    share,
    endpoint,
    context,
  };
  if (context.thread !== undefined && isLarge(body.bytes)) {
    await answerOnThread(call, body.bytes, context.thread);
  } else await answer(call, body.bytes);
}

/** Refuses a request, and says so in the log. */
export function reject(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: Rejection,
  { limits, stage, log, metrics }: ServerContext,
): void {
  metrics.countRejected(rejection.code);
  log.info({ ...whereOf(request), status: rejection.code, reason: rejection.message }, "request refused");
  if (response.destroyed) return;
  const headers = { ...rejection.headers, ...closingHeaders(stage()) };
  refuse(request, response, { ...rejection, headers }, limits);
}

const leaving = unavailable("this replica is shutting down; ask again in a second");

/** A review whose body has come. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When nobody waits for the answer any more, and when the body was there; by the context's clock. */
  readonly deadline: number;
  readonly begun: number;
  readonly caller: string;
  readonly share: Share;
  readonly endpoint: Endpoint;
  readonly context: ServerContext;
}

async function answer(call: Call, bytes: Buffer): Promise<void> {
  const { request, response, endpoint, context } = call;
  await context.batches.turn("read", call.caller);
  const reading = readReview(bytes);
  if ("rejection" in reading) return reject(request, response, reading.rejection, context);
  const { review: asked, isDeep } = reading;
  if (context.thread !== undefined && mayInflate(asked)) return answerOnThread(call, bytes, context.thread);
  await context.batches.turn("answer", call.caller);
  const made = (isDeep ? answerTooDeep(asked) : undefined) ?? traced(call, () => endpoint.handler(asked));
  const answered = made instanceof Promise ? await within(made, call.deadline - context.clock()) : made;
  if (answered === undefined) return giveUp(call);
  await context.batches.turn("write");
  const parts = writeAnswer(answered);
  await context.batches.turn("send");
  finish(call, answered.report);
  if (!response.destroyed) reply(response, 200, parts, closingHeaders(context.stage()));
}

/** Answers a large review on the thread for such: whatever it costs, this one goes on with all others. */
async function answerOnThread(call: Call, bytes: Buffer, thread: ReviewThread): Promise<void> {
  const { request, response, deadline, caller, share, endpoint, context } = call;
  // They go over to the thread.
  const bytesBefore = bytes.length;
  const end = new AbortController();
  const abort = () => end.abort();
  const timer = setTimeout(abort, Math.max(deadline - context.clock(), 0));
  response.on("close", abort);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const emit = (piece: Uint8Array) => {
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
  if (outcome === undefined) return giveUp(call);
  if (outcome.outcome === "overloaded") {
    return reject(
      request,
      response,
      context.memory.isEnoughFor(bytesBefore + length) ? overloaded : tooLong,
      context,
    );
  }
  if (outcome.outcome === "rejected") return reject(request, response, outcome.rejection, context);
  finish(call, outcome.report);
  if (response.destroyed) return;
  await replyInPieces(
    response,
    joined(outcome, pieces),
    { turns: context.turns, caller },
    closingHeaders(context.stage()),
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
function giveUp({ request, response, context }: Call): void {
  if (response.destroyed) context.log.debug(whereOf(request), "the caller left before its answer");
  else reject(request, response, tooLate, context);
}

const tooLate: Rejection = { code: 504, message: "the review was not answered within its timeout" };

function finish({ request, response, begun, context }: Call, report: Answer["report"]): void {
  const seconds = (context.clock() - begun) / 1000;
  if (response.destroyed) context.log.debug(whereOf(request), "the caller left before its answer");
  context.metrics.countReview(report, seconds);
  const isSlow = seconds * 1000 >= context.limits.slowMilliseconds;
  logReview(context.log, report, { seconds, isSlow, traceparent: traceparentOf(request) });
}

function traced<Made>({ request, context }: Call, work: () => Made): Made {
  const traceparent = context.tracing === undefined ? undefined : traceparentOf(request);
  return context.tracing === undefined || traceparent === undefined
    ? work()
    : context.tracing(traceparent, work);
}

/** Closing an idle connection of a caller loses the call that is just coming in; telling it does not (kubernetes.md 8c). */
function closingHeaders(stage: Stage): Readonly<Record<string, string>> {
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
