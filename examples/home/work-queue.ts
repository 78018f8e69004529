/** Whether the work on a key is done, or something has to happen first that will add the key again. */
export type Progress = "done" | "pending";

/** The circumstances of work on a key. */
export interface Attempt {
  /** How many attempts failed in a row before this one. */
  readonly failures: number;
  /** Whether a user waits for it. */
  readonly isUrgent: boolean;
}

type Work = (key: string, attempt: Attempt) => Promise<Progress>;

/** Options of a queue. */
interface QueueOptions {
  /** How many keys are worked on at once. */
  readonly workers: number;
  /** How many of the workers may be busy with keys that no user waits for. */
  readonly ordinaryWorkers: number;
  /** Called with every failed attempt; `failures` counts those of this key in a row. */
  readonly onError: (key: string, error: unknown, failures: number) => void;
  /** Once it is aborted, the queue starts no more work. */
  readonly signal: AbortSignal;
  /** Starts a timer, and returns what stops it; by default one that does not keep the process running. */
  readonly delay?: (callback: () => void, milliseconds: number) => () => void;
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
 * What a user waits for goes first. An urgent key is worked on before all others, and stays urgent until it is done: through
 * retries, and whatever else adds it. The others may be thousands, when every device has forgotten its state.
 */
export class WorkQueue {
  readonly #urgent = new Set<string>();
  readonly #waitingUrgent = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #failures = new Map<string, number>();
  /** What stops the timer of a retry. */
  readonly #retries = new Map<string, () => void>();
  readonly #work: Work;
  readonly #options: QueueOptions;

  constructor(work: Work, options: QueueOptions) {
    this.#work = work;
    this.#options = options;
  }

  add(key: string): void {
    (this.#urgent.has(key) ? this.#waitingUrgent : this.#waiting).add(key);
    this.#start();
  }

  /** Adds a key that a user waits for. */
  addUrgent(key: string): void {
    this.hurry(key);
    this.add(key);
  }

  /** Makes a key urgent, whether it waits now or is added later. */
  hurry(key: string): void {
    this.#urgent.add(key);
    if (this.#waiting.delete(key)) this.#waitingUrgent.add(key);
  }

  #start(): void {
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      this.#working.add(key);
      void this.#run(key);
    }
  }

  #next(): string | undefined {
    const { workers, ordinaryWorkers, signal } = this.#options;
    if (signal.aborted || this.#working.size >= workers) return undefined;
    const key = this.#take(this.#waitingUrgent);
    if (key !== undefined) return key;
    const ordinary = [...this.#working].filter((each) => !this.#urgent.has(each));
    return ordinary.length < ordinaryWorkers ? this.#take(this.#waiting) : undefined;
  }

  /** Removes the first key that no worker has. */
  #take(keys: Set<string>): string | undefined {
    for (const key of keys)
      if (!this.#working.has(key)) {
        keys.delete(key);
        return key;
      }
    return undefined;
  }

  async #run(key: string): Promise<void> {
    this.#retries.get(key)?.();
    this.#retries.delete(key);
    const failures = this.#failures.get(key) ?? 0;
    try {
      const progress = await this.#work(key, { failures, isUrgent: this.#urgent.has(key) });
      this.#failures.delete(key);
      if (progress === "done" && !this.#waitingUrgent.has(key)) this.#urgent.delete(key);
    } catch (error) {
      this.#failures.set(key, failures + 1);
      this.#options.onError(key, error, failures + 1);
      this.#retry(key, failures);
    } finally {
      this.#working.delete(key);
      this.#start();
    }
  }

  #retry(key: string, failures: number): void {
    const { delay = startTimer, random = Math.random } = this.#options;
    const longest = Math.min(longestRetry, firstRetry * 2 ** Math.min(failures, 10));
    this.#retries.set(
      key,
      delay(() => this.add(key), longest * (0.5 + random() / 2)),
    );
  }
}

function startTimer(callback: () => void, milliseconds: number): () => void {
  const timer = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timer);
}
