import type { Fn, Overload } from "./function.ts";
import { binaryOperators, negate, not, size } from "./operators.ts";
import { matches } from "./regex.ts";
import { isOptional, paramAt, type Type } from "./types.ts";
import { CelError, isError, isList, isMap, noSuchOverload, typeName, type Value } from "./values.ts";

/** What a call does with its values: one overload where the checker found one, else whichever fits them. */
export type Apply = (args: readonly Value[]) => Value;

/** How a function is run (cel-go interpreter/planner.go, common/decls). */
export function applyOf(fn: Fn, ids: readonly string[]): Apply {
  const singleton = singletons.get(fn.name);
  if (singleton !== undefined) return singleton;
  const only = ids.length === 1 ? fn.overloads.filter(({ id }) => id === ids[0]) : fn.overloads;
  return (args) => {
    const overload = only.find((candidate) => fits(candidate, args));
    const [a, b, c, d] = args as [Value, Value, Value, Value];
    // null is a value; only undefined is none.
    const result = overload?.run?.(a, b, c, d);
    return result === undefined ? noneFits(fn.name, args) : result;
  };
}

const binary = [...binaryOperators].map(
  ([name, run]) => [name, (args: readonly Value[]) => run(args[0] as Value, args[1] as Value)] as const,
);

/** The functions that cel-go binds once for all their overloads: they look at their values themselves. */
const singletons: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  ...binary,
  ["-_", (args) => negate(args[0] as Value)],
  ["!_", (args) => not(args[0] as Value)],
  ["contains", (args) => textTest(args, (a, b) => a.includes(b))],
  ["startsWith", (args) => textTest(args, (a, b) => a.startsWith(b))],
  ["endsWith", (args) => textTest(args, (a, b) => a.endsWith(b))],
  ["matches", (args) => matches(args[0] as Value, args[1] as Value)],
  ["size", (args) => size(args[0] as Value)],
]);

function textTest([a, b]: readonly Value[], test: (a: string, b: string) => boolean): Value {
  return typeof a === "string" && typeof b === "string" ? test(a, b) : noSuchOverload;
}

function noneFits(name: string, args: readonly Value[]): Value {
  const types = args.map(typeName);
  // flatten says it as its own (ext/lists.go).
  const call = name === "flatten" ? `${types[0]}.flatten(${types[1] ?? ""})` : `${name}(${types.join(", ")})`;
  return args.find(isError) ?? new CelError(`no such overload: ${call}`);
}

function fits(overload: Overload, args: readonly Value[]): boolean {
  if (overload.args.length !== args.length) return false;
  // flatten takes what comes (ext/lists.go, DisableTypeGuards).
  if (overload.id.startsWith("list_flatten")) return isList(args[0]);
  return overload.args.every((type, index) => isOf(type, args[index] as Value));
}

/** Whether a value is of a type, as far as that is looked at while a rule runs: of a list, its first item. */
function isOf(type: Type, value: Value): boolean {
  if (type.kind === "param" || type.kind === "dyn") return !isError(value);
  if (type.kind === "list") {
    return isList(value) && (value.size === 0 || isOf(paramAt(type, 0), value.get(0)));
  }
  if (type.kind === "map") {
    if (!isMap(value)) return false;
    const first = value.keys()[0];
    return (
      first === undefined ||
      (isOf(paramAt(type, 0), first) && isOf(paramAt(type, 1), value.find(first) ?? null))
    );
  }
  return isOptional(type) ? typeName(value) === "optional_type" : typeName(value) === type.name;
}
