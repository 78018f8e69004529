import { internalError, invalid, invalidAs, type SchemaFault } from "../../fault.ts";
import type { Rule, Schema } from "../../model.ts";
import { child, entry, item, type Place } from "../../place.ts";
import { printRule } from "../../structural/print-schema.ts";
import { largestCost, type Total, total } from "../cost/limits.ts";
import { asResource, type Decl, declare, maxRequest, typesOf } from "./declare.ts";
import { type Compilation, type CompiledRule, compileRule } from "./rule.ts";

/** A node of a schema with its rules, and those below it that have any. */
export interface RuleTree {
  readonly schema: Schema;
  /** The schema as rules see it: a resource always has its kind and its names. */
  readonly seen: Schema;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  /** Whether any rule here or below uses the old value. */
  readonly usesOld: boolean;
}

/** A rule that does not compile, other than for its cost. */
export interface RuleError {
  /** Whether the rule stands at the root of the schema and it is its expression that is wrong. */
  readonly isOwn: boolean;
  readonly why: string;
}

/** The rules of a schema, and the faults that the API server reports when its CRD is created. */
export interface CompiledTree {
  readonly tree: RuleTree | undefined;
  readonly faults: readonly SchemaFault[];
  readonly errors: readonly RuleError[];
}

/**
 * Compiles the rules of a schema that stands at a place of a CRD (apiextensions, ValidateCustomResourceDefinitionOpenAPISchema).
 * Rules of a faulty node are not reported.
 */
export function compileTree(schema: Schema, at: string, isFaulty: (node: string) => boolean): CompiledTree {
  const root: Place = { text: at, path: [] };
  const compiler = new Compiler(root, isFaulty);
  const tree = compiler.compile({ schema, place: root, isResource: true, count: 1, within: undefined });
  return { tree, faults: compiler.faults(), errors: compiler.errors };
}

/** Where the compiler is: how often values of this node can be there, and the place below which no old value is found. */
interface Spot {
  readonly schema: Schema;
  readonly place: Place;
  readonly isResource: boolean;
  readonly count: number | undefined;
  readonly within: string | undefined;
}

class Compiler {
  readonly errors: RuleError[] = [];
  readonly #root: Place;
  readonly #isFaulty: (node: string) => boolean;
  readonly #faults: SchemaFault[] = [];
  readonly #total: Total;

  constructor(root: Place, isFaulty: (node: string) => boolean) {
    this.#root = root;
    this.#isFaulty = isFaulty;
    this.#total = total(root);
  }

  faults(): readonly SchemaFault[] {
    return [...this.#faults, ...this.#total.faults()];
  }

  compile(spot: Spot): RuleTree | undefined {
    const { schema } = spot;
    const below = { ...spot, count: multiplied(spot.count, mostOf(schema)) };
    const additional =
      schema.additional && this.compile(inside(below, "additionalProperties", schema.additional));
    const properties = this.#properties(below);
    const items = schema.items && this.compile(this.#items(below, schema.items));
    const rules = this.#rules(spot);
    const trees = [additional, items, ...properties.values()].filter((tree) => tree !== undefined);
    if (rules.length === 0 && trees.length === 0) return undefined;
    const usesOld = rules.some(({ program }) => program.usesOldSelf) || trees.some((tree) => tree.usesOld);
    const seen = spot.isResource ? asResource(schema) : schema;
    return { schema, seen, rules, properties, additional, items, usesOld };
  }

  #properties(spot: Spot): ReadonlyMap<string, RuleTree> {
    const trees = new Map<string, RuleTree>();
    const place = child(spot.place, "properties");
    const within = correlatable.has(spot.schema.mapType ?? "") ? spot.within : outermost(spot);
    for (const [name, schema] of spot.schema.properties) {
      const isResource = schema.embedded;
      const tree = this.compile({ ...spot, schema, place: entry(place, name), isResource, within });
      if (tree !== undefined) trees.set(name, tree);
    }
    return trees;
  }

  /** Old items are found by their keys alone. */
  #items(spot: Spot, schema: Schema): Spot {
    const items = inside(spot, "items", schema);
    return spot.schema.listType === "map" ? items : { ...items, within: outermost(spot) };
  }

  #rules(spot: Spot): readonly CompiledRule[] {
    const { schema, place } = spot;
    if (schema.validations.length === 0) return [];
    const isFaulty = this.#isFaulty(place.text);
    const decl = declare(schema, spot.isResource);
    if (decl === undefined) {
      if (!isFaulty) this.#noteUntyped(place);
      return [];
    }
    const declared = typesOf(decl);
    return schema.validations.flatMap((rule, index) => {
      const compiled = compileRule(rule, schema, decl, declared);
      const at = item(child(place, "x-kubernetes-validations"), index);
      if (!isFaulty) this.#note(rule, compiled, decl, spot, at);
      return compiled.rule ?? [];
    });
  }

  #note(rule: Rule, { rule: compiled, fault, messageFault }: Compilation, decl: Decl, spot: Spot, at: Place) {
    const [rulePlace, messagePlace] = [child(at, "rule"), child(at, "messageExpression")];
    const count = spot.count ?? Math.trunc(maxRequest / (decl.least + 1));
    const cost = Math.min((compiled?.program.maxCost ?? 0) * count, largestCost);
    this.#noteCost(rulePlace, "estimated rule cost", cost);
    if (fault !== undefined) {
      this.#noteError(invalidAs(rulePlace, printRule(rule), fault), fault, spot.place === this.#root);
    }
    if (messageFault !== undefined) {
      this.#noteError(invalidAs(messagePlace, printRule(rule), messageFault), messageFault, false);
    }
    const message = compiled?.messageProgram;
    if (message !== undefined)
      this.#noteCost(messagePlace, "estimated messageExpression cost", message.maxCost);
    if (compiled?.program.usesOldSelf) {
      if (spot.within !== undefined) this.#noteUncorrelated(rulePlace, rule, spot.within);
    } else if (rule.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      this.#noteError(invalid(child(at, "optionalOldSelf"), rule.optionalOldSelf, why), why, false);
    }
  }

  #noteCost(place: Place, name: string, cost: number): void {
    const fault = this.#total.add(place, name, cost);
    if (fault !== undefined) this.#faults.push(fault);
  }

  #noteError(fault: SchemaFault, why: string, isOwn: boolean): void {
    this.#faults.push(fault);
    this.errors.push({ isOwn, why });
  }

  #noteUncorrelated(place: Place, { rule }: Rule, within: string): void {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${within}`;
    this.#noteError(invalid(place, rule, why), why, false);
  }

  #noteUntyped(place: Place): void {
    const why =
      "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
    this.#noteError(internalError(child(place, "x-kubernetes-validations"), why), why, false);
  }
}

// An unknown type of map correlates nothing.
const correlatable = new Set(["", "granular", "atomic"]);

/** The outermost place counts. */
function outermost({ within, place }: Spot): string {
  return within ?? place.text;
}

function inside(spot: Spot, key: string, schema: Schema): Spot {
  return { ...spot, schema, place: child(spot.place, key), isResource: schema.embedded };
}

/** How many values a node can have directly below it; undefined where nothing limits them. */
function mostOf({ type, maxItems, maxProperties, allowsAdditional }: Schema): number | undefined {
  if (type === "array") return atLeastZero(maxItems);
  return type === "object" && allowsAdditional !== undefined ? atLeastZero(maxProperties) : 1;
}

function atLeastZero(size: number | undefined): number | undefined {
  return size === undefined ? undefined : Math.max(0, size);
}

function multiplied(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a * b, largestCost);
}
