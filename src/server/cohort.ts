/** The steps of serving a review, in their order. */
export type Step = "route" | "read" | "answer" | "write" | "send";

/** Does a task when the loop has heard all that came in. Passed in, so that tests can say when that is. */
export type Later = (task: () => void) => void;

/**
 * The requests that are being served. Those that come in together take each step together, one after the other, and not
 * one of them all of its steps: the code and tables of a step are then in the processor's caches for all but the first.
 * On a busy server that halves the CPU of a small review ("cohort scheduling": Larus, Parkes 2002). A request that is
 * alone waits for nothing.
 */
export class Cohort {
  readonly #later: Later;
  readonly #waiting = new Map<Step, (() => void)[]>();
  #inside = 0;

  constructor(later: Later = setImmediate) {
    this.#later = later;
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
      const waiting = this.#waiting.get(step);
      if (waiting !== undefined) waiting.push(resolve);
      else {
        this.#waiting.set(step, [resolve]);
        this.#later(() => this.#go(step));
      }
    });
  }

  /** What is promised happens when this has ended, one after the other: so none may be too many. */
  #go(step: Step): void {
    const waiting = this.#waiting.get(step) ?? [];
    const now = waiting.splice(0, most);
    if (waiting.length === 0) this.#waiting.delete(step);
    else this.#later(() => this.#go(step));
    for (const go of now) go();
  }
}

/** Larger cohorts gain little, and between two of them the loop hears who else has come. */
const most = 16;
