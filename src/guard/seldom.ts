/** Says the same thing at most once in a while. Things that clients can make up are forgotten, oldest first. */
export class Seldom {
  readonly #milliseconds: number;
  readonly #clock: () => number;
  readonly #said = new Map<string, number>();

  constructor(milliseconds: number, clock: () => number) {
    this.#milliseconds = milliseconds;
    this.#clock = clock;
  }

  /** Whether it is to be said now. */
  isDue(what: string): boolean {
    const now = this.#clock();
    const last = this.#said.get(what);
    if (last !== undefined && now - last < this.#milliseconds) return false;
    this.#said.delete(what);
    this.#said.set(what, now);
    const [oldest] = this.#said.keys();
    if (this.#said.size > mostRemembered && oldest !== undefined) this.#said.delete(oldest);
    return true;
  }
}

const mostRemembered = 1_000;
