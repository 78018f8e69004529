import { isObject, type Json, type JsonObject, own } from "../../json/json.ts";
import type { SchemaFault } from "../fault.ts";
import { type Decl, declare, typesOf } from "./declare.ts";
import { below, faultAt, goJson, invalid, type Place } from "./fault-text.ts";
import { largestCost, type Total, total } from "./limits.ts";
import { type Node, nodeOf } from "./node.ts";
import { type CompiledRule, compileRule, printRule, type Rule, wordFaults } from "./rule.ts";

/** A node of the schema with its rules, and those below it that have any. */
export interface RuleTree {
  readonly node: Node;
  readonly isResource: boolean;
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
  /** Whether any rule here or below looks at the old value. */
  readonly looksBack: boolean;
}

/** The rules of a schema that stands at a place of a CRD, and what the server says of them (apiextensions validation.go). */
export function ruleTreeOf(
  schema: Json,
  at: string,
): { readonly tree: RuleTree | undefined; readonly faults: readonly SchemaFault[] } {
  const compiler = new Compiler(at);
  const place = { field: "", path: [] };
  const tree = compiler.compile({
    node: nodeOf(schema),
    schema,
    place,
    isResource: true,
    count: 1,
    within: undefined,
  });
  return { tree, faults: compiler.faults() };
}

/** Where the compiler is: how often values of this node can be there, and what above it cannot be told apart. */
interface Spot {
  readonly node: Node;
  readonly schema: Json;
  readonly place: Place;
  readonly isResource: boolean;
  readonly count: number | undefined;
  readonly within: string | undefined;
}

class Compiler {
  readonly #at: string;
  readonly #words: SchemaFault[] = [];
  readonly #compiled: SchemaFault[] = [];
  readonly #total: Total = total();

  constructor(at: string) {
    this.#at = at;
  }

  faults(): readonly SchemaFault[] {
    return [...this.#words, ...this.#compiled, ...this.#total.faults()];
  }

  compile(spot: Spot): RuleTree | undefined {
    const before = this.#words.length;
    const { node } = spot;
    const spotInside = { ...spot, count: multiplied(spot.count, mostOf(node, spot.schema)) };
    const additional =
      node.additional && this.compile(inside(spotInside, "additionalProperties", node.additional));
    const properties = this.#properties(spotInside);
    const items = node.items && this.compile(this.#items(spotInside, node.items));
    for (const [index, rule] of node.rules.entries()) {
      this.#words.push(...wordFaults(rule, node, rulePlace(spot, index)));
    }
    const rules = this.#rules(spot, this.#words.length === before);
    const isBare =
      rules.length === 0 && properties.size === 0 && additional === undefined && items === undefined;
    if (isBare) return undefined;
    const trees = [additional, items, ...properties.values()];
    const looksBack =
      rules.some(({ program }) => program.usesOldSelf) || trees.some((tree) => tree?.looksBack === true);
    return { node, isResource: spot.isResource, rules, properties, additional, items, looksBack };
  }

  #properties(spot: Spot): ReadonlyMap<string, RuleTree> {
    const trees = new Map<string, RuleTree>();
    const schemas = own(spot.schema, "properties");
    const place = below(spot.place, "properties", "property");
    const within = correlatable.has(spot.node.mapType) ? spot.within : this.#within(spot);
    for (const [name, node] of spot.node.properties ?? []) {
      const schema = own(schemas, name) ?? null;
      const here = below(place, name, "entry");
      const tree = this.compile({ ...spot, node, schema, place: here, isResource: node.embedded, within });
      if (tree !== undefined) trees.set(name, tree);
    }
    return trees;
  }

  /** Items are told apart by their keys alone; without any no old value belongs to them. */
  #items(spot: Spot, node: Node): Spot {
    const items = inside(spot, "items", node);
    return spot.node.listType === "map" ? items : { ...items, within: this.#within(spot) };
  }

  /** The highest place counts. */
  #within({ within, place }: Spot): string {
    return within ?? [this.#at, place.field].filter((part) => part !== "").join(".");
  }

  /** Where words are wrong, here or below, the server does not look into rules: what is wrong with them is not told then. */
  #rules(spot: Spot, isTold: boolean): readonly Rule[] {
    const { node } = spot;
    if (node.rules.length === 0) return [];
    const decl = declare(node, spot.isResource);
    if (decl === undefined) {
      if (isTold) this.#compiled.push(noTypeFault(spot));
      return [];
    }
    const declared = typesOf(decl);
    const rules = node.rules.map((json, index) => {
      const compiled = compileRule(json, node, decl, declared);
      if (isTold) this.#note(json, compiled, decl, spot, rulePlace(spot, index));
      return compiled.rule;
    });
    return rules.filter((rule) => rule !== undefined);
  }

