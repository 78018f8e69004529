import { nextTick } from "node:process";

/** The steps of serving a review, in their order. */
export type Step = "route" | "read" | "answer" | "write" | "send";

/** Does a task at another time. Passed in, so that tests can say when that is. */
export type Later = (task: () => void) => void;

/** When steps are taken. */
export interface Times {
  /** When the loop has seen what came in meanwhile. */
  readonly gathered: Later;
  /** When all requests that go on now have gone on, and all promises have settled that follow from it. */
  readonly next: Later;
}

const nodeTimes: Times = { gathered: setImmediate, next: nextTick };

interface Waiting {
  readonly go: () => void;
  readonly caller: string;
}

/**
 * Lets the requests that come in together take each step of serving together, one after the other, and not one of them all
 * of its steps: the code and tables of a step are then in the processor's caches for all but the first. On a busy server
 * that takes a third and more off the CPU of a small review (cohort scheduling: Larus, Parkes 2002). A request that is alone
 * waits for nothing.
 *
 * For how long they may in one turn of the loop is bounded, and callers come in turn: a flood of costly bodies from one caller
 * neither blocks the loop nor keeps another caller waiting.
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
  /** Whether more wait than can go on in one turn of the loop: callers then come in turn. */
  #isBusy = false;
  /** While it is busy: when a caller's request went on last, as a number that rises. */
  readonly #served = new Map<string, number>();
  #went = 0;

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
  turn(step: Step, caller = ""): Promise<void> | undefined {
    if (this.#inside <= 1) return undefined;
    return new Promise((go) => {
      const waiting = this.#waiting[step];
      waiting.push({ go, caller });
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

  #go(step: Step): void {
    const waiting = this.#waiting[step];
    this.#isBusy ||= waiting.length > most;
    const batch = this.#isBusy ? takeFairly(waiting, this.#served) : waiting.splice(0);
    if (waiting.length > 0) this.#times.gathered(() => this.#go(step));
    const [first] = batch;
    if (batch.length === 1) first?.go();
    else void this.#goInOrder(step, batch);
  }

  /** Lets a batch go on, one after the other, until its time is over. */
  async #goInOrder(step: Step, batch: readonly Waiting[]): Promise<void> {
    const end = this.#clock() + slice;
    for (const [at, { go, caller }] of batch.entries()) {
      go();
      // What follows the promise that this settles happens before what follows the one that is awaited here.
      await undefined;
      const isLate = at + 1 < batch.length && this.#clock() >= end;
      if (isLate || this.#isBusy) this.#served.set(caller, ++this.#went);
      if (isLate) return this.#putBack(step, batch.slice(at + 1));
    }
    if (this.#waiting[step].length > 0 || !this.#isBusy) return;
    this.#isBusy = false;
    this.#served.clear();
  }

  #putBack(step: Step, rest: readonly Waiting[]): void {
    this.#isBusy = true;
    const waiting = this.#waiting[step];
    waiting.unshift(...rest);
    if (waiting.length === rest.length) this.#times.gathered(() => this.#go(step));
  }
}

/** Takes out of those who wait one request of each caller in turn, first of the one who has waited longest, until a batch is full. */
function takeFairly(waiting: Waiting[], served: ReadonlyMap<string, number>): readonly Waiting[] {
  const queues = [...Map.groupBy(waiting, ({ caller }) => caller)]
    .sort(([a], [b]) => (served.get(a) ?? 0) - (served.get(b) ?? 0))
    .map(([, queue]) => queue);
  const batch: Waiting[] = [];
  const size = Math.min(most, waiting.length);
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

/** Larger batches gain little, and between two of them the loop learns who else has come. */
const most = 16;

/** Milliseconds that a batch may take in one turn of the loop, and what is under way then: reviews in a batch take microseconds. */
const slice = 10;

/**
 * Milliseconds after which a request that has its body is not held back for others any more: each turn of the loop costs a
 * system call, and the slice of a large answer that is being written.
 */
const patience = 1;
