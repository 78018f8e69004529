import { accumulator, type Call, copyOf, type Expr, type Fold, type Ident, type Macro } from "./ast.ts";
import { boolType, intType } from "./types.ts";
import type { Value } from "./values.ts";

/** What is wrong with a macro's arguments, and where. */
export class MacroFault {
  readonly at: number;
  readonly message: string;
  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

/** The expansion of a call, if it is one of a macro (cel-go parser/macro.go, ext/comprehensions.go, cel/library.go, ext/lists.go). */
export function expandMacro(
  at: number,
  fn: string,
  target: Expr | undefined,
  args: readonly Expr[],
): Expr | MacroFault | undefined {
  const [first, second] = args;
  if (target === undefined)
    return fn === "has" && first !== undefined && second === undefined ? expandHas(at, first) : undefined;
  // Every other macro has at least two arguments.
  if (first === undefined || second === undefined) return undefined;
  const expand = macros.get(`${fn}/${args.length}`);
  return expand?.({ at, target, first, second, last: args.at(-1) ?? second, args });
}

interface Use {
  readonly at: number;
  readonly target: Expr;
  readonly first: Expr;
  readonly second: Expr;
  readonly last: Expr;
  readonly args: readonly Expr[];
}

/** The names of a macro's variables. */
type Variables = Pick<Fold, "iterVar" | "iterVar2">;

type Expand = (use: Use) => Expr | MacroFault;

const macros: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ["all/2", quantifier("all")],
  ["all/3", quantifier("all")],
  ["exists/2", quantifier("exists")],
  ["exists/3", quantifier("exists")],
  ["exists_one/2", quantifier("existsOne")],
  ["exists_one/3", quantifier("existsOne")],
  ["existsOne/3", quantifier("existsOne")],
  ["map/2", expandMap],
  ["map/3", expandMap],
  ["filter/2", expandFilter],
  ["transformList/3", expandTransformList],
  ["transformList/4", expandTransformList],
  ["transformMap/3", expandTransformMap],
  ["transformMap/4", expandTransformMap],
  ["transformMapEntry/3", expandTransformEntry],
  ["transformMapEntry/4", expandTransformEntry],
  ["optMap/2", expandOptMap],
  ["optFlatMap/2", expandOptFlatMap],
  ["sortBy/2", expandSortBy],
]);

function expandHas(at: number, argument: Expr): Expr | MacroFault {
  if (argument.kind !== "select") return new MacroFault(argument.at, "invalid argument to has() macro");
  return { kind: "select", at, operand: argument.operand, field: argument.field, test: true };
}

function quantifier(kind: "all" | "exists" | "existsOne"): Expand {
  return (use) => {
    const names = variablesOf(use, use.args.length === 3 ? 2 : 1, "argument must be a simple name");
    if (names instanceof MacroFault) return names;
    const { at, last: predicate } = use;
    const parts = {
      all: () => ({
        init: bool(at, true),
        condition: call(at, "@not_strictly_false", accu(at)),
        step: call(at, "_&&_", accu(at), predicate),
        result: accu(at),
      }),
      exists: () => ({
        init: bool(at, false),
        condition: call(at, "@not_strictly_false", call(at, "!_", accu(at))),
        step: call(at, "_||_", accu(at), predicate),
        result: accu(at),
      }),
      existsOne: () => ({
        init: int(at, 0n),
        condition: bool(at, true),
        step: call(at, "_?_:_", predicate, call(at, "_+_", accu(at), int(at, 1n)), accu(at)),
        result: call(at, "_==_", accu(at), int(at, 1n)),
      }),
    };
    return fold(use, names, parts[kind](), { kind, predicate });
  };
}

function expandMap(use: Use): Expr | MacroFault {
  const names = variablesOf(use, 1, "argument is not an identifier");
  return names instanceof MacroFault ? names : mapping(use, names, filterAt(use, 1), use.last);
}

function expandFilter(use: Use): Expr | MacroFault {
  const names = variablesOf(use, 1, "argument is not an identifier");
  if (names instanceof MacroFault) return names;
  return mapping(use, names, use.second, use.first);
}

function expandTransformList(use: Use): Expr | MacroFault {
  const names = variablesOf(use, 2, "argument must be a simple name");
  return names instanceof MacroFault ? names : mapping(use, names, filterAt(use, 2), use.last);
}

function expandTransformMap(use: Use): Expr | MacroFault {
  const names = variablesOf(use, 2, "argument must be a simple name");
  if (names instanceof MacroFault) return names;
  const { at, last: value } = use;
  const key: Expr = { kind: "ident", at, name: names.iterVar };
  const insert = call(at, "cel.@mapInsert", accu(at), key, value);
  const map: Expr = { kind: "map", at, entries: [] };
  return folding(use, names, map, filterAt(use, 2), insert, { kind: "insert", value });
}

