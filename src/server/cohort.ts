/** The steps of serving a review, in their order. */
export type Step = "route" | "read" | "answer" | "write" | "send";

/** Does a task at another time. Passed in, so that tests can say when that is. */
export type Later = (task: () => void) => void;

/** When steps are taken. */
export interface Times {
  /** When the loop has heard what came in meanwhile. */
  readonly gathered: Later;
  /** When all who go now have gone. */
  readonly next: Later;
}

const nodeTimes: Times = { gathered: setImmediate, next: queueMicrotask };

/**
 * The requests that are being served. Those that come in together take each step together, one after the other, and not
 * one of them all of its steps: the code and tables of a step are then in the processor's caches for all but the first.
 * On a busy server that takes a third and more off the CPU of a small review ("cohort scheduling": Larus, Parkes 2002). A request
 * that is alone waits for nothing.
 */
export class Cohort {
  readonly #clock: () => number;
  readonly #times: Times;
  // Lists that stay: what comes and goes in a Map is kept by its older tables (see Roll).
  readonly #waiting: Readonly<Record<Step, (() => void)[]>> = {
    route: [],
    read: [],
    answer: [],
    write: [],
    send: [],
  };
  #inside = 0;
  #entered = 0;

  /** With a clock in milliseconds, from whenever. */
  constructor(clock: () => number, times: Times = nodeTimes) {
    this.#clock = clock;
    this.#times = times;
  }

  /** A request comes in. Gives back the way to leave; a second time there is nobody to leave. */
  enter(): () => void {
    this.#inside++;
    this.#entered++;
    let isInside = true;
    return () => {
      if (isInside) this.#inside--;
      isInside = false;
    };
  }

  /** Resolves when it is the request's turn to take a step; undefined where nobody else is there to take it with. */
  turn(step: Step): Promise<void> | undefined {
    if (this.#inside <= 1) return undefined;
    return new Promise((resolve) => {
      const waiting = this.#waiting[step];
      waiting.push(resolve);
      // Whoever is first says when; for those who wait behind `most` others that is said already.
      if (waiting.length > 1) return;
      if (step === "read") this.#gather(this.#clock() + patience);
      else if (step === "route") this.#times.gathered(() => this.#go(step));
      else this.#times.next(() => this.#go(step));
    });
  }

  /**
   * Lets those who have their bodies go when a turn of the loop has brought nobody new. Where it has, he will have his
   * body a turn later: what callers of a busy server send comes in one by one while the last of it is being taken in.
   */
  #gather(until: number): void {
    const entered = this.#entered;
    this.#times.gathered(() => {
      const isAnyoneToCome = this.#entered > entered && this.#waiting.read.length < most;
      if (isAnyoneToCome && this.#clock() < until) this.#gather(until);
      else this.#go("read");
    });
  }

  /** What is promised happens when this has ended, one after the other: so none may be too many. */
  #go(step: Step): void {
    const waiting = this.#waiting[step];
    const now = waiting.splice(0, most);
    if (waiting.length > 0) this.#times.gathered(() => this.#go(step));
    for (const go of now) go();
  }
}

/** Larger cohorts gain little, and between two of them the loop hears who else has come. */
const most = 16;

/**
 * Milliseconds after which nobody is held back for newcomers any more. Who has read its body together with others waits no
 * more: each turn of the loop costs a system call, and the slice of a large review that is being answered.
 */
const patience = 1;
