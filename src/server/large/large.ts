import type { ServerResponse } from "node:http";
import { carrierPrefix } from "../../conversion/carriers.ts";
import { fieldAt, get, isArray, isObject, type Json, own } from "../../json/json.ts";
import type { BodyMemory, Share } from "../body/memory.ts";
import { overloaded } from "../shared/rejection.ts";
import { tooLarge } from "../shared/too-large.ts";
import type { ReviewThread } from "./review-thread.ts";
import type { LargeOutcome, ReviewPath } from "./thread-messages.ts";

/** Bytes from which on a review is answered on the thread for large reviews before anything of it is read. */
export const largeBody = 64 * 1024;

/**
 * Whether a shorter body is answered there too, before it is parsed: what it costs depends on how many values it has, and 64 KiB
 * of nulls in place of containers have cost a second. Of less than 8 KiB all values together take some 2 ms.
 */
export function hasManyValues({
  bytes,
  commas,
}: {
  readonly bytes: Buffer;
  readonly commas: number;
}): boolean {
  return commas >= manyCommas && bytes.length >= smallBody;
}

/** So many values take up to some 50 ms. */
const manyCommas = 2_000;

const smallBody = 8 * 1024;

/**
 * Whether a review has a carrier that has to be inflated: a few kilobytes that may become three megabytes. May be true for other
 * annotations: texts with escapes like `\u0064`, which the engine rarely writes, are not looked into.
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
