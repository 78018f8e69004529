import type { Logger } from "pino";
import type { DeploymentEvent } from "../src/cluster/api/events.ts";
import { type LeaseHolder, leaseInterval } from "../src/cluster/api/lease.ts";
import { messageOf } from "../src/errors.ts";
import { pause } from "../src/time.ts";
import type { RotationSettings } from "./rotation.ts";
import { eventOf, eventOfFailure } from "./rotation-events.ts";
import type { Rotator, Round } from "./rotator.ts";

/** What the loop works with. */
interface RotationLoopOptions {
  readonly rotator: Rotator;
  readonly lease: LeaseHolder;
  readonly settings: RotationSettings;
  readonly log: Logger;
  /** Records an event; the rotation does not wait for it. */
  readonly record: (event: DeploymentEvent) => Promise<void>;
  /** Milliseconds, from a clock that never jumps. */
  readonly clock: () => number;
}

/** Competes for the Lease, and while it holds it takes the steps of the rotation. */
export class RotationLoop {
  readonly #options: RotationLoopOptions;
  readonly #stopping = new AbortController();
  readonly #budget: StepBudget;
  #awake = Promise.withResolvers<void>();
  #logged = "";
  #recorded: Promise<void> = Promise.resolve();
  #running: Promise<unknown> | undefined;

  constructor(options: RotationLoopOptions) {
    this.#options = options;
    this.#budget = new StepBudget(options.clock);
  }

  /** Starts; failures are logged and repeated until `stop`. */
  start(): void {
    this.#running ??= Promise.all([this.#compete(), this.#rotate()]);
  }

  /** Has the next step decided at once. */
  wake(): void {
    this.#awake.resolve();
  }

  /** Stops after the step in progress, and gives the Lease up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
    await this.#recorded;
    await this.#attempt(() => this.#options.lease.release());
  }

  async #compete(): Promise<void> {
    const { signal } = this.#stopping;
    const { lease, log } = this.#options;
    while (!signal.aborted) {
      const before = lease.isHeld();
      await this.#attempt(() => lease.attempt());
      if (lease.isHeld() !== before) {
        log.info({ held: !before }, "the Lease of the certificate rotation changed hands");
        this.wake();
      }
      await pause(leaseInterval, signal);
    }
  }

  async #rotate(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#awake = Promise.withResolvers();
      const round = this.#options.lease.isHeld()
        ? await this.#attempt(() => this.#options.rotator.advance())
        : undefined;
      if (round !== undefined) this.#report(round);
      const isOver = round === undefined || round.step === "wait" || round.notes.length > 0;
      if (!isOver && this.#budget.spend()) continue;
      // Not at once: what wakes us may be a client that undoes every write of ours.
      await pause(shortest, signal);
      const rest = new AbortController();
      await Promise.race([
        this.#awake.promise,
        pause(this.#interval(round), AbortSignal.any([signal, rest.signal])),
      ]);
      rest.abort();
    }
  }

  /** Events wake the loop: time alone moves it where it waits, and where a certificate becomes due. */
  #interval(round: Round | undefined): number {
    const { leafLife, propagationDelay } = this.#options.settings;
    const isStable = round?.step === "wait" && round.phase === "stable" && round.notes.length === 1;
    return isStable ? clamp(leafLife / 20, 250, 30_000) : clamp(propagationDelay / 4, 100, 2_000);
  }

  #report(round: Round): void {
    const { step, phase, notes } = round;
    const line = JSON.stringify([step, phase, notes]);
    if (line === this.#logged) return;
    this.#logged = line;
    const { log } = this.#options;
    this.#record(eventOf(round));
    if (step === "wait") log.debug({ phase, notes }, "the certificate rotation waits");
    else log.info({ phase, step, notes }, "the certificate rotation took a step");
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== this.#logged) {
        this.#options.log.warn({ reason }, "the certificate rotation failed; it is repeated");
        this.#record(eventOfFailure(reason));
      }
      this.#logged = reason;
      return undefined;
    }
  }

  /** In order, and never at the cost of the rotation. */
  #record(event: DeploymentEvent | undefined): void {
    if (event === undefined) return;
    const { record, log } = this.#options;
    this.#recorded = this.#recorded
      .then(() => record(event))
      .catch((error: unknown) => log.debug({ err: error, event }, "an event could not be recorded"));
  }
}

/** Steps one after another, up to a number that a rotation never needs; then one in each `refill`. */
class StepBudget {
  readonly #clock: () => number;
  #left = most;
  #at: number;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#at = clock();
  }

  spend(): boolean {
    const now = this.#clock();
    this.#left = Math.min(most, this.#left + (now - this.#at) / refill);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

const most = 30;
const refill = 1_000;

/** Milliseconds. */
const shortest = 50;

function clamp(value: number, least: number, greatest: number): number {
  return Math.max(least, Math.min(greatest, value));
}
