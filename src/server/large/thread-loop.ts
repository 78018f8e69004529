import type { MessagePort } from "node:worker_threads";
import type { KindsInForce } from "../../cluster/follow/kinds-in-force.ts";
import type { ListerReplicas } from "../../cluster/follow/replica.ts";
import type { Json } from "../../json/json.ts";
import { type Answer, writeAnswer } from "../../review/answer.ts";
import { answerTooDeep } from "../../review/depth.ts";
import { readReview } from "../body/read-json.ts";
import { rejectionOfError } from "../shared/rejection.ts";
import { type FromThread, type ReviewPath, reviewKindOf, type ToThread } from "./thread-messages.ts";

/** What the thread for large reviews needs to answer them. */
interface ThreadOptions {
  readonly port: MessagePort;
  readonly handlers: Readonly<Record<ReviewPath, (review: Json) => Answer>>;
  readonly replicas: ListerReplicas;
  readonly kinds: Pick<KindsInForce, "take">;
}

/** Answers the reviews that the main thread sends. */
export function answerOnThread({ port, handlers, replicas, kinds }: ThreadOptions): void {
  port.on("message", (message: ToThread) => {
    if (message.type === "objects") return replicas.take(message.changes);
    if (message.type === "crds") return kinds.take(message.seen);
    const { path, body, unsynced } = message;
    replicas.setUnsynced(unsynced);
    const answer = answerTo(path, Buffer.from(body.buffer), handlers[path]);
    const { outcome } = answer;
    port.postMessage(answer, outcome.outcome === "answered" ? [outcome.text.buffer] : []);
  });
}

function answerTo(path: ReviewPath, body: Buffer, handler: (review: Json) => Answer): FromThread {
  try {
    const reading = readReview(body);
    if ("rejection" in reading) return { outcome: { outcome: "rejected", rejection: reading.rejection } };
    const { review, isDeep } = reading;
    const answer = (isDeep ? answerTooDeep(review, reviewKindOf(path)) : undefined) ?? handler(review);
    // Not in Node's buffer pool: an ArrayBuffer that is transferred to another thread must not be shared.
    const text = new TextEncoder().encode(writeAnswer(answer).join(""));
    return { outcome: { outcome: "answered", text, report: answer.report } };
  } catch (error) {
    const rejection = rejectionOfError(error);
    const outcome = { outcome: "rejected" as const, rejection };
    if (rejection.code !== 500) return { outcome };
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { outcome, error: { message, stack } };
  }
}
