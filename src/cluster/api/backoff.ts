/**
 * The delay before the next request to an API server, as in client-go (tools/cache, NewReflector): 800 ms, doubled each time
 * up to 30 s, with a jitter of up to 100 %, and reset after two minutes without a delay.
 */
export class Backoff {
  readonly #now: () => Date;
  readonly #random: () => number;
  #next = initialDelay;
  #last: number | undefined;

  constructor(now: () => Date, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** The next delay in milliseconds. */
  next(): number {
    const present = this.#now().getTime();
    if (this.#last !== undefined && present - this.#last > resetAfter) this.#next = initialDelay;
    this.#last = present;
    const milliseconds = this.#next;
    this.#next = Math.min(maxDelay, this.#next * 2);
    return Math.round(milliseconds * (1 + this.#random()));
  }
}

const initialDelay = 800;
const maxDelay = 30_000;
const resetAfter = 2 * 60_000;
