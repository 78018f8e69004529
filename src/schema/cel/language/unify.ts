import { dynType, intType, isSame, listOf, mapOf, paramAt, type Type, typeOf } from "./types.ts";

/**
 * What is known of the types that are yet to be found, while an expression is checked (cel-go checker/types.go,
 * mapping.go). A comparison that fails is rolled back.
 */
export class Unifier {
  readonly #bound = new Map<string, Type>();
  readonly #trail: [string, Type | undefined][] = [];
  #fresh = 0;

  /** A type that nothing is known of yet. */
  newParam(): Type {
    return { kind: "param", name: `_var${this.#fresh++}`, params: [] };
  }

  /** Whether the second type can be assigned to the first; binds open types accordingly. */
  isAssignable(a: Type, b: Type): boolean {
    return this.isAssignableAll([a], [b]);
  }

  isAssignableAll(a: readonly Type[], b: readonly Type[]): boolean {
    const before = this.#trail.length;
    if (a.length === b.length && a.every((type, index) => this.#assign(type, b[index] ?? dynType)))
      return true;
    for (const [name, old] of this.#trail.splice(before).reverse()) {
      if (old === undefined) this.#bound.delete(name);
      else this.#bound.set(name, old);
    }
    return false;
  }

  /** The type with all that is known filled in; what stays open becomes dyn on request. */
  substitute(type: Type, open: "keep" | "dyn" = "keep"): Type {
    const bound = type.kind === "param" ? this.#bound.get(type.name) : undefined;
    if (bound !== undefined) return this.substitute(bound, open);
    if (type.kind === "param") return open === "dyn" ? dynType : type;
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((param) => this.substitute(param, open)) };
  }

  #bind(name: string, type: Type): void {
    this.#trail.push([name, this.#bound.get(name)]);
    this.#bound.set(name, type);
  }

  #assign(a: Type, b: Type): boolean {
    if (b.kind === "param") {
      const { valid, bound } = this.#substitutes(a, b);
      if (valid || bound) return valid;
    }
    if (a.kind === "param") return this.#substitutes(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === "null" || b.kind === "null") return isNullable(a.kind === "null" ? b : a);
    if (a.kind === "type") return b.kind === "type";
    if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
    return a.params.every((param, index) => this.#assign(param, paramAt(b, index)));
  }

  /** Whether `type` may be what `open` is, and whether anything was known of that before. */
  #substitutes(type: Type, open: Type): { readonly valid: boolean; readonly bound: boolean } {
    if (isSame(type, open)) return { valid: true, bound: true };
    const known = this.#bound.get(open.name);
    if (known !== undefined) {
      if (isSame(type, known)) return { valid: true, bound: true };
      if (!this.#assign(type, known)) return { valid: false, bound: true };
      const general = mostGeneral(type, known);
      if (!this.#occursIn(open, general)) this.#bind(open.name, general);
      return { valid: true, bound: true };
    }
    if (this.#occursIn(open, type)) return { valid: false, bound: false };
    this.#bind(open.name, type);
    return { valid: true, bound: false };
  }

  #occursIn(open: Type, type: Type): boolean {
    if (isSame(open, type)) return true;
    if (type.kind === "param") {
      const known = this.#bound.get(type.name);
      return known !== undefined && this.#occursIn(open, known);
    }
    return type.params.some((param) => this.#occursIn(open, param));
  }
}

/** The more general of two types that fit each other: `dyn` before all else. */
export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

/** Whether a type is dyn or an error. */
export function isDynOrError(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind !== "opaque" && a.kind !== "list" && a.kind !== "map") return isSame(a, b);
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => isLessSpecific(param, paramAt(b, index)))
  );
}

/** Null stands for objects, opaque things and times as well (`isLegacyNullable`). */
function isNullable(type: Type): boolean {
  return ["null", "opaque", "struct", "duration", "timestamp", "dyn", "error"].includes(type.kind);
}

/** The type of a comprehension's variables over a type: of one variable, or of two. */
export function iterationOf(range: Type): readonly [single: Type, first: Type, second: Type] | undefined {
  switch (range.kind) {
    case "list":
      return [paramAt(range, 0), intType, paramAt(range, 0)];
    case "map":
      return [paramAt(range, 0), paramAt(range, 0), paramAt(range, 1)];
    case "dyn":
    case "error":
    case "param":
      return [dynType, dynType, dynType];
  }
  return undefined;
}

/** A signature's own parameters (`A`, `K`) as types of this call alone. */
export function instantiate(types: readonly Type[], unifier: Unifier): readonly Type[] {
  const fresh = new Map<string, Type>();
  const open = (type: Type): Type => {
    if (type.kind !== "param")
      return type.params.length === 0 ? type : withParams(type, type.params.map(open));
    const known = fresh.get(type.name) ?? unifier.newParam();
    fresh.set(type.name, known);
    return known;
  };
  return types.map(open);
}

function withParams(type: Type, params: readonly Type[]): Type {
  switch (type.kind) {
    case "list":
      return listOf(params[0] ?? dynType);
    case "map":
      return mapOf(params[0] ?? dynType, params[1] ?? dynType);
    case "type":
      return typeOf(params[0]);
  }
  return { ...type, params };
}
