/** The steps of serving a review, in their order. */
export type Step = "route" | "read" | "answer" | "write" | "send";

/** Does a task at another time. Passed in, so that tests can say when that is. */
export type Later = (task: () => void) => void;

/** When steps are taken. */
export interface Times {
  /** When the loop has seen what came in meanwhile. */
  readonly gathered: Later;
  /** When all requests that go on now have gone on. */
  readonly next: Later;
}

const nodeTimes: Times = { gathered: setImmediate, next: queueMicrotask };

/** What a step may cost, and for whom: its body decides what all steps of a review cost. */
export interface Load {
  readonly bytes: number;
  readonly caller: string;
}

interface Waiting extends Load {
  readonly go: () => void;
}

/**
 * Lets the requests that come in together take each step of serving together, one after the other, and not one of them all
 * of its steps: the code and tables of a step are then in the processor's caches for all but the first. On a busy server
 * that takes a third and more off the CPU of a small review (cohort scheduling: Larus, Parkes 2002). A request that is alone
 * waits for nothing.
 *
 * How many take a step in one turn of the loop is bounded by their bodies, and callers come in turn: a flood of costly bodies
 * from one caller neither blocks the loop nor keeps another caller waiting.
 */
export class BatchScheduler {
  readonly #clock: () => number;
  readonly #times: Times;
  // Lists that stay: what comes and goes in a Map is kept by its older tables (see SlotList).
  readonly #waiting: Readonly<Record<Step, Waiting[]>> = {
    route: [],
    read: [],
    answer: [],
    write: [],
    send: [],
  };
  #inside = 0;
  #entered = 0;
  /** While more wait than go on at once: in which batch a caller's request went on last. */
  readonly #served = new Map<string, number>();
  #batches = 0;

  /** With a clock in milliseconds. */
  constructor(clock: () => number, times: Times = nodeTimes) {
    this.#clock = clock;
    this.#times = times;
  }

  /** Counts a request in. Gives back a function that counts it out; idempotent. */
  enter(): () => void {
    this.#inside++;
    this.#entered++;
    let isInside = true;
    return () => {
      if (isInside) this.#inside--;
      isInside = false;
    };
  }

  /** Resolves when it is the request's turn to take a step; undefined where no other request is there to take it with. */
  turn(step: Step, { bytes, caller }: Load = light): Promise<void> | undefined {
    if (this.#inside <= 1) return undefined;
    return new Promise((go) => {
      const waiting = this.#waiting[step];
      waiting.push({ go, bytes, caller });
      // The first one schedules the step; for those who wait behind a full batch that is done already.
      if (waiting.length > 1) return;
      if (step === "read") this.#gather(this.#clock() + patience);
      else if (step === "route") this.#times.gathered(() => this.#go(step));
      else this.#times.next(() => this.#go(step));
    });
  }

  /**
   * Lets those who have their bodies go on when a turn of the loop has brought no other request. A request that came has
   * its body a turn later: what callers of a busy server send comes in one by one while the last of it is being read.
   */
  #gather(until: number): void {
    const entered = this.#entered;
    this.#times.gathered(() => {
      const isMoreToCome = this.#entered > entered && this.#waiting.read.length < most;
      if (isMoreToCome && this.#clock() < until) this.#gather(until);
      else this.#go("read");
    });
  }

  /** What is promised happens when this has ended, one after the other: so none may be too many. */
  #go(step: Step): void {
    const batch = this.#batchOf(this.#waiting[step]);
    if (this.#waiting[step].length > 0) this.#times.gathered(() => this.#go(step));
    for (const { go } of batch) go();
  }

  /** Takes the next batch out of those who wait. */
  #batchOf(waiting: Waiting[]): readonly Waiting[] {
    let sum = 0;
    for (const { bytes } of waiting) sum += bytes;
    if (waiting.length <= most && sum <= mostBytes) {
      if (this.#served.size > 0) this.#served.clear();
      return waiting.splice(0);
    }
    const batch = fairBatch(waiting, this.#served);
    this.#batches++;
    for (const { caller } of batch) this.#served.set(caller, this.#batches);
    const taken = new Set(batch);
    const rest = waiting.filter((each) => !taken.has(each));
    waiting.splice(0, waiting.length, ...rest);
    return batch;
  }
}

/** One request of each caller in turn, the one first who has waited longest, until the batch is full. */
function fairBatch(waiting: readonly Waiting[], served: ReadonlyMap<string, number>): readonly Waiting[] {
  const queues = [...Map.groupBy(waiting, ({ caller }) => caller)]
    .sort(([a], [b]) => (served.get(a) ?? 0) - (served.get(b) ?? 0))
    .map(([, queue]) => queue);
  const batch: Waiting[] = [];
  let left = mostBytes;
  for (let round = 0; queues.some((queue) => queue.length > round); round++) {
    for (const queue of queues) {
      const next = queue[round];
      if (next === undefined) continue;
      if (batch.length > 0 && (batch.length === most || next.bytes > left)) return batch;
      batch.push(next);
      left -= next.bytes;
    }
  }
  return batch;
}

const light: Load = { bytes: 0, caller: "" };

/** Larger batches gain little, and between two of them the loop learns who else has come. */
const most = 16;

/** All bodies of a batch; a larger one goes alone. At up to 0.4 µs a byte, the costliest batch blocks the loop for 25 ms. */
const mostBytes = 64 * 1024;

/**
 * Milliseconds after which a request that has its body is not held back for others any more: each turn of the loop costs a
 * system call, and the slice of a large answer that is being written.
 */
const patience = 1;
