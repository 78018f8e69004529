import type { KubernetesVersion } from "../../model/kubernetes-version.ts";
import { estimateCost } from "../cost/estimate.ts";
import { callCostOf, panicOf } from "../cost/runtime.ts";
import { check, type Environment } from "../language/checker.ts";
import { Frame, Panic, type Run, TooExpensive } from "../language/frame.ts";
import type { Fn } from "../language/function.ts";
import { printIssues } from "../language/issue.ts";
import { parse } from "../language/parser.ts";
import { PlanFault, planOf } from "../language/plan.ts";
import { optionalOf, type Type, typeOf } from "../language/types.ts";
import { CelError, type Value } from "../language/values.ts";
import { Exhausted, type Work } from "../language/work.ts";
import { functionsSince, namedTypes } from "../library/environment.ts";
import { validate } from "../library/validators.ts";
import { type Decl, type Declared, fieldTypeOf, sizeAt } from "./declare.ts";

/** An expression that is ready to run. */
export interface Program {
  /** The type of its value. */
  readonly type: Type;
  readonly usesOldSelf: boolean;
  /** What it may cost at most, as the server estimates it. */
  readonly maxCost: number;
  readonly run: (
    self: Value,
    oldSelf: Value | undefined,
    work: Work,
  ) => { readonly value: Value; readonly cost: number };
}

/** What an expression sees where it stands. */
export interface Scope {
  readonly decl: Decl;
  readonly declared: Declared;
  readonly oldSelf: "plain" | "optional";
  /** The release of the API server. */
  readonly kubernetes: KubernetesVersion;
}

/** An expression that does not compile: the issues that cel-go prints, or why it cannot be planned. */
type ProgramFault = { readonly issues: string } | { readonly fault: string };

/** Compiles an expression as the server does when a CRD is created (apiextensions-apiserver, schema/cel/compilation.go). */
export function compile(source: string, place: Scope): Program | ProgramFault {
  const parsed = parse(source, place.kubernetes);
  if ("issues" in parsed) return { issues: printIssues(source, parsed.issues) };
  const functions = functionsSince(place.kubernetes);
  const checked = check(parsed.expr, environmentOf(place, functions));
  if ("issues" in checked) return { issues: printIssues(source, checked.issues) };
  const issues = validate(checked);
  if (issues.length > 0) return { issues: printIssues(source, issues) };
  const { type } = checked;
  const usesOldSelf = [...checked.names.values()].includes("oldSelf");
  try {
    const { run, slots } = planOf(checked, { functions, kubernetes: place.kubernetes, callCostOf, panicOf });
    const maxCost = estimateCost(checked, (path) => sizeAt(place.decl, path), place.kubernetes);
    return {
      type,
      usesOldSelf,
      maxCost,
      run: (self, oldSelf, work) => {
        const frame = new Frame(self, oldSelf, slots, work);
        return { value: runFrame(run, frame), cost: frame.cost };
      },
    };
  } catch (error) {
    if (error instanceof PlanFault) return { fault: error.message };
    throw error;
  }
}

/** What a rule at a place of the schema can name: itself, its old self, types and functions. */
function environmentOf(
  { declared, oldSelf, kubernetes }: Scope,
  functions: ReadonlyMap<string, Fn>,
): Environment {
  const old = oldSelf === "plain" ? declared.type : optionalOf(declared.type);
  return {
    kubernetes,
    variableType: (name) => {
      if (name === "self") return declared.type;
      if (name === "oldSelf") return old;
      const named = namedTypes.get(name);
      return named === undefined ? undefined : typeOf(named);
    },
    function: (name) => functions.get(name),
    fieldType: (struct, field) => fieldTypeOf(declared, struct, field),
  };
}

function runFrame(run: Run, frame: Frame): Value {
  try {
    return run(frame);
  } catch (error) {
    if (error instanceof Panic) return new CelError(error.message);
    throw error;
  }
}

/** Whether a thrown error means that a rule exceeded a limit: of cost, of work, or of the length of a text. */
export function isBeyondBounds(error: unknown): boolean {
  return error instanceof TooExpensive || error instanceof Exhausted || error instanceof RangeError;
}