  #note(json: JsonObject, compiled: CompiledRule, decl: Decl, spot: Spot, place: Place): void {
    const { rule, fault, messageFault, messageCost } = compiled;
    const [rulePart, messagePart] = [
      below(place, "rule", "property"),
      below(place, "messageExpression", "property"),
    ];
    const count = spot.count ?? Math.trunc(maxRequest / (decl.least + 1));
    this.#noteCost(rulePart, "estimated rule cost", Math.min(compiled.cost * count, largestCost));
    if (fault !== undefined) this.#noteRule(rulePart, json, fault);
    if (messageFault !== undefined) this.#noteRule(messagePart, json, messageFault);
    if (rule?.messageProgram) this.#noteCost(messagePart, "estimated messageExpression cost", messageCost);
    if (rule?.program.usesOldSelf) this.#noteUncorrelated(rulePart, json, spot.within);
    else this.#noteIdle(below(place, "optionalOldSelf", "property"), own(json, "optionalOldSelf"));
  }

  #noteCost(place: Place, name: string, cost: number): void {
    const fault = this.#total.add(place, name, cost);
    if (fault !== undefined) this.#compiled.push(fault);
  }

  #noteRule(place: Place, json: JsonObject, detail: string): void {
    const message = `Invalid value: ${printRule(json)}: ${detail}`;
    this.#compiled.push(faultAt(place, "FieldValueInvalid", message));
  }

  #noteUncorrelated(place: Place, json: JsonObject, within: string | undefined): void {
    if (within === undefined) return;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${within}`;
    this.#compiled.push(faultAt(place, "FieldValueInvalid", invalid(own(json, "rule") ?? "", detail)));
  }

  #noteIdle(place: Place, optional: Json | undefined): void {
    if (typeof optional !== "boolean") return;
    const message = `Invalid value: ${goJson(optional)}: may not be set if oldSelf is not used in rule`;
    this.#compiled.push(faultAt(place, "FieldValueInvalid", message));
  }
}

// apiserver/pkg/apis/cel/config.go: MaxRequestSizeBytes
const maxRequest = 3 * 1024 * 1024;
// An unknown sort of map tells nothing apart.
const correlatable = new Set(["", "granular", "atomic"]);

function noTypeFault(spot: Spot): SchemaFault {
  const why = "unable to convert structural schema to CEL declarations";
  const place = below(spot.place, "x-kubernetes-validations", "property");
  const message = `Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: ${why}`;
  return faultAt(place, "InternalError", message);
}

function inside(spot: Spot, key: string, node: Node): Spot {
  const schema = own(spot.schema, key) ?? null;
  return { ...spot, node, schema, place: below(spot.place, key, "property"), isResource: node.embedded };
}

function rulePlace(spot: Spot, index: number): Place {
  return below(below(spot.place, "x-kubernetes-validations", "property"), index, "entry");
}

/** How many values a node can have directly below it; undefined where nothing says so. */
function mostOf(node: Node, schema: Json): number | undefined {
  if (node.type === "array") return node.maxItems;
  const isMap = node.type === "object" && isObject(schema) && Object.hasOwn(schema, "additionalProperties");
  return isMap ? node.maxProperties : 1;
}

function multiplied(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a * b, largestCost);
}
