import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Json } from "../json/json.ts";
import { type Answer, writeAnswer } from "../review/answer.ts";
import { answerTooDeep } from "../review/depth.ts";
import type { Stage } from "../time.ts";
import { logReview } from "./access-log.ts";
import type { BatchScheduler } from "./batches.ts";
import { readBody, rejectionOfHeaders } from "./body/body.ts";
import type { BodyMemory, Share } from "./body/memory.ts";
import { parseScanned, scanBody } from "./body/read-json.ts";
import { callerOf } from "./connections/caller.ts";
import { timeoutOf, within } from "./deadline.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import { answerLarge, hasManyValues, largeBody, mayInflate } from "./large/large.ts";
import type { ReviewThread } from "./large/review-thread.ts";
import { type ReviewPath, reviewKindOf } from "./large/thread-messages.ts";
import type { Limits } from "./shared/limits.ts";
import type { Metrics } from "./shared/metrics.ts";
import { type Rejection, unavailable } from "./shared/rejection.ts";
import { reply, replyAtLength, replyWithBytes, replyWithRejection } from "./shared/reply.ts";
import { type Trace, type Tracing, traceparentOf } from "./tracing.ts";

/** Answers a review. Throws UnreadableReview if the review has no envelope to answer in. */
export type Handler = (review: Json, call: Call) => Answer | Promise<Answer>;

/** Who asks, and for how many milliseconds the caller still waits. */
export interface Call {
  readonly caller: string;
  readonly milliseconds: number;
}

/** A path and its handler. */
export interface Endpoint {
  readonly path: ReviewPath;
  readonly handler: Handler;
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
  readonly batches: BatchScheduler;
  /** Answers large reviews; without it the main thread does. */
  readonly thread?: ReviewThread | undefined;
  readonly tracing?: Tracing | undefined;
  /** Answers to conversions that were asked before. */
  readonly kept?: KeptAnswers | undefined;
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
  const early =
    context.stage() === "leaving" ? leaving : rejectionOfHeaders(request, context.limits.bodyBytes);
  if (early !== undefined) return reject(request, response, early, context);
  const timeout = timeoutOf(request.url ?? "");
  const deadline = context.clock() + timeout;
  // Held until the response closes: an answer that the client has not fetched yet takes memory too.
  const caller = callerOf(request.socket);
  const share = context.memory.share(caller);
  response.on("close", share.release);
  // Only `100-continue` comes here: Node answers all other expectations with 417. HTTP/1.0 has none.
  if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue();
  const body = await readBody(request, {
    maxBytes: context.limits.bodyBytes,
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
  if (context.thread !== undefined && body.bytes.length >= largeBody) {
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
  const key = endpoint.path === "/convert" ? context.kept?.keyOf(bytes) : undefined;
  const kept = key === undefined ? undefined : context.kept?.find(key);
  if (kept !== undefined) {
    report(pending, kept.report);
    if (!response.destroyed) replyWithBytes(response, kept.text, closingHeaders(context.stage()));
    return;
  }
  const scanned = scanBody(bytes);
  if ("rejection" in scanned) return reject(request, response, scanned.rejection, context);
  const { thread } = context;
  if (thread !== undefined && hasManyValues(scanned)) return answerOnThread(pending, bytes, thread);
  const reading = parseScanned(scanned);
  if ("rejection" in reading) return reject(request, response, reading.rejection, context);
  const { review, isDeep } = reading;
  if (thread !== undefined && mayInflate(review)) return answerOnThread(pending, bytes, thread);
  await context.batches.turn("answer", caller);
  const handle = () => endpoint.handler(review, { caller, milliseconds: deadline - context.clock() });
  const result =
    (isDeep ? answerTooDeep(review, reviewKindOf(endpoint.path)) : undefined) ??
    (trace === undefined ? handle() : trace.within(handle));
  const answered = result instanceof Promise ? await within(result, deadline - context.clock()) : result;
  if (answered === undefined) return endUnanswered(pending);
  await context.batches.turn("write");
  const parts = writeAnswer(answered);
  report(pending, answered.report);
  if (key !== undefined && answered.report.review === "conversion" && answered.report.outcome === "success")
    context.kept?.keep(key, parts.join(""), answered.report);
  if (response.destroyed) return;
  const [code, headers] = [answered.sent?.status ?? 200, closingHeaders(context.stage())];
  // What waits for another service is answered here at any length.
  if (parts.some(({ length }) => length >= largeBody))
    replyAtLength(response, Buffer.from(parts.join("")), headers, code);
  else reply(response, code, parts, headers);
}

async function answerOnThread(pending: PendingReview, body: Buffer, thread: ReviewThread): Promise<void> {
  const { request, response, deadline, caller, share, endpoint, context } = pending;
  const { path } = endpoint;
  const milliseconds = deadline - context.clock();
  const review = { path, body, caller, response, share, milliseconds };
  const answered = await answerLarge(review, thread, context.memory);
  if (answered === undefined) return endUnanswered(pending);
  if (answered.outcome === "rejected") return reject(request, response, answered.rejection, context);
  report(pending, answered.report);
  if (!response.destroyed) replyAtLength(response, answered.text, closingHeaders(context.stage()));
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
