import { setImmediate as turn } from "node:timers/promises";
import { OutOfTime } from "./ask.ts";

/** Work that yields between its steps, so that who runs it can stop it and let others run. */
export type Work<T> = Generator<undefined, T, undefined>;

/** Milliseconds of work after which others run: signals, timers, answers. */
const slice = 20;

/** How long the checks may run. */
export interface Time {
  /** Milliseconds, from any point in time. */
  readonly clock: () => number;
  /** When to stop, by the clock. */
  readonly until: number;
  readonly interrupt?: AbortSignal | undefined;
}

/** The time of the checks of one kind: who works asks it again and again whether to go on. */
export class Pace {
  readonly #time: Time;
  #until: number;
  #since: number;

  constructor(time: Time) {
    this.#time = time;
    this.#until = time.until;
    this.#since = time.clock();
  }

  /** Milliseconds, from any point in time. */
  now(): number {
    return this.#time.clock();
  }

  /** Milliseconds that are left. */
  left(): number {
    return Math.max(0, this.#until - this.now());
  }

  /** @throws OutOfTime when the time is over or the user has interrupted the checks. */
  check(): void {
    if (this.#time.interrupt?.aborted) throw new OutOfTime("interrupted");
    if (this.now() > this.#until) throw new OutOfTime("the time is over");
  }

  /** Does work in slices, between which others run. @throws OutOfTime */
  async run<T>(work: Work<T>): Promise<T> {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      if (this.#isDue()) await this.rest();
    }
  }

  /** Lets others run if work went on for a slice of time. @throws OutOfTime */
  async rest(): Promise<void> {
    if (!this.#isDue()) return;
    await turn();
    this.#since = this.now();
    this.check();
  }

  #isDue(): boolean {
    return this.now() - this.#since >= slice;
  }

  /**
   * Does one of `count` things that have equal shares of the time that is left. Returns why it ended early, if only its share
   * is over. @throws OutOfTime if there is no time for the others either.
   */
  async share(count: number, act: () => Promise<void>): Promise<OutOfTime | undefined> {
    const end = this.#until;
    this.#until = this.now() + (end - this.now()) / count;
    try {
      await act();
      return undefined;
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      this.#until = end;
      this.check();
      return error;
    } finally {
      this.#until = end;
    }
  }
}

/** The most places whose objects are held at once. */
const mostAtOnce = 200;

/** A list in parts that fit into memory with all that is made of them. */
export function* slices<T>(list: readonly T[]): Generator<readonly T[], void, void> {
  for (let at = 0; at < list.length; at += mostAtOnce) yield list.slice(at, at + mostAtOnce);
}

/** The result of work that is done at once. */
export function finished<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
