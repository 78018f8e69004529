import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { ListerFeed } from "../cluster/replica.ts";
import type { Emit, LargeOutcome } from "./large.ts";
import { tooLarge, unavailable } from "./rejection.ts";
import type { FromThread, ReviewPath, ToThread } from "./thread-messages.ts";

/** A large review to be answered. */
export interface LargeJob {
  readonly path: ReviewPath;
  /** It goes over to the thread: afterwards it is empty. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Callers come in turn, however many reviews each of them sends. */
  readonly caller: string;
  readonly emit: Emit;
  /** Aborted when the caller left or its time is over. */
  readonly signal: AbortSignal;
}

/** What a review thread is made with. */
export interface ReviewThreadOptions {
  /** The module that the thread runs, and what it is given. */
  readonly module: URL;
  readonly data: object;
  /** What its kinds ask to be listed. */
  readonly feed: ListerFeed;
  readonly log: Logger;
  /** MiB of JavaScript objects that it may have at one time. */
  readonly heapMebibytes?: number;
  /** How long a step on a review whose caller has left may go on, in milliseconds. */
  readonly patience?: number;
}

/**
 * A thread that answers large reviews: whatever one of them costs, the main thread answers all others meanwhile. It starts
 * with the first of them. One that runs out of memory, or that a kind's function holds up, is ended, and the next review
 * starts another.
 */
export class ReviewThread {
  readonly #options: ReviewThreadOptions;
  readonly #jobs = new Map<number, Pending>();
  /** The job that the thread works on; 0 between two. */
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: ReviewThreadOptions) {
    this.#options = options;
  }

  /** What became of a review; undefined where it was given up. */
  async answer(job: LargeJob): Promise<LargeOutcome | undefined> {
    const worker = this.#worker ?? this.#start();
    const unsynced = job.path === "/convert" ? {} : await this.#options.feed.settled();
    if (job.signal.aborted) return undefined;
    if (this.#worker !== worker) return lost;
    const id = ++this.#lastId;
    const { path, body, caller } = job;
    this.#post(worker, { type: "review", id, path, body, caller, unsynced }, [body.buffer]);
    return new Promise((resolve) => {
      const abort = () => this.#giveUp(id);
      const settle = (outcome: LargeOutcome | undefined) => {
        job.signal.removeEventListener("abort", abort);
        resolve(outcome);
      };
      this.#jobs.set(id, { settle, emit: job.emit });
      job.signal.addEventListener("abort", abort);
    });
  }

  /** Ends the thread; what it has not answered is not answered. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#options.feed.close();
    await worker?.terminate();
    this.#lose(undefined);
  }

  #start(): Worker {
    const { module, data, feed, log, heapMebibytes = defaultHeap } = this.#options;
    const worker = new Worker(module, {
      workerData: { ...data, current: this.#current },
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: 32 },
    });
    this.#worker = worker;
    // Only calls keep a process alive, and this serves calls.
    worker.unref();
    worker.on("message", (message: FromThread) => this.#receive(worker, message));
    worker.on("error", (error: NodeJS.ErrnoException) => {
      log.error({ err: error }, "the thread of large reviews failed");
      this.#ended(worker, error.code);
    });
    worker.on("exit", () => this.#ended(worker, undefined));
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
      if (job.settle !== undefined && !job.emit(message.piece))
        this.#giveUp(message.id, { outcome: "overloaded" });
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

  /** Tells the thread that a review is not wanted any more, and ends the thread if it does not hear that. */
  #giveUp(id: number, outcome?: LargeOutcome): void {
    const [job, worker] = [this.#jobs.get(id), this.#worker];
    if (job?.settle === undefined || worker === undefined) return;
    const { settle } = job;
    job.settle = undefined;
    settle(outcome);
    this.#post(worker, { type: "cancel", id });
    job.timer = setTimeout(() => {
      this.#options.log.error("the thread of large reviews is stuck: it is ended");
      void worker.terminate();
    }, this.#options.patience ?? defaultPatience).unref();
  }

  #ended(worker: Worker, code: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#options.feed.close();
    this.#lose(code === "ERR_WORKER_OUT_OF_MEMORY" ? this.#current[0] : undefined);
  }

  /** No job will be answered; the one that took the memory is not to be sent again. */
  #lose(culprit: number | undefined): void {
    const jobs = [...this.#jobs];
    this.#jobs.clear();
    for (const [id, { settle, timer }] of jobs) {
      clearTimeout(timer);
      settle?.(id === culprit ? tooCostly : lost);
    }
  }
}

/** A review that the thread has; without `settle` it was given up, and the thread has not heard of that yet. */
interface Pending {
  settle: ((outcome: LargeOutcome | undefined) => void) | undefined;
  readonly emit: Emit;
  timer?: NodeJS.Timeout;
}

/** MiB: the costliest object of the limits of `large.ts`, with its images. With the rest of the process it fits into 1 GiB. */
const defaultHeap = 256;

const defaultPatience = 10_000;

const lost: LargeOutcome = {
  outcome: "rejected",
  rejection: unavailable("the thread that answers large reviews ended; ask again in a second"),
};

const tooCostly: LargeOutcome = {
  outcome: "rejected",
  rejection: tooLarge("the review is too much to take in: it needs more memory than a large review may have"),
};
