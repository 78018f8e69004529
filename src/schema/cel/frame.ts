import type { Value } from "./values.ts";

/** A rule that runs: its variables, and what it has cost so far. */
export class Frame {
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  readonly slots: (Value | undefined)[];
  cost = 0;

  constructor(self: Value, oldSelf: Value | undefined, slots: number) {
    this.self = self;
    this.oldSelf = oldSelf;
    this.slots = new Array<Value | undefined>(slots);
  }
}

/** A part of a rule, ready to run. */
export type Run = (frame: Frame) => Value;

// apiserver/pkg/apis/cel/config.go: PerCallLimit
const costLimit = 1_000_000;

/** The rule has cost more than one rule may. */
export class TooExpensive extends Error {}

/** Counts what a step costs. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > costLimit) throw new TooExpensive("operation cancelled: actual cost limit exceeded");
}
