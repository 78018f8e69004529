import { invalid, invalidAs, type SchemaFault } from "../../model/fault.ts";
import type { KubernetesVersion } from "../../model/kubernetes-version.ts";
import { child, entry, item, type Place } from "../../model/place.ts";
import { printRule } from "../../model/print-schema.ts";
import type { Rule, Schema } from "../../model/schema.ts";
import { largestCost, type Total, total } from "../cost/limits.ts";
import { asResource, type Decl, maxRequest, typesOf } from "./declare.ts";
import { type Compilation, type CompiledRule, compileRule } from "./rule.ts";
import {
  type Inherited,
  inheritedBy,
  isSameDecl,
  noDeclaration,
  rootInheritance,
  type Step,
  untyped,
} from "./type-info.ts";

/** A node of a schema with its rules, and those below it that have any. */
export interface RuleTree {
  readonly schema: Schema;
  /** The schema as rules see it: a resource always has its kind and its names. */
  readonly seen: Schema;
  readonly rules: readonly CompiledRule[];
  /** Why other rules cannot run: they do not compile with the declaration that the API server has when they run. */
  readonly broken: readonly string[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  /** Whether any rule here or below uses the old value. */
  readonly usesOld: boolean;
}

/** The rules of a schema, and the faults that the API server reports when its CRD is created. */
interface CompiledTree {
  readonly tree: RuleTree | undefined;
  readonly faults: readonly SchemaFault[];
}

interface TreeOptions {
  readonly at: string;
  readonly isFaulty: (node: string) => boolean;
  readonly kubernetes: KubernetesVersion;
}

/**
 * Compiles the rules of a schema that stands at a place of a CRD (apiextensions, ValidateCustomResourceDefinitionOpenAPISchema).
 * Rules of a faulty node are not reported.
 */
export function compileTree(schema: Schema, { at, isFaulty, kubernetes }: TreeOptions): CompiledTree {
  const root: Place = { text: at, path: [] };
  const compiler = new Compiler(root, isFaulty, kubernetes);
  const inherited = rootInheritance(schema, kubernetes);
  const tree = compiler.compile({
    schema,
    place: root,
    isResource: true,
    count: 1,
    within: undefined,
    inherited,
  });
  return { tree, faults: compiler.faults() };
}

/** Where the compiler is: how often values of this node can be there, and the place below which no old value is found. */
interface Spot {
  readonly schema: Schema;
  readonly place: Place;
  readonly isResource: boolean;
  readonly count: number | undefined;
  readonly within: string | undefined;
  readonly inherited: Inherited;
}

class Compiler {
  readonly #isFaulty: (node: string) => boolean;
  readonly #kubernetes: KubernetesVersion;
  readonly #faults: SchemaFault[] = [];
  readonly #total: Total;

  constructor(root: Place, isFaulty: (node: string) => boolean, kubernetes: KubernetesVersion) {
    this.#isFaulty = isFaulty;
    this.#kubernetes = kubernetes;
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
    const { rules, broken } = this.#rules(spot);
    const trees = [additional, items, ...properties.values()].filter((tree) => tree !== undefined);
    if (rules.length === 0 && broken.length === 0 && trees.length === 0) return undefined;
    // The API server reports the faults of such rules when the CRD is created, and never runs them.
    if (!spot.inherited.isRun) return undefined;
    const usesOld = rules.some(({ program }) => program.usesOldSelf) || trees.some((tree) => tree.usesOld);
    const seen = spot.isResource ? asResource(schema, this.#kubernetes) : schema;
    return { schema, seen, rules, broken, properties, additional, items, usesOld };
  }

  #properties(spot: Spot): ReadonlyMap<string, RuleTree> {
    const trees = new Map<string, RuleTree>();
    const place = child(spot.place, "properties");
    const within = correlatable.has(spot.schema.mapType ?? "") ? spot.within : outermost(spot);
    for (const [name, schema] of spot.schema.properties) {
      const isResource = schema.embedded;
      const inherited = inheritedBy(schema, { property: name }, spot.inherited);
      const tree = this.compile({
        ...spot,
        schema,
        place: entry(place, name),
        isResource,
        within,
        inherited,
      });
      if (tree !== undefined) trees.set(name, tree);
    }
    return trees;
  }

