import { runeCount } from "../../../go/text.ts";
import { isSince, type KubernetesVersion } from "../../model/kubernetes-version.ts";
import { accumulator, type Call, type Expr, type Fold, type Select } from "../language/ast.ts";
import type { Checked } from "../language/checker.ts";
import { listBase, mapBase } from "../language/frame.ts";
import { dynType, isOptional, paramAt, type Type } from "../language/types.ts";
import { Uint } from "../language/values.ts";
import { type Arg, type CallEstimate, estimateCall, type SizeAt } from "./estimate-call.ts";
import {
  type EntrySize,
  fixed,
  most,
  nothing,
  plus,
  type Range,
  scaled,
  sum,
  times,
  union,
  unionEntries,
  unknown,
} from "./range.ts";
import { regexLength, traversal } from "./runtime.ts";

/** What an expression may cost at most on the largest object that the schema allows (cel-go checker/cost.go). */
export function estimateCost(checked: Checked, sizeAt: SizeAt, kubernetes: KubernetesVersion): number {
  return new Estimator(checked, sizeAt, kubernetes).cost(checked.expr).max;
}

interface Variable {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

const noPath: readonly string[] = [];

class Estimator {
  readonly #checked: Checked;
  readonly #sizeAt: SizeAt;
  readonly #kubernetes: KubernetesVersion;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #variables = new Map<string, Variable[]>();

  constructor(checked: Checked, sizeAt: SizeAt, kubernetes: KubernetesVersion) {
    this.#checked = checked;
    this.#sizeAt = sizeAt;
    this.#kubernetes = kubernetes;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return nothing;
      case "ident":
        this.#paths.set(expr, this.#variable(expr.name)?.path ?? [expr.name]);
        return fixed(1);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr.elements, expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return plus(sum(expr.fields.map((field) => this.cost(field.value))), fixed(40));
      case "fold":
        return expr.macro.kind === "bind" ? this.#bind(expr) : this.#fold(expr);
    }
  }

