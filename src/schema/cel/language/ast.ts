import type { Type } from "./types.ts";
import type { Value } from "./values.ts";

/** A parsed expression. `at` counts characters (code points) from the start of the source: where an error points. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Fold;

interface Literal {
  readonly kind: "literal";
  readonly at: number;
  readonly value: Value;
  readonly type: Type;
}

export interface Ident {
  readonly kind: "ident";
  readonly at: number;
  readonly name: string;
}

/** `a.b`, or with `test` the question `has(a.b)`. */
export interface Select {
  readonly kind: "select";
  readonly at: number;
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** A call of a function, a method (`target` is there) or an operator (named `_+_` and so on). */
export interface Call {
  readonly kind: "call";
  readonly at: number;
  readonly fn: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

export interface ListExpr {
  readonly kind: "list";
  readonly at: number;
  readonly elements: readonly Expr[];
  readonly optional: readonly boolean[];
}

export interface Entry {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr {
  readonly kind: "map";
  readonly at: number;
  readonly entries: readonly Entry[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr {
  readonly kind: "struct";
  readonly at: number;
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** The macro that a comprehension came from, by which it runs without its accumulator. */
export type Macro =
  | { readonly kind: "all" | "exists" | "existsOne"; readonly predicate: Expr }
  | { readonly kind: "map"; readonly filter?: Expr; readonly transform: Expr }
  | { readonly kind: "insert"; readonly filter?: Expr; readonly value: Expr }
  | { readonly kind: "merge"; readonly filter?: Expr; readonly entry: Expr }
  | { readonly kind: "bind" };

/** A comprehension as the type checker and the cost estimate see it (cel-go common/ast), with the macro that it came from. */
export interface Fold {
  readonly kind: "fold";
  readonly at: number;
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2?: string;
  readonly accuVar: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly macro: Macro;
}

/** The name a comprehension's accumulator has; no expression can write it. */
export const accumulator = "@result";

/** A copy of an expression whose nodes are its own: types are known by node. A node that occurs twice does so in the copy. */
export function copyOf(expr: Expr): Expr {
  const copies = new Map<Expr, Expr>();
  const once = (node: Expr): Expr => {
    const known = copies.get(node);
    if (known !== undefined) return known;
    const copy = shallow(node, once);
    copies.set(node, copy);
    return copy;
  };
  return once(expr);
}

/** The expressions directly below one, in the order in which they are written. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return expr.fields.map((field) => field.value);
    case "fold":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

function shallow(expr: Expr, once: (expr: Expr) => Expr): Expr {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return { ...expr };
    case "select":
      return { ...expr, operand: once(expr.operand) };
    case "call":
      return { ...expr, ...(expr.target && { target: once(expr.target) }), args: expr.args.map(once) };
    case "list":
      return { ...expr, elements: expr.elements.map(once) };
    case "map":
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({ ...entry, key: once(entry.key), value: once(entry.value) })),
      };
    case "struct":
      return { ...expr, fields: expr.fields.map((field) => ({ ...field, value: once(field.value) })) };
    case "fold":
      return {
        ...expr,
        range: once(expr.range),
        init: once(expr.init),
        condition: once(expr.condition),
        step: once(expr.step),
        result: once(expr.result),
        macro: copyOfMacro(expr.macro, once),
      };
  }
}

function copyOfMacro(macro: Macro, once: (expr: Expr) => Expr): Macro {
  switch (macro.kind) {
    case "bind":
      return macro;
    case "map":
      return {
        ...macro,
        ...(macro.filter && { filter: once(macro.filter) }),
        transform: once(macro.transform),
      };
    case "insert":
      return { ...macro, ...(macro.filter && { filter: once(macro.filter) }), value: once(macro.value) };
    case "merge":
      return { ...macro, ...(macro.filter && { filter: once(macro.filter) }), entry: once(macro.entry) };
    default:
      return { ...macro, predicate: once(macro.predicate) };
  }
}

/** `a.b.c` as a name; undefined for anything else. */
export function nameOf(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const prefix = nameOf(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
