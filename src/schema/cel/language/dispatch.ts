import type { Fn, Overload, Run } from "./function.ts";
import { binaryOperators, negate, not, size } from "./operators.ts";
import { matches } from "./regex.ts";
import { isOptional, paramAt, type Type } from "./types.ts";
import { CelError, isError, isList, isMap, noSuchOverload, typeName, type Value } from "./values.ts";
import type { Work } from "./work.ts";

/** Runs a call: the overload that the checker found, or the first that fits the values. */
export type Apply = (args: readonly Value[], work: Work) => Value;

/** How a function is run (cel-go interpreter/planner.go, common/decls). */
export function applyOf(fn: Fn, ids: readonly string[]): Apply {
  const singleton = singletons.get(fn.name);
  if (singleton !== undefined) return singleton;
  const one = fn.overloads.find((overload) => overload.singleton)?.run;
  if (one !== undefined) return singletonOf(fn.name, one);
  const only = ids.length === 1 ? fn.overloads.filter(({ id }) => id === ids[0]) : fn.overloads;
  return (args, work) => {
    const overload = only.find((candidate) => fits(candidate, args, work));
    const [a = null, b = null, c = null, d = null] = args;
    const result = overload?.run?.(a, b, c, d, work);
    return result === undefined ? noneFits(fn.name, args) : result;
  };
}

/** A method of lists that is bound once. */
function singletonOf(name: string, run: Run): Apply {
  return ([list = null, b = null, c = null, d = null], work) =>
    isList(list) ? run(list, b, c, d, work) : new CelError(`no such overload: ${name}`);
}

/** A function of two values as one of a list of values. */
function binary(run: (a: Value, b: Value, work: Work) => Value): Apply {
  return ([a, b], work) => (a === undefined || b === undefined ? noSuchOverload : run(a, b, work));
}

function unary(run: (a: Value) => Value): Apply {
  return ([a]) => (a === undefined ? noSuchOverload : run(a));
}

/** The functions that cel-go binds once for all their overloads: they check their values themselves. */
const singletons: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  ...[...binaryOperators].map(([name, run]) => [name, binary(run)] as const),
  ["-_", unary(negate)],
  ["!_", unary(not)],
  ["contains", binary(textTest((a, b) => a.includes(b)))],
  ["startsWith", binary(textTest((a, b) => a.startsWith(b)))],
  ["endsWith", binary(textTest((a, b) => a.endsWith(b)))],
  ["matches", binary(matches)],
  ["size", unary(size)],
]);

function textTest(test: (a: string, b: string) => boolean): (a: Value, b: Value) => Value {
  return (a, b) => (typeof a === "string" && typeof b === "string" ? test(a, b) : noSuchOverload);
}

function noneFits(name: string, args: readonly Value[]): Value {
  const types = args.map(typeName);
  // flatten has a message of its own (ext/lists.go).
  const call = name === "flatten" ? `${types[0]}.flatten(${types[1] ?? ""})` : `${name}(${types.join(", ")})`;
  return args.find(isError) ?? new CelError(`no such overload: ${call}`);
}

function fits(overload: Overload, args: readonly Value[], work: Work): boolean {
  if (overload.args.length !== args.length) return false;
  // flatten accepts any value (ext/lists.go, DisableTypeGuards).
  if (overload.id.startsWith("list_flatten")) return isList(args[0]);
  return overload.args.every((type, index) => isOf(type, args[index] ?? null, work));
}

/** Whether a value is of a type, as far as cel-go checks that at run time: of a list, its first item. */
function isOf(type: Type, value: Value, work: Work): boolean {
  if (type.kind === "param" || type.kind === "dyn") return !isError(value);
  if (type.kind === "list") {
    return isList(value) && (value.size === 0 || isOf(paramAt(type, 0), value.get(0), work));
  }
  if (type.kind === "map") {
    if (!isMap(value)) return false;
    const first = value.keys(work)[0];
    return (
      first === undefined ||
      (isOf(paramAt(type, 0), first, work) && isOf(paramAt(type, 1), value.find(first) ?? null, work))
    );
  }
  return isOptional(type) ? typeName(value) === "optional_type" : typeName(value) === type.name;
}
