import type { ServerResponse } from "node:http";
import { carrierPrefix } from "../../conversion/carriers.ts";
import { fieldAt, get, isArray, isObject, type Json, own } from "../../json/json.ts";
import type { BodyMemory, Share } from "../body/memory.ts";
import { overloaded } from "../shared/rejection.ts";
import { tooLarge } from "../shared/too-large.ts";
import type { ReviewThread } from "./review-thread.ts";
import type { LargeOutcome, ReviewPath } from "./thread-messages.ts";

/**
 * Whether a review is answered on the thread for large reviews, by its body alone. Its cost depends on how many values it has:
 * 64 KiB of nulls in place of containers have cost a second. The only other reviews that go there are those that `mayInflate`.
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

const comma = 0x2c;

function hasManyCommas(body: Buffer): boolean {
  let left = manyCommas;
  for (let at = body.indexOf(comma); at >= 0 && left > 0; at = body.indexOf(comma, at + 1)) left--;
  return left === 0;
}

/**
 * Whether an object of a review may have a carrier that has to be inflated: a few kilobytes may become three megabytes.
 * May be true for other annotations: texts with escapes like `\u0064`, which the engine rarely writes, are not looked into.
 */
export function mayInflate(review: Json): boolean {
  const request = own(review, "request");
  const objects = own(request, "objects");
  if (isArray(objects)) return objects.some(hasCompressed);
  return hasCompressed(own(request, "object")) || hasCompressed(own(request, "oldObject"));
}

function hasCompressed(object: Json | undefined): boolean {
  const annotations = get(object, "metadata", "annotations");
  if (!isObject(annotations)) return false;
  for (const key in annotations) {
    const value = fieldAt(annotations, key);
    if (!key.startsWith(carrierPrefix) || typeof value !== "string") continue;
    if (value.includes('"deflated"') || value.includes("\\u")) return true;
  }
  return false;
}

/** A large review that a caller waits for. */
interface LargeReview {
  readonly path: ReviewPath;
  readonly body: Buffer;
  readonly caller: string;
  readonly response: ServerResponse;
  /** Holds the body, and then the answer as well. */
  readonly share: Share;
  /** Until the caller stops waiting. */
  readonly milliseconds: number;
}

/**
 * Has a large review answered on its thread, so that the main thread can serve all other requests meanwhile. Undefined if its
 * caller left before, or its time was over.
 */
export async function answerLarge(
  { path, body, caller, response, share, milliseconds }: LargeReview,
  thread: ReviewThread,
  memory: BodyMemory,
): Promise<LargeOutcome | undefined> {
  const end = new AbortController();
  const abort = () => end.abort();
  const timer = setTimeout(abort, Math.max(milliseconds, 0));
  response.on("close", abort);
  const outcome = await thread.answer({ path, body, caller, signal: end.signal });
  clearTimeout(timer);
  response.off("close", abort);
  if (outcome?.outcome !== "answered" || share.grow(outcome.text.length)) return outcome;
  const mayFitLater = memory.isEnoughFor(body.length + outcome.text.length);
  return { outcome: "rejected", rejection: mayFitLater ? overloaded : tooLarge.memory };
}
