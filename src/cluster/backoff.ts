/**
 * How long to wait before an API server is asked again, as client-go does it (tools/cache, NewReflector: 800 ms, twice as
 * long each time up to 30 s, up to as much again by chance, from the beginning after two minutes without a wait).
 */
export class Backoff {
  readonly #now: () => Date;
  readonly #random: () => number;
  #next = shortest;
  #last: number | undefined;

  constructor(now: () => Date, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const present = this.#now().getTime();
    if (this.#last !== undefined && present - this.#last > forgotten) this.#next = shortest;
    this.#last = present;
    const milliseconds = this.#next;
    this.#next = Math.min(longest, this.#next * 2);
    return Math.round(milliseconds * (1 + this.#random()));
  }
}

const shortest = 800;
const longest = 30_000;
const forgotten = 2 * 60_000;
