import { writeFileSync } from "node:fs";
import { type Attack, attack, diceOf, readBases } from "./fuzz.ts";
import { describe, outcomeOf } from "./fuzz-outcome.ts";
import type { FuzzedService } from "./fuzz-process.ts";
import type { Progress } from "./fuzz-state.ts";
import { type RawAttack, rawAttack, sendRaw } from "./fuzz-tls.ts";
import { send, type Target } from "./fuzz-wire.ts";

/** An attack over HTTP or below it. */
export type Thrown = { readonly http: Attack } | { readonly raw: RawAttack };

const atOnce = 16;
// One in so many is sent below HTTP.
const rawShare = 8;

/** The attacks of a run, several of them at once. */
export class Run {
  readonly #service: FuzzedService;
  readonly #begin: Progress;
  readonly #begun = performance.now();
  readonly #hello: Buffer;
  readonly #bases = readBases();
  readonly #outcomes: Map<string, number>;
  readonly #failed: number[];
  readonly #running = new Set<number>();
  #next: number;
  #isEnded = false;

  constructor(service: FuzzedService, progress: Progress, hello: Buffer) {
    this.#service = service;
    this.#begin = progress;
    this.#hello = hello;
    this.#next = progress.next;
    this.#outcomes = new Map(Object.entries(progress.outcomes));
    this.#failed = [...progress.failed];
  }

  async until(requests: number, end: number, target: Target): Promise<void> {
    const caller = async () => {
      while (this.#isGoingOn(requests, end)) {
        const number = this.#next++;
        this.#running.add(number);
        await this.#one(number, target);
        this.#running.delete(number);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
  }

  /** Begins no further attack. */
  end(): void {
    this.#isEnded = true;
  }

  #isGoingOn(requests: number, end: number): boolean {
    const isInTime = this.#next < requests && performance.now() < end;
    return isInTime && !this.#isEnded && this.#service.isAlive();
  }

  /** Attacks in progress do not count: a resumed run makes them again. */
  progress(): Progress {
    const seconds = this.#begin.seconds + (performance.now() - this.#begun) / 1000;
    const next = Math.min(this.#next, ...this.#running);
    const outcomes = Object.fromEntries([...this.#outcomes].sort(([a], [b]) => (a < b ? -1 : 1)));
    return { seed: this.#begin.seed, next, seconds, outcomes, failed: this.#failed };
  }

  async #one(number: number, target: Target): Promise<void> {
    const thrown = this.#drawn(number);
    const outcome = await outcomeFor(thrown, target);
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    if (outcome.startsWith("!")) this.#failed.push(number);
    // A few of those that are good and odd are enough.
    else if (!outcome.startsWith("?") || (this.#outcomes.get(outcome) ?? 0) > 3) return;
    const file = `fuzz-odd-${this.#begin.seed}-${number}.json`;
    writeFileSync(file, JSON.stringify(thrown));
    const sent = "http" in thrown ? describe(thrown.http).slice(0, 500) : thrown.raw.what;
    console.error(`attack ${number}: ${outcome}; --replay ${file} sends it alone\n${sent}`);
  }

  /** Each attack has dice of its own, so that a run can resume at any of them. */
  #drawn(number: number): Thrown {
    const dice = diceOf(this.#begin.seed + Math.imul(number, 0x9e3779b1));
    if (dice.roll(rawShare) === 0) return { raw: rawAttack(this.#hello, dice) };
    return { http: attack(this.#bases, dice) };
  }
}

/** Sends an attack. Gives its outcome, which begins with `!` if it is a fault and with `?` if it is worth a look. */
export async function outcomeFor(thrown: Thrown, target: Target): Promise<string> {
  if ("raw" in thrown) return sendRaw(thrown.raw, target);
  return outcomeOf(thrown.http, await send(thrown.http, target));
}
