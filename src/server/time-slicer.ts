/**
 * Shares the event loop between tasks that are too long to be done at once and everything else: each turn of the loop runs
 * one task for one time slice. Callers take turns, however many tasks each of them has.
 */
export class TimeSlicer {
  readonly #now: () => number;
  /** The waiting tasks of each caller that has any. The first caller gets the next slice. */
  readonly #callers = new Map<string, (() => void)[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a slice with this end is over. */
  isOver(end: number): boolean {
    return this.#now() >= end;
  }

  /** Waits for a slice; resolves at its beginning, with the time of its end. */
  next(caller = ""): Promise<number> {
    return new Promise((resolve) => {
      if (this.#callers.size === 0) setImmediate(this.#begin);
      const waiting = this.#callers.get(caller) ?? [];
      this.#callers.set(caller, waiting);
      waiting.push(() => resolve(this.#now() + slice));
    });
  }

  /** Runs a caller's task, which yields often, slice by slice; undefined if it was cancelled between two slices. */
  async run<Result>(
    task: Generator<undefined, Result>,
    isCancelled: () => boolean,
    caller: string,
  ): Promise<Result | undefined> {
    for (;;) {
      const end = await this.next(caller);
      if (isCancelled()) return undefined;
      do {
        const step = task.next();
        if (step.done) return step.value;
      } while (!this.isOver(end));
    }
  }

  readonly #begin = () => {
    const [first] = this.#callers;
    if (first === undefined) return;
    const [caller, waiting] = first;
    const begin = waiting.shift();
    // Puts the caller behind all others.
    this.#callers.delete(caller);
    if (waiting.length > 0) this.#callers.set(caller, waiting);
    begin?.();
    if (this.#callers.size > 0) setImmediate(this.#begin);
  };
}

/** Milliseconds. All small reviews wait for one slice in each turn of the loop; a small review takes a tenth of one. */
const slice = 2;
