import { GoFault } from "../../../go/fault.ts";
import { compileRegexp } from "../../../go/regexp.ts";
import type { KubernetesVersion } from "../../model/kubernetes-version.ts";
import type { Call, Expr, ListExpr, MapExpr, Select } from "./ast.ts";
import type { Checked, Resolved } from "./checker.ts";
import { Entries, Items } from "./collections.ts";
import { equals } from "./compare.ts";
import { type Apply, applyOf } from "./dispatch.ts";
import { planFold } from "./fold.ts";
import { charge, type Frame, listBase, mapBase, Panic, type Plan, type Planner, type Run } from "./frame.ts";
import type { Fn } from "./function.ts";
import { printValue } from "./print.ts";
import { atIndex, atKey, hasField } from "./qualify.ts";
import { CelError, errorOr, isError, isList, Optional, TypeValue, type Value } from "./values.ts";
import { Work } from "./work.ts";

/** The functions by their names, and what a call costs once its values are known. */
interface Library {
  readonly functions: ReadonlyMap<string, Fn>;
  /** The release of the API server. */
  readonly kubernetes: KubernetesVersion;
  readonly callCostOf: (fn: string, id: string) => CallCost;
  /** Tells whether the server panics over the cost of a call with these arguments, and with which message. */
  readonly panicOf: (id: string) => ((args: readonly Value[]) => string | undefined) | undefined;
}

export type CallCost = (args: readonly Value[], result: Value, work: Work) => number;

/** An expression that cannot be planned, though its types are right: `int("x")`. */
export class PlanFault extends Error {}

/** Makes an expression ready to run (cel-go interpreter/planner.go). */
export function planOf(
  checked: Checked,
  library: Library,
): { readonly run: (frame: Frame) => Value; readonly slots: number } {
  const planner = new ExpressionPlanner(checked, library);
  const { run } = planner.plan(checked.expr);
  return { run, slots: planner.slots };
}

interface Scope {
  readonly name: string;
  readonly read: Run;
  readonly outer: Scope | undefined;
}

class ExpressionPlanner implements Planner {
  slots = 0;
  readonly #checked: Checked;
  readonly #library: Library;
  #scope: Scope | undefined;

  constructor(checked: Checked, library: Library) {
    this.#checked = checked;
    this.#library = library;
  }

  newSlot(): number {
    return this.slots++;
  }

  within(name: string, read: Run, plan: () => Plan): Plan {
    const outer = this.#scope;
    this.#scope = { name, read, outer };
    const planned = plan();
    this.#scope = outer;
    return planned;
  }

  plan(expr: Expr): Plan {
    const name = this.#checked.names.get(expr);
    if (name !== undefined && expr.kind !== "struct") return this.#name(name);
    switch (expr.kind) {
      case "literal":
        return constant(expr.value);
      case "ident":
        return this.#name(expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        throw new PlanFault(`unknown type: ${expr.name}`);
      case "fold":
        return planFold(expr, this);
    }
  }

