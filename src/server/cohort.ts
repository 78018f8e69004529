/** The steps of serving a review, in their order. */
export type Step = "route" | "read" | "answer" | "write" | "send";

/** Does a task at another time. Passed in, so that tests can say when that is. */
export type Later = (task: () => void) => void;

/** When steps are taken. */
export interface Times {
  /** When the loop has heard all that came in. */
  readonly gathered: Later;
  /** When all who go now have gone. */
  readonly next: Later;
}

const nodeTimes: Times = { gathered: setImmediate, next: queueMicrotask };

/**
 * The requests that are being served. Those that come in together take each step together, one after the other, and not
 * one of them all of its steps: the code and tables of a step are then in the processor's caches for all but the first.
 * On a busy server that takes a third off the CPU of a small review ("cohort scheduling": Larus, Parkes 2002). A request
 * that is alone waits for nothing.
 */
export class Cohort {
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

  constructor(times: Times = nodeTimes) {
    this.#times = times;
  }

  /** A request comes in. Gives back the way to leave; a second time there is nobody to leave. */
  enter(): () => void {
    this.#inside++;
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
      const when = isGathering.has(step) ? this.#times.gathered : this.#times.next;
      when(() => this.#go(step));
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

// Requests come in one by one, and so do their bodies. Who has read its body together with others has nothing more to wait
// for: each turn of the loop would cost a system call, and the slice of a large review that is being answered.
const isGathering: ReadonlySet<Step> = new Set(["route", "read"]);

/** Larger cohorts gain little, and between two of them the loop hears who else has come. */
const most = 16;
