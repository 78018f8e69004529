/**
 * Shares the loop between works that are too long to be done at once, and everything else: in each turn of the loop one of
 * these works goes on, for a slice of time. Callers come in turn, however many works each of them has.
 */
export class TimeSlicer {
  readonly #now: () => number;
  /** The waiting works of each caller that has any, in the order in which callers come. */
  readonly #callers = new Map<string, (() => void)[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a slice that ends at a time is over. */
  isOver(end: number): boolean {
    return this.#now() >= end;
  }

  /** Waits for a slice; resolves, when it begins, with the time when it ends. */
  next(caller = ""): Promise<number> {
    return new Promise((resolve) => {
      if (this.#callers.size === 0) setImmediate(this.#begin);
      const waiting = this.#callers.get(caller) ?? [];
      this.#callers.set(caller, waiting);
      waiting.push(() => resolve(this.#now() + slice));
    });
  }

  /** Does a work of a caller that yields often, slice by slice; undefined where it was given up between two of them. */
  async run<Made>(
    work: Generator<undefined, Made>,
    isGivenUp: () => boolean,
    caller: string,
  ): Promise<Made | undefined> {
    for (;;) {
      const end = await this.next(caller);
      if (isGivenUp()) return undefined;
      do {
        const step = work.next();
        if (step.done) return step.value;
      } while (!this.isOver(end));
    }
  }

  readonly #begin = () => {
    const [first] = this.#callers;
    if (first === undefined) return;
    const [caller, waiting] = first;
    const begin = waiting.shift();
    // Behind all others: their works go on before another one of this caller does.
    this.#callers.delete(caller);
    if (waiting.length > 0) this.#callers.set(caller, waiting);
    begin?.();
    if (this.#callers.size > 0) setImmediate(this.#begin);
  };
}

/** Milliseconds. A small review takes a tenth of it, and all of them wait for one slice in each turn of the loop. */
const slice = 2;
