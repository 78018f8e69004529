import { isSince, type KubernetesVersion } from "../../model/kubernetes-version.ts";
import {
  type Call,
  type Expr,
  type Fold,
  type ListExpr,
  type MapExpr,
  nameOf,
  type Select,
  type StructExpr,
} from "./ast.ts";
import type { Fn } from "./function.ts";
import type { Issue } from "./issue.ts";
import {
  boolType,
  dynType,
  errorType,
  isOptional,
  isSame,
  listOf,
  mapOf,
  optionalOf,
  paramAt,
  printType,
  type Type,
} from "./types.ts";
import { instantiate, isDynOrError, iterationOf, mostGeneral, Unifier } from "./unify.ts";

/** What an expression can name. */
export interface Environment {
  readonly variableType: (name: string) => Type | undefined;
  readonly function: (name: string) => Fn | undefined;
  readonly fieldType: (struct: string, field: string) => Type | undefined;
  /** The release of the API server. */
  readonly kubernetes: KubernetesVersion;
}

/** The result of the checker: the type of every node, which overloads a call may mean, what a name stands for. */
export interface Checked {
  readonly expr: Expr;
  /** Of the whole expression. */
  readonly type: Type;
  readonly types: ReadonlyMap<Expr, Type>;
  readonly calls: ReadonlyMap<Expr, Resolved>;
  readonly names: ReadonlyMap<Expr, string>;
}

/** The function that a call names, and the overloads that its arguments allow. */
export interface Resolved {
  readonly fn: string;
  readonly ids: readonly string[];
  /** Whether the target is an argument: not with `ip.isCanonical(x)`, where `ip` is but a part of the name. */
  readonly member: boolean;
}

/** Checks the types of an expression as cel-go does (checker/checker.go). */
export function check(expr: Expr, environment: Environment): Checked | { readonly issues: readonly Issue[] } {
  const checker = new Checker(environment);
  const type = checker.check(expr);
  return checker.issues.length > 0 ? { issues: checker.issues } : checker.checked(expr, type);
}

interface Scope {
  readonly name: string;
  readonly type: Type;
  readonly outer: Scope | undefined;
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: Environment;
  readonly #unifier = new Unifier();
  readonly #types = new Map<Expr, Type>();
  readonly #calls = new Map<Expr, Resolved>();
  readonly #names = new Map<Expr, string>();
  #scope: Scope | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  checked(expr: Expr, type: Type): Checked {
    const known = (open: Type) => this.#unifier.substitute(open, "dyn");
    const types = new Map([...this.#types].map(([node, open]) => [node, known(open)]));
    return { expr, type: known(type), types, calls: this.#calls, names: this.#names };
  }

  check(expr: Expr): Type {
    const type = this.#typeOf(expr);
    this.#types.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case "literal":
        return expr.type;
      case "ident":
        return this.#ident(expr, expr.name) ?? this.#undeclared(expr, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "fold":
        return this.#fold(expr);
    }
  }

  #note(at: number, message: string): Type {
    this.issues.push({ at, message });
    return errorType;
  }