  #type(expr: Expr): Type {
    return this.#checked.types.get(expr) ?? dynType;
  }

  #variable(name: string): Variable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  #path(expr: Expr): readonly string[] {
    const variable = expr.kind === "ident" ? this.#variable(expr.name) : undefined;
    return variable?.path ?? this.#paths.get(expr) ?? noPath;
  }

  #select(expr: Select): Range {
    // A qualified name like `a.b` that is a type is read at once.
    const name = this.#checked.names.get(expr);
    if (name !== undefined) {
      this.#paths.set(expr, [name]);
      return fixed(1);
    }
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
    const { kind } = this.#type(expr.operand);
    return kind === "map" || kind === "struct" || kind === "param" ? plus(operand, fixed(1)) : operand;
  }

  #list(elements: readonly Expr[], expr: Expr): Range {
    let item: Range = { min: elements.length === 0 ? 0 : most, max: 0 };
    let cost = nothing;
    for (const element of elements) {
      cost = plus(cost, this.cost(element));
      item = union(item, this.#sizeOrUnknown(element));
    }
    this.#entries.set(expr, { container: "list", key: fixed(1), value: item });
    return plus(cost, fixed(listBase));
  }

  #map(expr: Expr & { kind: "map" }): Range {
    const start: Range = { min: expr.entries.length === 0 ? 0 : most, max: 0 };
    let [key, value, cost] = [start, start, nothing];
    for (const entry of expr.entries) {
      cost = plus(cost, plus(this.cost(entry.key), this.cost(entry.value)));
      key = union(key, this.#sizeOrUnknown(entry.key));
      value = union(value, this.#sizeOrUnknown(entry.value));
    }
    this.#entries.set(expr, { container: "map", key, value });
    return plus(cost, fixed(mapBase));
  }

  #call(expr: Call): Range {
    const [first, second] = expr.args;
    if (expr.fn === "dyn" && first !== undefined && second === undefined) return this.#dyn(expr, first);
    const argCosts: Range[] = [];
    const args: Arg[] = [];
    for (const arg of expr.args) {
      argCosts.push(this.cost(arg));
      args.push(this.#arg(arg));
    }
    const resolved = this.#checked.calls.get(expr);
    if (resolved === undefined || resolved.ids.length === 0) return nothing;
    const member = resolved.member ? expr.target : undefined;
    const targetCost = member === undefined ? nothing : this.cost(member);
    const target = member === undefined ? undefined : this.#arg(member);
    let cost: Range = { min: most, max: 0 };
    let size: Range | undefined;
    for (const id of resolved.ids) {
      const estimate = this.#overload(expr, resolved.fn, id, target, args, argCosts);
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      if (first !== undefined && (id === "index_list" || id === "index_map"))
        size = this.#indexed(expr, first, id);
      size ??= this.#size(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return plus(targetCost, cost);
  }

  #dyn(expr: Call, arg: Expr): Range {
    const cost = plus(fixed(1), this.cost(arg));
    this.#copySizes(expr, arg);
    return cost;
  }

  #indexed(expr: Call, container: Expr, id: "index_list" | "index_map"): Range | undefined {
    this.#paths.set(expr, [...this.#path(container), id === "index_list" ? "@items" : "@values"]);
    return this.#entry(container)?.value;
  }

  #overload(
    expr: Call,
    fn: string,
    id: string,
    target: Arg | undefined,
    args: readonly Arg[],
    argCosts: readonly Range[],
  ): CallEstimate {
    const asked = { fn, id, target, args, sizeAt: this.#sizeAt };
    const special = estimateCall(asked);
    const all = sum(argCosts);
    if (special !== undefined) return { ...special, cost: plus(special.cost, all) };
    return this.#logical(expr, id, args, argCosts) ?? this.#standard(expr, id, target, args, all);
  }

  #logical(expr: Call, id: string, args: readonly Arg[], costs: readonly Range[]): CallEstimate | undefined {
    const [a = nothing, b = nothing, c = nothing] = costs;
    if (id === "logical_or" || id === "logical_and") return { cost: { min: a.min, max: sum(costs).max } };
    const [, yes, no] = expr.args;
    if (id !== "conditional" || yes === undefined || no === undefined) return undefined;
    const entry = unionEntries(this.#entry(yes), this.#entry(no));
    if (entry !== undefined) this.#entries.set(expr, entry);
    const size = union(args[1]?.size ?? unknown, args[2]?.size ?? unknown);
    return { cost: plus(a, union(b, c)), size };
  }

  #standard(expr: Call, id: string, target: Arg | undefined, args: readonly Arg[], all: Range): CallEstimate {
    const [a = unknown, b = unknown] = args.map((arg) => arg.size ?? unknown);
    const self = target?.size ?? unknown;
    const unary = args.length === 1;
    switch (id) {
      case "string_format":
        return { cost: plus(scaled(self, traversal), all) };
      case "string_to_bytes":
        return { cost: plus(scaled(a, traversal), all), size: { min: a.min, max: a.max * 4 } };
      case "bytes_to_string":
        return { cost: plus(scaled(a, traversal), all), size: { min: Math.trunc(a.min / 4), max: a.max } };
      case "strings_quote":
        return { cost: plus(scaled(a, traversal), all), size: { min: a.min + 2, max: a.max * 2 + 2 } };
      case "starts_with_string":
      case "ends_with_string":
        return { cost: plus(scaled(a, traversal), all) };
      case "in_list":
        return { cost: plus(scaled(b, 1), all) };
      case "matches_string":
        if (target === undefined || !unary) break;
        return { cost: plus(matchCost(self, a), all) };
      case "matches":
        // Up to v1.36 the function is as cheap as any other, unlike the method.
        if (!isSince(this.#kubernetes, "1.37") || target !== undefined || args.length !== 2) break;
        return { cost: plus(matchCost(a, b), all) };
      case "contains_string":
        return { cost: plus(times(scaled(self, traversal), scaled(a, traversal)), all) };
      case "add_string":
      case "add_bytes":
      case "add_list":
        return this.#addition(expr, id, a, b, all);
    }
    return { cost: plus(comparisons.test(id) ? comparisonCost(a, b) : fixed(1), all) };
  }

  #addition(expr: Call, id: string, a: Range, b: Range, all: Range): CallEstimate {
    const size = plus(a, b);
    const [left, right] = expr.args;
    const entry = left && right && unionEntries(this.#entry(left), this.#entry(right));
    if (entry !== undefined) this.#entries.set(expr, entry);
    return { cost: plus(id === "add_list" ? fixed(1) : scaled(size, traversal), all), size };
  }

  #fold(expr: Fold): Range {
    let cost = plus(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accuVar, this.#bound(expr.init));
    this.#pushIteration(expr);
    const loop = this.cost(expr.condition);
    const step = this.cost(expr.step);
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    cost = plus(cost, this.cost(expr.result));
    this.#pop(expr.accuVar);
    const count = this.#sizeOrUnknown(expr.range);
    cost = plus(cost, times(count, plus(step, loop)));
    if (expr.init.kind === "literal") {
      const size = this.#size(expr.init);
      if (size !== undefined) this.#sizes.set(expr, size);
    } else {
      this.#sizes.set(expr, count);
      const entry = this.#entry(expr.step);
      if (entry !== undefined) this.#entries.set(expr, entry);
    }
    return cost;
  }

  #pushIteration(expr: Fold): void {
    const entry = this.#entry(expr.range);
    const path = this.#path(expr.range);
    const container = entry?.container ?? (this.#type(expr.range).kind === "list" ? "list" : "map");
    const value = {
      path: [...path, container === "list" ? "@items" : "@values"],
      size: entry?.value,
      entry: undefined,
    };
    const key = {
      path: [...path, container === "list" ? "@indices" : "@keys"],
      size: entry?.key,
      entry: undefined,
    };
    if (expr.iterVar2 === undefined) this.#push(expr.iterVar, container === "list" ? value : key);
    else {
      this.#push(expr.iterVar, key);
      this.#push(expr.iterVar2, value);
    }
  }

  #bind(expr: Fold): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accuVar, this.#bound(expr.init));
    const cost = plus(before, this.cost(expr.result));
    this.#pop(expr.accuVar);
    this.#copySizes(expr, expr.result);
    return cost;
  }

  #bound(init: Expr): Variable {
    return { path: this.#path(init), size: this.#size(init), entry: this.#entry(init) };
  }

  #push(name: string, variable: Variable): void {
    const stack = this.#variables.get(name) ?? [];
    stack.push(variable);
    this.#variables.set(name, stack);
  }

  #pop(name: string): void {
    this.#variables.get(name)?.pop();
  }

  #arg(expr: Expr): Arg {
    const path = this.#path(expr);
    const shown = path[0] === accumulator ? noPath : path;
    return { expr, type: this.#type(expr), path: shown, size: this.#size(expr) };
  }

  #copySizes(to: Expr, from: Expr): void {
    const [size, entry] = [this.#size(from), this.#entry(from)];
    if (size !== undefined) this.#sizes.set(to, size);
    if (entry !== undefined) this.#entries.set(to, entry);
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? unknown;
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? writtenSize(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const found = path.length === 0 ? undefined : this.#sizeAt(path);
    if (found !== undefined) {
      this.#sizes.set(expr, found);
      return found;
    }
    if (isScalar(this.#type(expr))) return fixed(1);
    return expr.kind === "ident" ? this.#variable(expr.name)?.size : undefined;
  }

  #entry(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === "ident" ? this.#variable(expr.name)?.entry : undefined);
  }
}

const comparisons = /^(?:equals|not_equals|(?:less|greater)(?:_equals)?_(?:string|bytes))$/;

function comparisonCost(a: Range, b: Range): Range {
  const max = Math.min(a.max, b.max);
  return scaled({ min: max > 0 ? 1 : 0, max }, traversal);
}

function writtenSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case "list":
      return fixed(expr.elements.length);
    case "map":
      return fixed(expr.entries.length);
    case "literal": {
      const { value } = expr;
      if (typeof value === "string") return fixed(runeCount(value));
      if (value instanceof Uint8Array) return fixed(value.length);
      return value === null || typeof value !== "object" || value instanceof Uint ? fixed(1) : undefined;
    }
  }
  return undefined;
}

function isScalar(type: Type): boolean {
  if (isOptional(type)) return isScalar(paramAt(type, 0));
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}

function matchCost(text: Range, pattern: Range): Range {
  return times(scaled(plus(text, fixed(1)), traversal), scaled(pattern, regexLength));
}
