import { GoFault } from "../../../go/fault.ts";
import { compileRegexp } from "../../../go/regexp.ts";
import { type Call, childrenOf, type Expr, type ListExpr, type MapExpr } from "../language/ast.ts";
import type { Checked } from "../language/checker.ts";
import { convert } from "../language/convert.ts";
import type { Issue } from "../language/issue.ts";
import { dynType, isOptional, isSame, paramAt, printType, type Type } from "../language/types.ts";
import { CelError } from "../language/values.ts";
import { ArgumentError, type Clauses, clauseFaults, interpolate } from "./format-string.ts";

/** What cel-go validates once the types are right: literals of times and patterns, lists of one type, format strings. */
export function validate(checked: Checked): readonly Issue[] {
  const calls: Call[] = [];
  const aggregates: (ListExpr | MapExpr)[] = [];
  collect(checked.expr, false, new Set(), calls, aggregates);
  return [
    ...calls.flatMap((call) => formatIssues(call, checked)),
    ...calls.flatMap((call) => literalIssues(call, "duration")),
    ...calls.flatMap((call) => literalIssues(call, "timestamp")),
    ...calls.flatMap((call) => literalIssues(call, "matches")),
    ...aggregates.filter((node) => node.kind === "list").flatMap((node) => listIssues(node, checked)),
    ...aggregates.filter((node) => node.kind === "map").flatMap((node) => mapIssues(node, checked)),
  ];
}

/** The arguments of format may be of many types. */
function collect(
  expr: Expr,
  exempt: boolean,
  seen: Set<Expr>,
  calls: Call[],
  aggregates: (ListExpr | MapExpr)[],
): void {
  if (seen.has(expr)) return;
  seen.add(expr);
  if (expr.kind === "call") calls.push(expr);
  if ((expr.kind === "list" || expr.kind === "map") && !exempt) aggregates.push(expr);
  const below = exempt || (expr.kind === "call" && expr.fn === "format");
  for (const child of childrenOf(expr)) collect(child, below, seen, calls, aggregates);
}

function literalIssues(call: Call, fn: string): readonly Issue[] {
  const [arg] = call.args;
  if (call.fn !== fn || arg?.kind !== "literal") return [];
  const isGood =
    fn === "matches"
      ? typeof arg.value === "string" && !(compileRegexp(arg.value) instanceof GoFault)
      : !(convert(arg.value, fn) instanceof CelError);
  return isGood ? [] : [{ at: arg.at, message: `invalid ${fn} argument` }];
}

function listIssues(list: ListExpr, checked: Checked): readonly Issue[] {
  const types = list.elements.map((element, index) =>
    unwrapped(typeOf(element, checked), list.optional[index] === true),
  );
  return others(list.elements, types).slice(0, 1);
}

function mapIssues(map: MapExpr, checked: Checked): readonly Issue[] {
  const keys = map.entries.map(({ key }) => key);
  const values = map.entries.map(({ value }) => value);
  const keyTypes = keys.map((key) => typeOf(key, checked));
  const valueTypes = map.entries.map(({ value, optional }) => unwrapped(typeOf(value, checked), optional));
  return [...others(keys, keyTypes), ...others(values, valueTypes)];
}

function typeOf(expr: Expr, checked: Checked): Type {
  return checked.types.get(expr) ?? dynType;
}

function unwrapped(type: Type, optional: boolean): Type {
  return optional && isOptional(type) ? paramAt(type, 0) : type;
}

function others(exprs: readonly Expr[], types: readonly Type[]): readonly Issue[] {
  const [first] = types;
  return exprs.flatMap((expr, index) => {
    const type = types[index];
    if (first === undefined || type === undefined || isSame(type, first)) return [];
    return [{ at: expr.at, message: `expected type '${printType(first)}' but found '${printType(type)}'` }];
  });
}

function formatIssues(call: Call, checked: Checked): readonly Issue[] {
  const { target, args } = call;
  const [list] = args;
  const pattern = target?.kind === "literal" ? target.value : undefined;
  if (call.fn !== "format" || typeof pattern !== "string" || args.length !== 1 || list?.kind !== "list")
    return [];
  let asked = 0;
  let wrong: Expr | undefined;
  const argument = (index: number): Expr => {
    asked++;
    wrong = list.elements[index] as Expr;
    return wrong;
  };
  const clauses = typeClauses(checked, (expr) => {
    wrong = expr;
  });
  const result = interpolate(pattern, list.elements.length, argument, clauses);
  if (result instanceof CelError) {
    const place = result instanceof ArgumentError && wrong !== undefined ? wrong : call;
    return [{ at: place.at, message: result.message }];
  }
  const given = list.elements.length;
  if (given <= asked) return [];
  return [
    {
      at: call.at,
      message: `too many arguments supplied to string.format (expected ${asked}, got ${given})`,
    },
  ];
}

function typeClauses(checked: Checked, blame: (expr: Expr) => void): Clauses<Expr> {
  const only =
    (fault: (name: string) => CelError, ...kinds: readonly string[]) =>
    (expr: Expr): string | CelError => {
      const type = typeOf(expr, checked);
      return type.kind === "dyn" || kinds.includes(type.kind) ? "" : fault(type.name);
    };
  return {
    text: (expr) => textClause(expr, checked, blame),
    decimal: only(clauseFaults.decimal, "int", "uint"),
    fixed: only(clauseFaults.fixed, "double", "string"),
    scientific: only(clauseFaults.scientific, "double", "string"),
    binary: only(clauseFaults.binary, "int", "uint", "bool"),
    hex: only(clauseFaults.hex, "int", "uint", "string", "bytes"),
    octal: only(clauseFaults.octal, "int", "uint"),
  };
}

const printable = new Set([
  "list",
  "map",
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "timestamp",
  "bytes",
  "duration",
  "type",
  "null",
  "dyn",
]);

function textClause(expr: Expr, checked: Checked, blame: (expr: Expr) => void): string | CelError {
  const type = typeOf(expr, checked);
  if (!printable.has(type.kind)) {
    blame(expr);
    return clauseFaults.text(type.name);
  }
  if (expr.kind !== "list" && expr.kind !== "map") return "";
  for (const child of childrenOf(expr)) {
    const result = textClause(child, checked, blame);
    if (result instanceof CelError) return result;
  }
  return "";
}
