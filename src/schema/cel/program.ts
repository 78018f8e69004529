import { check } from "./checker.ts";
import type { Decl, Declared } from "./declare.ts";
import { environmentOf } from "./environment.ts";
import { estimateCost } from "./estimate.ts";
import { Frame, TooExpensive } from "./frame.ts";
import { printIssues } from "./issue.ts";
import { parse } from "./parser.ts";
import { PlanFault, planOf } from "./plan.ts";
import type { Type } from "./types.ts";
import { validate } from "./validators.ts";
import type { Value } from "./values.ts";
import { Exhausted } from "./work.ts";

/** An expression that is ready to run. */
export interface Program {
  /** Of what it gives. */
  readonly type: Type;
  readonly usesOldSelf: boolean;
  /** What it may cost at most, as the server estimates it. */
  readonly maxCost: number;
  readonly run: (self: Value, oldSelf: Value | undefined) => { readonly value: Value; readonly cost: number };
}

/** Where an expression stands: what it sees there. */
export interface Place {
  readonly decl: Decl;
  readonly declared: Declared;
  readonly oldSelf: "plain" | "optional";
}

/** An expression that does not compile: the issues that cel-go prints, or why it cannot be planned. */
export type ProgramFault = { readonly issues: string } | { readonly fault: string };

/** Compiles an expression as the server does when a CRD is created (apiextensions-apiserver, schema/cel/compilation.go). */
export function compile(source: string, place: Place): Program | ProgramFault {
  const parsed = parse(source);
  if ("issues" in parsed) return { issues: printIssues(source, parsed.issues) };
  const checked = check(parsed.expr, environmentOf(place.declared, place.oldSelf));
  if ("issues" in checked) return { issues: printIssues(source, checked.issues) };
  const issues = validate(checked);
  if (issues.length > 0) return { issues: printIssues(source, issues) };
  const type = checked.types.get(checked.expr) as Type;
  const usesOldSelf = [...checked.names.values()].includes("oldSelf");
  try {
    const { run, slots } = planOf(checked);
    const maxCost = estimateCost(checked, place.decl);
    return {
      type,
      usesOldSelf,
      maxCost,
      run: (self, oldSelf) => runPlan(run, new Frame(self, oldSelf, slots)),
    };
  } catch (error) {
    if (error instanceof PlanFault) return { fault: error.message };
    throw error;
  }
}

function runPlan(
  run: (frame: Frame) => Value,
  frame: Frame,
): { readonly value: Value; readonly cost: number } {
  const value = run(frame);
  return { value, cost: frame.cost };
}

/** Whether an error that was thrown says that a rule went beyond its bounds: of cost, of work, of the length of a text. */
export function isBeyondBounds(error: unknown): boolean {
  return error instanceof TooExpensive || error instanceof Exhausted || error instanceof RangeError;
}