  #name(written: string): Plan {
    // A name with a dot is that of a variable of the rule, which one of a macro hides.
    const name = written.startsWith(".") ? written.slice(1) : written;
    for (let scope = this.#scope; scope !== undefined; scope = scope.outer) {
      if (scope.name === written) return attribute(scope.read, 1);
    }
    if (name === "self") return attribute((frame) => frame.self, 1);
    if (name !== "oldSelf") return constant(new TypeValue(name));
    return attribute((frame) => frame.oldSelf ?? new CelError("no such attribute(s): oldSelf"), 1);
  }

  #select(expr: Select): Plan {
    const operand = this.plan(expr.operand);
    const read = operand.attribute?.run ?? operand.run;
    const { field } = expr;
    if (expr.test) return { run: qualified(read, (value) => hasField(value, field)) };
    return attribute(
      qualified(read, (value, work) => atKey(value, field, "plain", work)),
      operand.attribute?.base ?? 1,
    );
  }

  #call(expr: Call): Plan {
    const resolved = this.#checked.calls.get(expr);
    const args = resolved?.member && expr.target !== undefined ? [expr.target, ...expr.args] : expr.args;
    const plans = args.map((arg) => this.plan(arg));
    switch (expr.fn) {
      case "_&&_":
        return {
          run: logical(
            plans.map(({ run }) => run),
            false,
          ),
        };
      case "_||_":
        return {
          run: logical(
            plans.map(({ run }) => run),
            true,
          ),
        };
    }
    return (
      this.#operator(expr.fn, plans) ??
      planCall(resolved ?? { fn: expr.fn, ids: [], member: false }, plans, this.#library)
    );
  }

  #operator(fn: string, [a, b, c]: readonly Plan[]): Plan | undefined {
    if (a === undefined || b === undefined) return undefined;
    switch (fn) {
      case "_?_:_":
        return c && conditional(a, b, c);
      case "_==_":
      case "_!=_":
        return { run: this.#comparison(a, b, fn) };
      case "_[_]":
        return index(a, b, "plain");
      case "_?._":
      case "_[?_]":
        return index(a, b, "optional");
      case "or":
      case "orValue":
        return { run: alternative(a.run, b.run, fn) };
    }
    return undefined;
  }

  #comparison(a: Plan, b: Plan, fn: "_==_" | "_!=_"): Run {
    return comparison(
      a.run,
      b.run,
      fn,
      this.#library.callCostOf(fn, fn === "_==_" ? "equals" : "not_equals"),
    );
  }

  #list(expr: ListExpr): Plan {
    const plans = expr.elements.map((element) => this.plan(element));
    const { optional } = expr;
    if (!optional.includes(true) && plans.every(isConstant)) {
      return constant(new Items(plans.map((plan) => plan.constant)));
    }
    return { run: (frame) => makeList(frame, plans, optional) };
  }

  #map(expr: MapExpr): Plan {
    const entries = expr.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    const constants = entries.flatMap(({ key, value, optional }) =>
      !optional && isConstant(key) && isConstant(value) ? [[key.constant, value.constant] as const] : [],
    );
    if (constants.length === entries.length) return constant(Entries.of(constants));
    return { run: (frame) => makeMap(frame, entries) };
  }
}

const isConstant = (plan: Plan): plan is Plan & { readonly constant: Value } => plan.constant !== undefined;

/** A part that is always the same. */
function constant(value: Value): Plan {
  return { run: () => value, constant: value };
}

function attribute(read: Run, base: 0 | 1): Plan {
  const run: Run = (frame) => {
    const value = read(frame);
    charge(frame, base);
    return value;
  };
  return { run, attribute: { run: read, base } };
}

function qualified(read: Run, qualify: (value: Value, work: Work) => Value): Run {
  return (frame) => {
    const value = read(frame);
    charge(frame, 1);
    return isError(value) ? value : qualify(value, frame.work);
  };
}

function index(target: Plan, key: Plan, way: "plain" | "optional"): Plan {
  const read = target.attribute?.run ?? target.run;
  const extra = key.attribute === undefined ? 1 : 0;
  const run: Run = (frame) => {
    const value = read(frame);
    if (isError(value)) return value;
    const at = key.run(frame);
    charge(frame, extra);
    return isError(at) ? at : atIndex(value, at, way, frame.work);
  };
  return attribute(run, target.attribute?.base ?? 1);
}

function conditional(condition: Plan, yes: Plan, no: Plan): Plan {
  const [first, second] = [yes.attribute?.run ?? yes.run, no.attribute?.run ?? no.run];
  return attribute((frame) => {
    const value = condition.run(frame);
    if (value === true) return first(frame);
    return value === false ? second(frame) : errorOr(value);
  }, 0);
}

/** `&&` and `||`: an error counts only where no other part decides. */
function logical(parts: readonly Run[], decisive: boolean): Run {
  return (frame) => {
    let fault: CelError | undefined;
    for (const part of parts) {
      const value = part(frame);
      if (value === decisive) return decisive;
      if (typeof value !== "boolean") fault ??= errorOr(value);
    }
    return fault ?? !decisive;
  };
}

function comparison(left: Run, right: Run, fn: "_==_" | "_!=_", cost: CallCost): Run {
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    const compared = isError(a) ? a : isError(b) ? b : equals(a, b, frame.work);
    const result = fn === "_==_" || isError(a) || isError(b) ? compared : compared !== true;
    charge(frame, cheapest(a, b) ? 1 : cost([a, b], result, frame.work));
    return result;
  };
}

