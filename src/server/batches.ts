import { nextTick } from "node:process";

/** The steps of serving a review, in order. */
export type Step = "route" | "read" | "answer" | "write";

/** Runs a task later. */
type Later = (task: () => void) => void;

/** When the steps of batches run. Passed in, so that tests can decide. */
interface Times {
  /** After the event loop has polled for what arrived meanwhile. */
  readonly afterPoll: Later;
  /** After all requests that are running now, and the promises that follow from them. */
  readonly afterTasks: Later;
}

const nodeTimes: Times = { afterPoll: setImmediate, afterTasks: nextTick };

interface Waiting {
  readonly go: () => void;
  readonly caller: string;
}

/**
 * Lets the requests that arrive together take each step of serving together, one request after the other, instead of one
 * request taking all of its steps: the code and tables of a step are then in the processor's caches for all but the first
 * (cohort scheduling: Larus, Parkes 2002). Without it the recorded reviews took 1.32 of the CPU time with 8 at once, 1.37
 * with 10, and 0.94 with one, which does not wait.
 *
 * The time that a batch may take in one turn of the event loop is bounded, and callers take turns: a flood of costly bodies
 * from one caller neither blocks the loop nor delays other callers for long.
 *
 * Everything about batches is in this file. The server calls `enter` for each request and awaits `turn` before each step;
 * if `turn` always returned undefined, requests would be served one by one.
 */
export class BatchScheduler {
  readonly #clock: () => number;
  readonly #times: Times;
  readonly #waiting: Readonly<Record<Step, Waiting[]>> = {
    route: [],
    read: [],
    answer: [],
    write: [],
  };
  #inside = 0;
  #entered = 0;
  /** Whether more requests wait than one turn of the loop can serve: only then callers take turns. */
  #isBusy = false;
  /** While it is busy, the serial number of the last step of each caller. */
  readonly #served = new Map<string, number>();
  #steps = 0;

  /** With a clock in milliseconds. */
  constructor(clock: () => number, times: Times = nodeTimes) {
    this.#clock = clock;
    this.#times = times;
  }

  /** Counts a request in. Returns the function that counts it out; idempotent. */
  enter(): () => void {
    this.#inside++;
    this.#entered++;
    let isInside = true;
    return () => {
      if (isInside) this.#inside--;
      isInside = false;
    };
  }

  /** Resolves when a request may take a step; undefined if it is the only request, and may take it at once. */
  turn(step: Step, caller = ""): Promise<void> | undefined {
    if (this.#inside <= 1) return undefined;
    return new Promise((go) => {
      const waiting = this.#waiting[step];
      waiting.push({ go, caller });
      // If others wait already, for instance behind a full batch, the step is scheduled.
      if (waiting.length > 1) return;
      if (step === "read") this.#gather(this.#clock() + patience);
      else if (step === "route") this.#times.afterPoll(() => this.#run(step));
      else this.#times.afterTasks(() => this.#run(step));
    });
  }

  /**
   * Lets requests read their bodies once a turn of the loop has brought no further request: those of a busy caller arrive one
   * by one, each a turn before its body. Without it eight at once come in batches of three, and a small review takes 1.2 of the
   * CPU time where the client has a core of its own.
   */
  #gather(until: number): void {
    const entered = this.#entered;
    this.#times.afterPoll(() => {
      const isMoreToCome = this.#entered > entered && this.#waiting.read.length < maxBatch;
      if (isMoreToCome && this.#clock() < until) this.#gather(until);
      else this.#run("read");
    });
  }

  #run(step: Step): void {
    const waiting = this.#waiting[step];
    this.#isBusy ||= waiting.length > maxBatch;
    const batch = this.#isBusy ? takeFairly(waiting, this.#served) : waiting.splice(0);
    if (waiting.length > 0) this.#times.afterPoll(() => this.#run(step));
    const [first] = batch;
    if (batch.length === 1) first?.go();
    else void this.#runInOrder(step, batch);
  }

  /** Lets the requests of a batch take a step one after the other, until the time of the batch is over. */
  async #runInOrder(step: Step, batch: readonly Waiting[]): Promise<void> {
    const end = this.#clock() + slice;
    for (const [index, { go, caller }] of batch.entries()) {
      go();
      // The request goes on in a microtask of the promise that `go` resolves, which runs before the one awaited here.
      await undefined;
      const isLate = index + 1 < batch.length && this.#clock() >= end;
      if (isLate || this.#isBusy) this.#served.set(caller, ++this.#steps);
      if (isLate) return this.#putBack(step, batch.slice(index + 1));
    }
    if (this.#waiting[step].length > 0 || !this.#isBusy) return;
    this.#isBusy = false;
    this.#served.clear();
  }

  #putBack(step: Step, rest: readonly Waiting[]): void {
    this.#isBusy = true;
    const waiting = this.#waiting[step];
    waiting.unshift(...rest);
    if (waiting.length === rest.length) this.#times.afterPoll(() => this.#run(step));
  }
}

/** Removes a batch from the waiting requests: one of each caller in turn, first of the caller that has waited longest. */
function takeFairly(waiting: Waiting[], served: ReadonlyMap<string, number>): readonly Waiting[] {
  const queues = [...Map.groupBy(waiting, ({ caller }) => caller)]
    .sort(([a], [b]) => (served.get(a) ?? 0) - (served.get(b) ?? 0))
    .map(([, queue]) => queue);
  const batch: Waiting[] = [];
  const size = Math.min(maxBatch, waiting.length);
  for (let round = 0; batch.length < size; round++) {
    for (const queue of queues) {
      const next = queue[round];
      if (next !== undefined && batch.length < size) batch.push(next);
    }
  }
  const taken = new Set(batch);
  const rest = waiting.filter((each) => !taken.has(each));
  waiting.splice(0, waiting.length, ...rest);
  return batch;
}

/** Requests. Larger batches gain little, and between two batches the loop polls for new requests. */
const maxBatch = 16;

/** Milliseconds after which a batch is cut, and goes on in the next turn of the loop. A small review takes well under one. */
const slice = 10;

/** Milliseconds that a request whose body has arrived waits for others at most. */
const patience = 1;