  /** Old items are found by their keys alone. */
  #items(spot: Spot, schema: Schema): Spot {
    const items = inside(spot, "items", schema);
    return spot.schema.listType === "map" ? items : { ...items, within: outermost(spot) };
  }

  #rules(spot: Spot): Pick<RuleTree, "rules" | "broken"> {
    const { schema, place, inherited } = spot;
    if (schema.validations.length === 0) return { rules: [], broken: [] };
    const isFaulty = this.#isFaulty(place.text);
    const { info = "undeclared", decl } = inherited;
    const validations = child(place, "x-kubernetes-validations");
    if (typeof info === "string") {
      if (!isFaulty) this.#faults.push(untyped(validations, info));
      return running(decl && compileAll(schema, decl, this.#kubernetes));
    }
    const compiled = compileAll(schema, info, this.#kubernetes);
    for (const [index, compilation] of compiled.entries()) {
      if (!isFaulty) this.#note(compilation, info, spot, item(validations, index));
    }
    return running(isSameDecl(info, decl) ? compiled : decl && compileAll(schema, decl, this.#kubernetes));
  }

  #note(compilation: RuleCompilation, decl: Decl, spot: Spot, at: Place) {
    const { source: rule, rule: compiled, fault, messageFault } = compilation;
    const [rulePlace, messagePlace] = [child(at, "rule"), child(at, "messageExpression")];
    const count = spot.count ?? Math.trunc(maxRequest / (decl.least + 1));
    const cost = Math.min((compiled?.program.maxCost ?? 0) * count, largestCost);
    this.#noteCost(rulePlace, "estimated rule cost", cost);
    if (fault !== undefined) {
      this.#faults.push(invalidAs(rulePlace, printRule(rule), fault));
    }
    if (messageFault !== undefined) {
      this.#faults.push(invalidAs(messagePlace, printRule(rule), messageFault));
    }
    const message = compiled?.messageProgram;
    if (message !== undefined)
      this.#noteCost(messagePlace, "estimated messageExpression cost", message.maxCost);
    if (compiled?.program.usesOldSelf) {
      if (spot.within !== undefined) this.#noteUncorrelated(rulePlace, rule, spot.within);
    } else if (rule.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      this.#faults.push(invalid(child(at, "optionalOldSelf"), rule.optionalOldSelf, why));
    }
  }

  #noteCost(place: Place, name: string, cost: number): void {
    const fault = this.#total.add(place, name, cost);
    if (fault !== undefined) this.#faults.push(fault);
  }

  #noteUncorrelated(place: Place, { rule }: Rule, within: string): void {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${within}`;
    this.#faults.push(invalid(place, rule, why));
  }
}

type RuleCompilation = Compilation & { readonly source: Rule };

function compileAll(schema: Schema, decl: Decl, kubernetes: KubernetesVersion): readonly RuleCompilation[] {
  const seen = { decl, declared: typesOf(decl), kubernetes };
  return schema.validations.map((source) => ({ source, ...compileRule(source, schema, seen) }));
}

/** What runs of the rules of a node; undefined for one without a declaration (schema/cel/validation.go, validateExpressions). */
function running(compilations: readonly Compilation[] | undefined): Pick<RuleTree, "rules" | "broken"> {
  if (compilations === undefined) {
    return { rules: [], broken: [`rule compiler initialization error: ${noDeclaration}`] };
  }
  return {
    rules: compilations.flatMap(({ rule }) => rule ?? []),
    broken: compilations.flatMap(({ fault }) =>
      fault === undefined ? [] : [`rule compile error: ${fault}`],
    ),
  };
}

// An unknown type of map correlates nothing.
const correlatable = new Set(["", "granular", "atomic"]);

/** The outermost place counts. */
function outermost({ within, place }: Spot): string {
  return within ?? place.text;
}

function inside(spot: Spot, key: Step & string, schema: Schema): Spot {
  const inherited = inheritedBy(schema, key, spot.inherited);
  return { ...spot, schema, place: child(spot.place, key), isResource: schema.embedded, inherited };
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
