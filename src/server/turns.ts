/**
 * Shares the loop between works that are too long to be done at once, and everybody else: in each turn of the loop one
 * of these works goes on, for a slice of time.
 */
export class Turns {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a slice that ends at a time is over. */
  isOver(end: number): boolean {
    return this.#now() >= end;
  }

  /** Waits for a slice; resolves, when it begins, with the time when it ends. */
  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#now() + slice));
      if (this.#waiting.length === 1) setImmediate(this.#begin);
    });
  }

  /** Does a work that yields often, slice by slice; undefined where it was given up between two of them. */
  async run<Made>(
    work: Generator<undefined, Made>,
    isGivenUp: () => boolean = () => false,
  ): Promise<Made | undefined> {
    for (;;) {
      const end = await this.next();
      if (isGivenUp()) return undefined;
      do {
        const step = work.next();
        if (step.done) return step.value;
      } while (!this.isOver(end));
    }
  }

  readonly #begin = () => {
    // Whoever waits behind has the loop's next turn: others' input comes between.
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#begin);
  };
}

/** Milliseconds that nobody minds: a small review takes a tenth of it, and everybody waits for one slice a turn. */
const slice = 2;
