import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { KindsInForce } from "../cluster/kinds-in-force.ts";
import type { ListerFeed } from "../cluster/replica.ts";
import type { Emit, LargeOutcome } from "./large.ts";
import { tooLarge, unavailable } from "./rejection.ts";
import type { FromThread, ReviewPath, ToThread } from "./thread-messages.ts";

/** A large review that is to be answered. */
export interface LargeJob {
  readonly path: ReviewPath;
  /** It is transferred to the thread, and empty afterwards. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Callers take turns, however many reviews each of them sends. */
  readonly caller: string;
  readonly emit: Emit;
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
 * A thread that answers large reviews, so that the main thread can serve all other requests meanwhile. The first large review
 * starts it. A thread that runs out of memory, or that a function of a kind blocks, is ended, and the next review starts
 * another.
 */
export class ReviewThread {
  readonly #options: ReviewThreadOptions;
  readonly #jobs = new Map<number, Pending>();
  /** The id of the job that the thread works on; 0 between two. */
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: ReviewThreadOptions) {
    this.#options = options;
    options.crds?.onChange((seen) => {
      if (this.#worker !== undefined) this.#post(this.#worker, { type: "crds", seen });
    });
  }

  /** Answers a review; undefined if it was cancelled. */
  async answer(job: LargeJob): Promise<LargeOutcome | undefined> {
    const worker = this.#worker ?? this.#start();
    const unsynced = job.path === "/convert" ? {} : await this.#options.feed.settled();
    if (job.signal.aborted) return undefined;
    if (this.#worker !== worker) return lost;
    const id = ++this.#lastId;
    const { path, body, caller } = job;
    this.#post(worker, { type: "review", id, path, body, caller, unsynced }, [body.buffer]);
    return new Promise((resolve) => {
      const abort = () => this.#cancel(id);
      const settle = (outcome: LargeOutcome | undefined) => {
        job.signal.removeEventListener("abort", abort);
        resolve(outcome);
      };
      this.#jobs.set(id, { settle, emit: job.emit });
      job.signal.addEventListener("abort", abort);
    });
  }

  /** Ends the thread; reviews that it has not answered are rejected. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#options.feed.close();
    await worker?.terminate();
    this.#settleAll(undefined);
  }

  #start(): Worker {
    const { module, data, feed, crds, log, heapMebibytes = defaultHeap } = this.#options;
    const worker = new Worker(module, {
      workerData: { ...data, current: this.#current },
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
    if (crds !== undefined) this.#post(worker, { type: "crds", seen: crds.seen() });
    feed.open((changes) => this.#post(worker, { type: "objects", changes }));
    return worker;
  }

  #post(worker: Worker, message: ToThread, transfer: ArrayBuffer[] = []): void {
    worker.postMessage(message, transfer);
  }

  #receive(worker: Worker, message: FromThread): void {
    const job = this.#jobs.get(message.id);
    if (job === undefined || worker !== this.#worker) return;
    if (message.type === "piece") {
      const isOverloaded = job.settle !== undefined && !job.emit(message.piece);
      if (isOverloaded) this.#cancel(message.id, { outcome: "overloaded" });
      return;
    }
    clearTimeout(job.timer);
    this.#jobs.delete(message.id);
    if (message.type === "failed") {
      this.#options.log.error(
        { err: { message: message.message, stack: message.stack } },
        "a request failed",
      );
    }
    job.settle?.(message.outcome);
  }

  /** Cancels a review, and ends the thread if it does not confirm that in time. */
  #cancel(id: number, outcome?: LargeOutcome): void {
    const [job, worker] = [this.#jobs.get(id), this.#worker];
    if (job?.settle === undefined || worker === undefined) return;
    const { settle } = job;
    job.settle = undefined;
    settle(outcome);
    this.#post(worker, { type: "cancel", id });
    job.timer = setTimeout(() => {
      this.#options.log.error("the thread of large reviews is blocked; it is terminated");
      void worker.terminate();
    }, this.#options.patience ?? defaultPatience).unref();
  }

  #onEnd(worker: Worker, code: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#options.feed.close();
    this.#settleAll(code === "ERR_WORKER_OUT_OF_MEMORY" ? this.#current[0] : undefined);
  }

  /** Settles all jobs of a thread that has ended. The one that exhausted its memory must not be sent again. */
  #settleAll(culprit: number | undefined): void {
    const jobs = [...this.#jobs];
    this.#jobs.clear();
    for (const [id, { settle, timer }] of jobs) {
      clearTimeout(timer);
      settle?.(id === culprit ? tooCostly : lost);
    }
  }
}

/** A review on the thread; without `settle` it was cancelled, which the thread has not confirmed yet. */
interface Pending {
  settle: ((outcome: LargeOutcome | undefined) => void) | undefined;
  readonly emit: Emit;
  timer?: NodeJS.Timeout;
}

/** MiB: enough for the costliest object within the limits of `large.ts`. With the rest of the process it fits into 1 GiB. */
const defaultHeap = 256;

const defaultPatience = 10_000;

const lost: LargeOutcome = {
  outcome: "rejected",
  rejection: unavailable("the thread that answers large reviews ended; ask again in a second"),
};

const tooCostly: LargeOutcome = {
  outcome: "rejected",
  rejection: tooLarge("the review exceeds a limit: it needs more memory than a large review may have"),
};
