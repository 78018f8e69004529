import type { Expr } from "./ast.ts";
import type { Value } from "./values.ts";
import type { Work } from "./work.ts";

/** A rule that runs: its variables, what it has cost, and what work it has done. */
export class Frame {
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  readonly slots: (Value | undefined)[];
  readonly work: Work;
  cost = 0;

  constructor(self: Value, oldSelf: Value | undefined, slots: number, work: Work) {
    this.self = self;
    this.oldSelf = oldSelf;
    this.slots = new Array<Value | undefined>(slots);
    this.work = work;
  }
}

/** A part of a rule, ready to run. */
export type Run = (frame: Frame) => Value;

/** A part of an expression, planned. */
export interface Plan {
  readonly run: Run;
  /** Its value, where it is always the same: such a part costs nothing. */
  readonly constant?: Value;
  /** A name with what is selected from it, without the unit that reading it costs: more may be selected yet. */
  readonly attribute?: { readonly run: Run; readonly base: 0 | 1 };
}

/** Plans the parts of one expression. */
export interface Planner {
  readonly plan: (expr: Expr) => Plan;
  /** A part planned while a variable is in scope. */
  readonly within: (name: string, read: Run, plan: () => Plan) => Plan;
  /** A place of its own in the frame for a variable. */
  readonly newSlot: () => number;
}

// apiserver/pkg/apis/cel/config.go: PerCallLimit
const costLimit = 1_000_000;

// cel-go common/cost.go: ListCreateBaseCost, MapCreateBaseCost
export const listBase = 10;
export const mapBase = 30;

/** The rule has cost more than one rule may. */
export class TooExpensive extends Error {}

/** Go code of the server panics, which ends a rule whatever the rest of it would give. */
export class Panic extends Error {}

/** Counts what a step costs. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > costLimit) throw new TooExpensive("operation cancelled: actual cost limit exceeded");
}