  #undeclared(expr: Expr, name: string): Type {
    return this.#note(expr.at, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(at: number, expected: Type, found: Type): Type {
    return this.#note(at, `expected type '${printType(expected)}' but found '${printType(found)}'`);
  }

  #ident(expr: Expr, written: string): Type | undefined {
    // Since v1.37 a leading dot asks for the outermost meaning, and a variable hides names that begin with its own.
    const name = written.startsWith(".") ? written.slice(1) : written;
    const isScoped = isSince(this.#environment.kubernetes, "1.37");
    const isGlobal = isScoped && written !== name;
    if (isScoped && !isGlobal && name.includes(".") && this.#local(name.split(".")[0] ?? "") !== undefined)
      return undefined;
    const local = this.#local(name);
    const type = (isGlobal ? undefined : local) ?? this.#environment.variableType(name);
    if (type !== undefined) this.#names.set(expr, isGlobal && local !== undefined ? written : name);
    return type;
  }

  #local(name: string): Type | undefined {
    for (let scope = this.#scope; scope !== undefined; scope = scope.outer) {
      if (scope.name === name) return scope.type;
    }
    return undefined;
  }

  #select(expr: Select): Type {
    const qualified = nameOf(expr);
    const named = qualified === undefined ? undefined : this.#ident(expr, qualified);
    if (named !== undefined) return named;
    const result = this.#field(expr, expr.operand, expr.field, false);
    return expr.test ? boolType : this.#unifier.substitute(result);
  }

  #field(expr: Expr, operand: Expr, field: string, optional: boolean): Type {
    const operandType = this.#unifier.substitute(this.check(operand));
    const wrapped = isOptional(operandType);
    const result = this.#fieldOf(expr, wrapped ? paramAt(operandType, 0) : operandType, field);
    return wrapped || optional ? optionalOf(result) : result;
  }

  #fieldOf(expr: Expr, target: Type, field: string): Type {
    switch (target.kind) {
      case "map":
        return paramAt(target, 1);
      case "struct":
        return (
          this.#environment.fieldType(target.name, field) ?? this.#note(expr.at, `undefined field '${field}'`)
        );
      case "param":
        this.#unifier.isAssignable(dynType, target);
        return dynType;
    }
    if (!isDynOrError(target)) {
      this.#note(expr.at, `type '${printType(target)}' does not support field selection`);
    }
    return dynType;
  }

  #call(expr: Call): Type {
    const [operand, field] = expr.args;
    if (expr.fn === "_?._" && operand !== undefined && field !== undefined) {
      return this.#optionalField(expr, operand, field);
    }
    for (const arg of expr.args) this.check(arg);
    const { target } = expr;
    if (target === undefined) {
      const name = expr.fn.startsWith(".") ? expr.fn.slice(1) : expr.fn;
      const fn = this.#environment.function(name);
      return fn === undefined ? this.#undeclared(expr, expr.fn) : this.#resolve(expr, fn, undefined);
    }
    const prefix = nameOf(target);
    const namespaced = prefix === undefined ? undefined : this.#environment.function(`${prefix}.${expr.fn}`);
    if (namespaced !== undefined) return this.#resolve(expr, namespaced, undefined);
    this.check(target);
    const fn = this.#environment.function(expr.fn);
    return fn === undefined ? this.#undeclared(expr, expr.fn) : this.#resolve(expr, fn, target);
  }

  #optionalField(expr: Call, operand: Expr, field: Expr): Type {
    const name = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
    this.#calls.set(expr, { fn: expr.fn, ids: ["select_optional_field"], member: false });
    return this.#unifier.substitute(this.#field(expr, operand, name, true));
  }

  #resolve(expr: Call, fn: Fn, target: Expr | undefined): Type {
    if (fn.name === "_&&_" || fn.name === "_||_") return this.#logical(expr, fn);
    const args = target === undefined ? expr.args : [target, ...expr.args];
    const types = args.map((arg) => this.#types.get(arg) ?? errorType);
    const ids: string[] = [];
    let result: Type | undefined;
    for (const overload of fn.overloads) {
      if (overload.member !== (target !== undefined)) continue;
      const [asResult = dynType, ...parameters] = instantiate(
        [overload.result, ...overload.args],
        this.#unifier,
      );
      if (!this.#unifier.isAssignableAll(types, parameters)) continue;
      ids.push(overload.id);
      const found = this.#unifier.substitute(asResult);
      if (result === undefined) result = found;
      else if (result.kind !== "dyn" && !isSame(found, result)) result = dynType;
    }
    if (result === undefined) return this.#noOverload(expr, fn, types, target !== undefined);
    this.#calls.set(expr, { fn: fn.name, ids, member: target !== undefined });
    return result;
  }

  #logical(expr: Call, fn: Fn): Type {
    const wrong = expr.args.filter(
      (arg) => !this.#unifier.isAssignable(this.#types.get(arg) ?? errorType, boolType),
    );
    for (const arg of wrong) this.#mismatch(arg.at, boolType, this.#types.get(arg) ?? errorType);
    if (wrong.length > 0) return errorType;
    this.#calls.set(expr, { fn: fn.name, ids: fn.overloads.map(({ id }) => id), member: false });
    return boolType;
  }

  #noOverload(expr: Call, fn: Fn, types: readonly Type[], member: boolean): Type {
    const printed = types.map((type) => printType(this.#unifier.substitute(type, "dyn")));
    const signature = member ? `${printed[0]}.(${printed.slice(1).join(", ")})` : `(${printed.join(", ")})`;
    return this.#note(expr.at, `found no matching overload for '${fn.name}' applied to '${signature}'`);
  }

  #list(expr: ListExpr): Type {
    let joined: Type | undefined;
    for (const [index, element] of expr.elements.entries()) {
      const type = this.#unwrapped(element, this.check(element), expr.optional[index] === true);
      joined = this.#join(joined, type);
    }
    return listOf(joined ?? this.#unifier.newParam());
  }

  #map(expr: MapExpr): Type {
    let [keys, values]: (Type | undefined)[] = [];
    for (const entry of expr.entries) {
      keys = this.#join(keys, this.check(entry.key));
      values = this.#join(values, this.#unwrapped(entry.value, this.check(entry.value), entry.optional));
    }
    return mapOf(keys ?? this.#unifier.newParam(), values ?? this.#unifier.newParam());
  }

  #unwrapped(expr: Expr, type: Type, optional: boolean): Type {
    if (!optional) return type;
    if (isOptional(type)) return paramAt(type, 0);
    if (type.kind !== "dyn") this.#mismatch(expr.at, optionalOf(type), type);
    return type;
  }

  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    if (this.#unifier.isAssignable(previous, current)) return mostGeneral(previous, current);
    // Several types: validators.ts reports that where it matters.
    return dynType;
  }

  #struct(expr: StructExpr): Type {
    const name = expr.name.startsWith(".") ? expr.name.slice(1) : expr.name;
    const type = this.#ident(expr, expr.name);
    // Since v1.37 the name before the braces is not looked for among the variables.
    const isVariable = isSince(this.#environment.kubernetes, "1.37") && type?.kind !== "type";
    if (type === undefined || isVariable) return this.#undeclared(expr, expr.name);
    const result = this.#messageType(expr, name, type);
    for (const field of expr.fields) {
      const value = this.#unwrapped(field.value, this.check(field.value), field.optional);
      if (result.kind === "error") {
        this.#note(field.at, `unexpected failed resolution of '${name}'`);
        continue;
      }
      const expected =
        result.kind === "struct" ? this.#environment.fieldType(result.name, field.name) : undefined;
      if (expected === undefined) this.#note(field.at, `undefined field '${field.name}'`);
      else if (!this.#unifier.isAssignable(expected, value)) {
        const [wanted, given] = [printType(expected), printType(value)];
        this.#note(
          field.at,
          `expected type of field '${field.name}' is '${wanted}' but provided type is '${given}'`,
        );
      }
    }
    return result;
  }

  #messageType(expr: Expr, name: string, type: Type): Type {
    if (type.kind !== "type") return this.#note(expr.at, `'${type.name}' is not a type`);
    const made = paramAt(type, 0);
    if (made.kind === "struct" || made.kind === "timestamp" || made.kind === "duration") return made;
    return this.#note(expr.at, `'${name}' is not a message type`);
  }

  #fold(expr: Fold): Type {
    this.check(expr.range);
    const accu = this.check(expr.init);
    const range = this.#unifier.substitute(this.#types.get(expr.range) ?? errorType);
    const outer = this.#scope;
    this.#declare(expr.accuVar, accu);
    const inner = this.#scope;
    const [single, first, second] = this.#iteration(expr, range);
    this.#declare(expr.iterVar, expr.iterVar2 === undefined ? single : first);
    if (expr.iterVar2 !== undefined) this.#declare(expr.iterVar2, second);
    this.check(expr.condition);
    this.#assert(expr.condition, boolType);
    this.check(expr.step);
    this.#assert(expr.step, accu);
    this.#scope = inner;
    const result = this.check(expr.result);
    this.#scope = outer;
    return this.#unifier.substitute(result);
  }

  #declare(name: string, type: Type): void {
    this.#scope = { name, type, outer: this.#scope };
  }

  #iteration(expr: Fold, range: Type): readonly [Type, Type, Type] {
    if (range.kind === "param" || isDynOrError(range)) this.#unifier.isAssignable(dynType, range);
    const types = iterationOf(range);
    if (types !== undefined) return types;
    const message = `expression of type '${printType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    this.#note(expr.range.at, message);
    return [errorType, errorType, errorType];
  }

  #assert(expr: Expr, type: Type): void {
    const found = this.#types.get(expr) ?? errorType;
    if (!this.#unifier.isAssignable(type, found)) this.#mismatch(expr.at, type, found);
  }
}