function expandTransformEntry(use: Use): Expr | MacroFault {
  const names = variablesOf(use, 2, "argument must be a simple name");
  if (names instanceof MacroFault) return names;
  const { at, last: entry } = use;
  const merge = call(at, "cel.@mapInsert", accu(at), entry);
  const map: Expr = { kind: "map", at, entries: [] };
  return folding(use, names, map, filterAt(use, 2), merge, { kind: "merge", entry });
}

function expandOptMap(use: Use): Expr | MacroFault {
  const bound = boundValue(use, "optMap() variable name must be a simple identifier");
  if (bound instanceof MacroFault) return bound;
  return optionally(use, call(use.at, "optional.of", bound));
}

function expandOptFlatMap(use: Use): Expr | MacroFault {
  const bound = boundValue(use, "optFlatMap() variable name must be a simple identifier");
  return bound instanceof MacroFault ? bound : optionally(use, bound);
}

function optionally(use: Use, present: Expr): Expr {
  const { at, target } = use;
  const has: Expr = { kind: "call", at, fn: "hasValue", target, args: [] };
  return call(at, "_?_:_", has, present, call(at, "optional.none"));
}

function boundValue(use: Use, fault: string): Expr | MacroFault {
  const { at, first: name, second: body } = use;
  if (name.kind !== "ident") return new MacroFault(name.at, fault);
  const value: Expr = { kind: "call", at, fn: "value", target: copyOf(use.target), args: [] };
  return bind(at, name.name, value, body);
}

const sortInput = "@__sortBy_input__";

function expandSortBy(use: Use): Expr | MacroFault {
  const { at, target } = use;
  if (!["list", "select", "ident", "fold", "call"].includes(target.kind)) {
    return new MacroFault(
      target.at,
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    );
  }
  const input = (): Expr => ({ kind: "ident", at, name: sortInput });
  const keys = expandMap({ ...use, target: input() });
  if (keys instanceof MacroFault) return keys;
  const sorted: Expr = { kind: "call", at, fn: "@sortByAssociatedKeys", target: input(), args: [keys] };
  return bind(at, sortInput, target, sorted);
}

/** `name` stands for a value within an expression: a fold over nothing (cel-go ext/bindings.go). */
function bind(at: number, name: string, value: Expr, body: Expr): Fold {
  return {
    kind: "fold",
    at,
    range: { kind: "list", at, elements: [], optional: [] },
    iterVar: "#unused",
    accuVar: name,
    init: value,
    condition: bool(at, false),
    step: { kind: "ident", at, name },
    result: body,
    macro: { kind: "bind" },
  };
}

function mapping(use: Use, names: Variables, filter: Expr | undefined, transform: Expr): Fold {
  const { at } = use;
  const item: Expr = { kind: "list", at, elements: [transform], optional: [false] };
  const list: Expr = { kind: "list", at, elements: [], optional: [] };
  return folding(use, names, list, filter, call(at, "_+_", accu(at), item), { kind: "map", transform });
}

function folding(
  use: Use,
  names: Variables,
  init: Expr,
  filter: Expr | undefined,
  growth: Expr,
  macro: Extract<Macro, { filter?: Expr }>,
): Fold {
  const { at } = use;
  const step = filter === undefined ? growth : call(at, "_?_:_", filter, growth, accu(at));
  const parts = { init, condition: bool(at, true), step, result: accu(at) };
  return fold(use, names, parts, filter === undefined ? macro : { ...macro, filter });
}

/** The argument between the variables and the last one, if there is one. */
function filterAt({ args }: Use, index: number): Expr | undefined {
  return args.length === index + 2 ? args[index] : undefined;
}

function fold(
  use: Use,
  names: Variables,
  parts: Pick<Fold, "init" | "condition" | "step" | "result">,
  macro: Macro,
): Fold {
  return {
    kind: "fold",
    at: use.at,
    range: use.target,
    ...names,
    accuVar: accumulator,
    ...parts,
    macro,
  };
}

function variablesOf({ first, second }: Use, count: 1 | 2, fault: string): Variables | MacroFault {
  if (first.kind !== "ident") return new MacroFault(first.at, fault);
  if (count === 1) return overwriting(first) ?? { iterVar: first.name };
  if (second.kind !== "ident") return new MacroFault(second.at, fault);
  if (first.name === second.name) {
    return new MacroFault(second.at, `duplicate variable name: ${first.name}`);
  }
  return overwriting(first) ?? overwriting(second) ?? { iterVar: first.name, iterVar2: second.name };
}

function overwriting({ at, name }: Ident): MacroFault | undefined {
  return name === "__result__"
    ? new MacroFault(at, "iteration variable overwrites accumulator variable")
    : undefined;
}

function accu(at: number): Expr {
  return { kind: "ident", at, name: accumulator };
}

function call(at: number, fn: string, ...args: readonly Expr[]): Call {
  return { kind: "call", at, fn, args };
}

function bool(at: number, value: boolean): Expr {
  return literal(at, value, boolType);
}

function int(at: number, value: bigint): Expr {
  return literal(at, value, intType);
}

function literal(at: number, value: Value, type: typeof boolType): Expr {
  return { kind: "literal", at, value, type };
}