/** Two values without a size are compared for one unit. */
function cheapest(a: Value, b: Value): boolean {
  return typeof a !== "object" && typeof b !== "object" && typeof a !== "string" && typeof b !== "string";
}

function alternative(left: Run, right: Run, fn: "or" | "orValue"): Run {
  return (frame) => {
    const value = left(frame);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return right(frame);
    return fn === "or" ? value : value.value;
  };
}

// cel-go common/overloads: converting a constant gives a constant, and an error is one of the rule itself.
const conversions = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

function planCall(resolved: Resolved, plans: readonly Plan[], library: Library): Plan {
  const fn = library.functions.get(resolved.fn);
  if (fn === undefined) throw new PlanFault(`no such overload: ${resolved.fn}`);
  const apply = applyOf(fn, resolved.ids);
  const [first, second] = plans;
  if (conversions.has(fn.name) && plans.length === 1 && first?.constant !== undefined) {
    const value = apply([first.constant], new Work(library.kubernetes));
    if (isError(value)) throw new PlanFault(value.message);
    return constant(value);
  }
  if (["matches", "find", "findAll"].includes(fn.name)) checkPattern(second?.constant);
  const [only = "", another] = resolved.ids;
  const id = another === undefined ? only : "";
  if (id === "in_list" && first !== undefined && isList(second?.constant))
    return membership(first, second.constant);
  const runs = plans.map(({ run }) => run);
  const [cost, panic] = [library.callCostOf(fn.name, id), library.panicOf(id)];
  return { run: (frame) => runCall(frame, runs, apply, cost, panic) };
}

function checkPattern(pattern: Value | undefined): void {
  const compiled = typeof pattern === "string" ? compileRegexp(pattern) : undefined;
  if (compiled instanceof GoFault) throw new PlanFault(compiled.message);
}

/** `x in [1, 2]`: to look into a list that never changes costs nothing. */
function membership(value: Plan, list: Value): Plan {
  if (!isList(list) || list.size === 0) return constant(false);
  return {
    run: (frame) => {
      const found = value.run(frame);
      return isError(found) ? found : list.contains(found, frame.work);
    },
  };
}

function runCall(
  frame: Frame,
  runs: readonly Run[],
  apply: Apply,
  cost: CallCost,
  panicOf: ReturnType<Library["panicOf"]>,
): Value {
  const args: Value[] = [];
  let fault: CelError | undefined;
  for (const run of runs) {
    const value = run(frame);
    args.push(value);
    if (isError(value)) fault ??= value;
    // With three or more arguments the first error ends the evaluation; two are always both evaluated.
    if (fault !== undefined && runs.length > 2) break;
  }
  const panic = panicOf?.(args);
  if (panic !== undefined) throw new Panic(panic);
  const result = fault ?? apply(args, frame.work);
  charge(frame, fault === undefined ? cost(args, result, frame.work) : 1);
  return result;
}

function makeList(frame: Frame, plans: readonly Plan[], optional: readonly boolean[]): Value {
  const items: Value[] = [];
  for (const [at, plan] of plans.entries()) {
    const value = plan.run(frame);
    if (isError(value)) return value;
    if (optional[at] !== true) items.push(value);
    else if (!(value instanceof Optional)) {
      return new CelError(
        `cannot initialize optional list element from non-optional value ${printValue(value, frame.work)}`,
      );
    } else if (value.value !== undefined) items.push(value.value);
  }
  charge(frame, listBase);
  return new Items(items);
}

interface EntryPlan {
  readonly key: Plan;
  readonly value: Plan;
  readonly optional: boolean;
}

function makeMap(frame: Frame, plans: readonly EntryPlan[]): Value {
  const entries: (readonly [Value, Value])[] = [];
  for (const plan of plans) {
    const key = plan.key.run(frame);
    if (isError(key)) return key;
    const value = plan.value.run(frame);
    if (isError(value)) return value;
    if (!plan.optional) entries.push([key, value]);
    else if (!(value instanceof Optional)) {
      return new CelError(
        `cannot initialize optional entry '${printValue(key, frame.work)}' from non-optional value ${printValue(value, frame.work)}`,
      );
    } else if (value.value !== undefined) entries.push([key, value.value]);
  }
  charge(frame, mapBase);
  return Entries.of(entries);
}
