/** Work that few may do at once: callers take turns, however much work each of them has. */
export class Turns {
  readonly #most: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  #working = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Does work when it is the caller's turn. */
  async take<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#working >= this.#most) {
      await new Promise<void>((go) => {
        this.#waiting.set(caller, [...(this.#waiting.get(caller) ?? []), go]);
      });
    } else this.#working++;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Hands the place on to the caller that waits for its turn longest. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#working--;
      return;
    }
    const [caller, [go, ...others]] = first;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    go?.();
  }
}
