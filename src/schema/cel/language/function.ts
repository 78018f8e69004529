import {
  boolType,
  bytesType,
  cidrType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  ipType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  paramOf,
  quantityType,
  semverType,
  stringType,
  structOf,
  type Type,
  timestampType,
  typeOf,
  uintType,
  urlType,
} from "./types.ts";
import { noSuchOverload, type Value } from "./values.ts";
import type { Work } from "./work.ts";

/** The implementation of a function; it never gets errors as arguments. */
export type Run = (a: Value, b: Value, c: Value, d: Value, work: Work) => Value;

type Guard<T extends Value = Value> = (value: Value) => value is T;
type Guarded<G> = G extends Guard<infer T extends Value> ? T : never;
type Arguments<Gs extends readonly Guard[]> = { readonly [K in keyof Gs]: Guarded<Gs[K]> };

/** A function of values of certain types, and of the work that it does. */
export function taking<const Gs extends readonly Guard[]>(
  guards: Gs,
  run: (...args: [...Arguments<Gs>, Work]) => Value,
): Run {
  return (a, b, c, d, work) => {
    const args: readonly Value[] = [a, b, c, d].slice(0, guards.length);
    if (!guards.every((guard, index) => guard(args[index] ?? null))) return noSuchOverload;
    // What every guard has let pass has the types of the guards, which TypeScript cannot follow for a tuple.
    return run(...([...args, work] as unknown as [...Arguments<Gs>, Work]));
  };
}

/** One of the ways in which a function or method can be called. */
export interface Overload {
  /** As cel-go names it: costs depend on it. */
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** Whether cel-go binds one implementation for all overloads, which checks its values itself. */
  readonly singleton: boolean;
  /** Absent where the planner implements it: operators, `or`. */
  readonly run?: Run;
}

/** A function by its name, with its overloads in the order in which they are tried. */
export interface Fn {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A row of a library: the signature is `list(A).indexOf(A): int` for a method, `size(string): int` for a function. */
export type Row = readonly [id: string, signature: string, run?: Run, binding?: "singleton"];

/** The functions that rows of several libraries declare, by name. */
export function functionsOf(rows: readonly Row[]): ReadonlyMap<string, Fn> {
  const functions = new Map<string, Overload[]>();
  for (const [id, signature, run, binding] of rows) {
    const { name, ...overload } = readSignature(signature);
    const known = functions.get(name) ?? [];
    functions.set(name, [
      ...known,
      { id, ...overload, singleton: binding === "singleton", ...(run && { run }) },
    ]);
  }
  return new Map([...functions].map(([name, overloads]) => [name, { name, overloads }]));
}

const simple: ReadonlyMap<string, Type> = new Map([
  ["bool", boolType],
  ["bytes", bytesType],
  ["double", doubleType],
  ["dyn", dynType],
  ["int", intType],
  ["null", nullType],
  ["string", stringType],
  ["uint", uintType],
  ["timestamp", timestampType],
  ["duration", durationType],
  ["URL", urlType],
  ["Quantity", quantityType],
  ["Format", formatType],
  ["Semver", semverType],
  ["IP", ipType],
  ["CIDR", cidrType],
  ...["Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"].map(
    (name) => [name, structOf(`kubernetes.authorization.${name}`)] as const,
  ),
]);

interface Signature {
  readonly name: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
}

/** A method is written with a space before its dot, since functions may have dots in their names. */
function readSignature(text: string): Signature {
  const [, receiver, name = "", args = "", result = ""] =
    /^(?:(\S+) \.)?([^\s(]+)\((.*)\): (\S+)$/.exec(text.replaceAll(/,\s+/g, ",")) ?? [];
  const types = splitTypes(args).map(readType);
  return {
    name,
    member: receiver !== undefined,
    args: receiver === undefined ? types : [readType(receiver), ...types],
    result: readType(result),
  };
}

function readType(text: string): Type {
  const [, name = "", params] = /^(\w+)(?:\((.*)\))?$/.exec(text) ?? [];
  const [first, second] = params === undefined ? [] : splitTypes(params).map(readType);
  switch (name) {
    case "list":
      return listOf(first ?? dynType);
    case "map":
      return mapOf(first ?? dynType, second ?? dynType);
    case "optional":
      return optionalOf(first ?? dynType);
    case "type":
      return typeOf(first);
  }
  return simple.get(name) ?? paramOf(name);
}

function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
    else if (at === text.length || (text[at] === "," && depth === 0)) {
      if (at > from) parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}
