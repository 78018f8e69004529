import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { KindsInForce } from "../../cluster/follow/kinds-in-force.ts";
import type { ListerFeed } from "../../cluster/follow/replica.ts";
import { unavailable } from "../shared/rejection.ts";
import { tooLarge } from "../shared/too-large.ts";
import type { FromThread, LargeOutcome, ReviewPath, ToThread } from "./thread-messages.ts";

/** A large review that is to be answered. */
export interface LargeJob {
  readonly path: ReviewPath;
  readonly body: Buffer;
  /** Callers take turns, however many reviews each of them sends. */
  readonly caller: string;
  /** Aborted when the caller has left or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** How a review thread is made. */
export interface ReviewThreadOptions {
  /** The module that the thread runs, and its worker data. */
  readonly module: URL;
  readonly data: object;
  /** The listed objects that its kinds need. */
  readonly feed: ListerFeed;
  /** The CRDs that its kinds follow; without them they have their own schemas. */
  readonly crds?: Pick<KindsInForce, "seen" | "onChange">;
  readonly log: Logger;
  /** MiB of its heap. */
  readonly heapMebibytes?: number;
  /** Milliseconds that the work on a cancelled review may go on before the thread is ended. */
  readonly patience?: number;
}

/**
 * A thread that answers large reviews, one at a time, so that the main thread can serve all other requests meanwhile. The first
 * large review starts it. A thread that runs out of memory, or that a function of a kind blocks, is ended: that review is
 * rejected, and another thread answers the next.
 */
export class ReviewThread {
  readonly #options: ReviewThreadOptions;
  /** The waiting reviews of each caller that has any. The first caller is the next. */
  readonly #waiting = new Map<string, Pending[]>();
  /** The review that the thread works on. */
  #current: Pending | undefined;
  #worker: Worker | undefined;

  constructor(options: ReviewThreadOptions) {
    this.#options = options;
    options.crds?.onChange((seen) => {
      if (this.#worker !== undefined) post(this.#worker, { type: "crds", seen });
    });
  }

  /** Answers a review; undefined if it was cancelled. */
  answer(job: LargeJob): Promise<LargeOutcome | undefined> {
    return new Promise((settle) => {
      if (job.signal.aborted) return settle(undefined);
      const pending: Pending = { job, settle };
      job.signal.addEventListener("abort", () => this.#cancel(pending), { once: true });
      this.#waiting.set(job.caller, [...(this.#waiting.get(job.caller) ?? []), pending]);
      this.#next();
    });
  }

  /** Ends the thread; reviews that it has not answered are cancelled. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#options.feed.close();
    await worker?.terminate();
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { settle } of waiting) settle(undefined);
    this.#finish(undefined);
  }

  /** Sends the next review, unless there is none or the thread is at work. */
  #next(): void {
    const [first] = this.#waiting;
    if (this.#current !== undefined || first === undefined) return;
    const [caller, [pending, ...others]] = first;
    // Puts the caller behind all others.
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    this.#current = pending;
    if (pending !== undefined) void this.#send(pending);
  }

  async #send(pending: Pending): Promise<void> {
    const worker = this.#worker ?? this.#start();
    const { path, body } = pending.job;
    const unsynced = path === "/convert" ? {} : await this.#options.feed.settled();
    if (this.#current !== pending) return;
    if (pending.job.signal.aborted) return this.#finish(undefined);
    // In an ArrayBuffer of its own, which can be transferred.
    const own = new Uint8Array(body);
    post(worker, { type: "review", path, body: own, unsynced }, [own.buffer]);
  }

  #start(): Worker {
    const { module, data, feed, crds, log, heapMebibytes = defaultHeap } = this.#options;
    const worker = new Worker(module, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: 32 },
    });
    this.#worker = worker;
    // The thread alone does not keep the process alive.
    worker.unref();
    worker.on("message", (message: FromThread) => this.#receive(worker, message));
    worker.on("error", (error: NodeJS.ErrnoException) => {
      log.error({ err: error }, "the thread of large reviews failed");
      this.#onEnd(worker, error.code);
    });
    worker.on("exit", () => this.#onEnd(worker, undefined));
    // Before any review.
    if (crds !== undefined) post(worker, { type: "crds", seen: crds.seen() });
    feed.open((changes) => post(worker, { type: "objects", changes }));
    return worker;
  }

  #receive(worker: Worker, { outcome, error }: FromThread): void {
    if (worker !== this.#worker) return;
    if (error !== undefined) this.#options.log.error({ err: error }, "a request failed");
    this.#finish(outcome);
  }

  #onEnd(worker: Worker, code: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#options.feed.close();
    const outOfMemory = code === "ERR_WORKER_OUT_OF_MEMORY";
    this.#finish({ outcome: "rejected", rejection: outOfMemory ? tooLarge.heap : lost });
  }

  /** Settles the current review, and goes on with the next. */
  #finish(outcome: LargeOutcome | undefined): void {
    clearTimeout(this.#current?.timer);
    this.#current?.settle(outcome);
    this.#current = undefined;
    this.#next();
  }

  /** Cancels a review. If the thread works on it and does not finish soon, the thread is ended. */
  #cancel(pending: Pending): void {
    pending.settle(undefined);
    if (pending !== this.#current) {
      this.#forget(pending);
      return;
    }
    const worker = this.#worker;
    pending.timer = setTimeout(() => {
      this.#options.log.error("the thread of large reviews is blocked; it is terminated");
      void worker?.terminate();
    }, this.#options.patience ?? defaultPatience).unref();
  }

  #forget(pending: Pending): void {
    const { caller } = pending.job;
    const others = (this.#waiting.get(caller) ?? []).filter((each) => each !== pending);
    if (others.length > 0) this.#waiting.set(caller, others);
    else this.#waiting.delete(caller);
  }
}

/** A review that waits for the thread, or that the thread works on. */
interface Pending {
  readonly job: LargeJob;
  /** Only the first call has an effect. */
  readonly settle: (outcome: LargeOutcome | undefined) => void;
  timer?: NodeJS.Timeout;
}

function post(worker: Worker, message: ToThread, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer);
}

/** MiB: enough for the costliest review within the limits. With the rest of the process it fits into 1 GiB. */
const defaultHeap = 256;

const defaultPatience = 10_000;

const lost = unavailable("the thread that answers large reviews ended; ask again in a second");
