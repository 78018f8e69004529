/** Options of a queue. */
export interface QueueOptions {
  /** How many keys are worked on at once. */
  readonly workers: number;
  /** Called with every failed attempt; `failures` counts those of this key in a row. */
  readonly onError: (key: string, error: unknown, failures: number) => void;
  /** Once it is aborted, the queue starts no more work. */
  readonly signal: AbortSignal;
  /** Starts a timer; by default one that does not keep the process running. */
  readonly delay?: (callback: () => void, milliseconds: number) => void;
  /** A number from 0 to 1; `Math.random` by default. */
  readonly random?: () => number;
}

const firstRetry = 25;
const longestRetry = 500;

/**
 * The queue of a level-triggered controller. It holds keys, not events: a key that is added ten times while it waits is
 * worked on once, and one that is added while a worker has it is worked on again afterwards, never by two workers at once.
 * A failed key is retried, later each time, up to half a second: a home wants to see its light soon. A controller of a
 * large cluster would wait longer.
 *
 * What a user waits for goes first: keys that are looked at again only to be sure wait until no others do, and so do their
 * retries.
 */
export class WorkQueue {
  readonly #waiting = new Set<string>();
  readonly #waitingLonger = new Set<string>();
  readonly #working = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #work: (key: string, failures: number) => Promise<void>;
  readonly #options: QueueOptions;

  constructor(work: (key: string, failures: number) => Promise<void>, options: QueueOptions) {
    this.#work = work;
    this.#options = options;
  }

  add(key: string): void {
    this.#waitingLonger.delete(key);
    this.#waiting.add(key);
    this.#startNext();
  }

  /** Adds a key that may wait until no other key does. */
  addLast(key: string): void {
    if (!this.#waiting.has(key)) this.#waitingLonger.add(key);
    this.#startNext();
  }

  #startNext(): void {
    const { signal, workers } = this.#options;
    if (signal.aborted || this.#working.size >= workers) return;
    for (const keys of [this.#waiting, this.#waitingLonger])
      for (const key of keys) {
        if (this.#working.has(key)) continue;
        keys.delete(key);
        this.#working.add(key);
        void this.#run(key, keys === this.#waitingLonger);
        return;
      }
  }

  async #run(key: string, isLast: boolean): Promise<void> {
    const failures = this.#failures.get(key) ?? 0;
    try {
      await this.#work(key, failures);
      this.#failures.delete(key);
    } catch (error) {
      this.#failures.set(key, failures + 1);
      this.#options.onError(key, error, failures + 1);
      this.#retry(key, failures, isLast);
    } finally {
      this.#working.delete(key);
      this.#startNext();
    }
  }

  #retry(key: string, failures: number, isLast: boolean): void {
    const { delay = startTimer, random = Math.random } = this.#options;
    const longest = Math.min(longestRetry, firstRetry * 2 ** Math.min(failures, 10));
    delay(() => (isLast ? this.addLast(key) : this.add(key)), longest * (0.5 + random() / 2));
  }
}

function startTimer(callback: () => void, milliseconds: number): void {
  setTimeout(callback, milliseconds).unref();
}
