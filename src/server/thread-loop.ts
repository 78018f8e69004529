import type { MessagePort } from "node:worker_threads";
import type { KindsInForce } from "../cluster/kinds-in-force.ts";
import type { ListerReplicas } from "../cluster/replica.ts";
import { answerLarge, type LargeEndpoint, type LargeOutcome } from "./large.ts";
import { rejectionOfError } from "./rejection.ts";
import { release } from "./release.ts";
import type { FromThread, ReviewPath, ToThread } from "./thread-messages.ts";
import { TimeSlicer } from "./time-slicer.ts";

/** What the thread for large reviews needs to answer them. */
export interface ThreadOptions {
  readonly port: MessagePort;
  readonly endpoints: Readonly<Record<ReviewPath, LargeEndpoint>>;
  readonly replicas: ListerReplicas;
  readonly kinds: Pick<KindsInForce, "take">;
  /** Where the id of the review in progress is written. */
  readonly current: Int32Array;
}

/** Answers the reviews that the main thread sends. Callers take turns, time slice by time slice. */
export function answerOnThread({ port, endpoints, replicas, kinds, current }: ThreadOptions): void {
  const timeSlicer = new TimeSlicer(() => performance.now());
  const cancelled = new Set<number>();
  const post = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const answer = async ({ id, path, body, caller, unsynced }: Review) => {
    replicas.setUnsynced(unsynced);
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const task = answerLarge(bytes, endpoints[path], (piece) => {
      post({ type: "piece", id, piece }, [piece.buffer]);
      return true;
    });
    try {
      const outcome = await timeSlicer.run(withId(task, id, current), () => cancelled.has(id), caller);
      release(body);
      post({ type: "end", id, outcome });
    } catch (error) {
      release(body);
      post(failureOf(id, error));
    }
    cancelled.delete(id);
  };
  port.on("message", (message: ToThread) => {
    if (message.type === "review") void answer(message);
    else if (message.type === "cancel") cancelled.add(message.id);
    else if (message.type === "objects") replicas.take(message.changes);
    else kinds.take(message.seen);
  });
}

type Review = Extract<ToThread, { type: "review" }>;

/** A task that writes its id to `current` while one of its steps runs. */
function* withId<Result>(task: Generator<undefined, Result>, id: number, current: Int32Array) {
  for (;;) {
    Atomics.store(current, 0, id);
    const step = task.next();
    Atomics.store(current, 0, 0);
    if (step.done) return step.value;
    yield undefined;
  }
}

function failureOf(id: number, error: unknown): FromThread {
  const rejection = rejectionOfError(error);
  const outcome: LargeOutcome = { outcome: "rejected", rejection };
  if (rejection.code !== 500) return { type: "end", id, outcome };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { type: "failed", id, outcome, message, stack };
}
