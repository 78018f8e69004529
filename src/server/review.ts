import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { writeJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";
import type { Answer } from "../review/answer.ts";
import { readBody, refusalOfHeaders } from "./body.ts";
import type { Stage } from "./life.ts";
import type { Limits } from "./limits.ts";
import type { BodyMemory } from "./memory.ts";
import type { Metrics } from "./metrics.ts";
import { readReview } from "./reading.ts";
import { type Refusal, unavailable } from "./refusal.ts";
import { refuse, reply } from "./reply.ts";
import { tell } from "./tell.ts";

/** From a review to its answer. Throws UnreadableReview for one that has no envelope to answer in. */
export type Road = (review: Json) => Answer | Promise<Answer>;

/** What every review is served with. */
export interface Desk {
  readonly limits: Limits;
  readonly memory: BodyMemory;
  readonly metrics: Metrics;
  readonly stage: () => Stage;
  readonly log: Logger;
}

/** Serves one request for a review: reads it, sends it down its road, and answers. Rejects where the road throws. */
export async function serveReview(
  request: IncomingMessage,
  response: ServerResponse,
  road: Road,
  limit: number,
  desk: Desk,
): Promise<void> {
  const early = desk.stage() === "leaving" ? leaving : refusalOfHeaders(request, limit);
  if (early !== undefined) return turnAway(request, response, early, desk);
  // An answer that nobody has fetched yet counts too.
  const share = desk.memory.share();
  response.once("close", share.release);
  // Node has answered every other expectation with 417 already; HTTP/1.0 has none.
  if (request.headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue();
  const body = await readBody(request, { limit, milliseconds: desk.limits.bodyMilliseconds, share });
  if (body.outcome === "aborted") return desk.log.debug(whereOf(request), "the caller left before its body");
  if (body.outcome === "refused") return turnAway(request, response, body.refusal, desk);
  desk.metrics.countBody(body.bytes.length);
  await answer(request, response, body.bytes, road, desk);
}

/** Refuses a request, and says so in the log. */
export function turnAway(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  { limits, stage, log }: Desk,
): void {
  log.info({ ...whereOf(request), status: refusal.code, reason: refusal.message }, "request refused");
  if (response.destroyed) return;
  const headers = { ...refusal.headers, ...farewell(stage()) };
  refuse(request, response, { ...refusal, headers }, limits);
}

const leaving = unavailable("this replica is shutting down; ask again in a second");

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  road: Road,
  desk: Desk,
): Promise<void> {
  const start = performance.now();
  const reading = readReview(bytes);
  if ("refusal" in reading) return turnAway(request, response, reading.refusal, desk);
  const { review, report } = await road(reading.review);
  const text = writeJson(review);
  const seconds = (performance.now() - start) / 1000;
  if (response.destroyed) desk.log.debug(whereOf(request), "the caller left before its answer");
  else reply(response, 200, text, farewell(desk.stage()));
  desk.metrics.countReview(report, seconds);
  tell(desk.log, report, seconds);
}

/** Closing an idle connection of a caller loses the call that is just coming in; telling it does not (kubernetes.md 8c). */
function farewell(stage: Stage): Readonly<Record<string, string>> {
  return stage === "leaving" ? { Connection: "close" } : {};
}

/** What the log is told of a request. A URL may be as long as all headers together. */
function whereOf({ method, url = "" }: IncomingMessage): { method: string; url: string } {
  return { method: method ?? "", url: url.slice(0, 200) };
}
