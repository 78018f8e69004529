import type { Json, JsonObject } from "../../json/json.ts";
import { isObject, own } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import type { SchemaFault } from "../fault.ts";
import { declare, typesOf } from "./declare.ts";
import { below, faultAt, goJson, invalid, type Place } from "./fault-text.ts";
import { largestCost, type Total, total } from "./limits.ts";
import { type Node, nodeOf } from "./node.ts";
import { compileRule, printRule, type Rule, wordFaults } from "./rule.ts";
import { checkRules } from "./walk.ts";

/** The rules of a schema, ready to run. */
export interface CompiledRules {
  /**
   * Runs every rule over an object as the server does; what is unchanged ratchets (kubernetes.md 2.9). `root` is the
   * place of `value` in the object: `[]` for the object itself, `["status"]` for its status.
   */
  readonly check: (value: Json, old: Json | undefined, root: Path) => RulesVerdict;
}

/** What the rules say: faults that count, and those that are only warned of. */
export interface RulesVerdict {
  readonly faults: readonly SchemaFault[];
  readonly ratcheted: readonly SchemaFault[];
}

/**
 * Compiles the `x-kubernetes-validations` of a schema, or tells what the API server says of them when the CRD is
 * created. The fields of the faults begin below the schema; `at` is where the schema stands in the CRD, which one of
 * the server's messages names: `spec.validation.openAPIV3Schema`.
 */
export function compileRules(
  schema: Json,
  at = "",
): { readonly rules: CompiledRules } | { readonly faults: readonly SchemaFault[] } {
  const compiler = new Compiler(at);
  const root = nodeOf(schema);
  const start: Spot = {
    node: root,
    schema,
    place: { field: "", path: [] },
    isResource: true,
    count: 1,
    within: undefined,
  };
  const tree = compiler.compile(start);
  const faults = compiler.faults();
  if (faults.length > 0) return { faults };
  return { rules: { check: (value, old, path) => checkRules(tree, value, old, path) } };
}

/** A node of the schema with its rules, and those below it that have any. */
export interface RuleTree {
  readonly node: Node;
  readonly isResource: boolean;
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
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
    const count = spot.count === undefined ? undefined : multiplied(spot.count, mostOf(node, spot.schema));
    const additional =
      node.additional && this.compile(this.#below(spot, "additionalProperties", node.additional, count));
    const properties = this.#properties(spot, count);
    const items = node.items && this.compile(this.#items(spot, node.items, count));
    for (const [index, rule] of node.rules.entries())
      this.#words.push(...wordFaults(rule, node, rulePlace(spot, index)));
    const rules = this.#words.length === before ? this.#rules(spot) : [];
    if (rules.length === 0 && properties.size === 0 && additional === undefined && items === undefined)
      return undefined;
    return { node, isResource: spot.isResource, rules, properties, additional, items };
  }

  #properties(spot: Spot, count: number | undefined): ReadonlyMap<string, RuleTree> {
    const trees = new Map<string, RuleTree>();
    const schemas = own(spot.schema, "properties");
    const place = below(spot.place, "properties", "property");
    for (const [name, node] of spot.node.properties ?? []) {
      const schema = own(schemas, name) ?? null;
      const tree = this.compile({
        ...spot,
        node,
        schema,
        place: below(place, name, "entry"),
        isResource: node.embedded,
        count,
      });
      if (tree !== undefined) trees.set(name, tree);
    }
    return trees;
  }

  #below(spot: Spot, key: string, node: Node, count: number | undefined): Spot {
    const schema = own(spot.schema, key) ?? null;
    return {
      ...spot,
      node,
      schema,
      place: below(spot.place, key, "property"),
      isResource: node.embedded,
      count,
    };
  }

  /** Items are told apart by their keys alone; without any no old value belongs to them. */
  #items(spot: Spot, node: Node, count: number | undefined): Spot {
    const items = this.#below(spot, "items", node, count);
    return spot.node.listType === "map"
      ? items
      : { ...items, within: spot.within ?? this.#full(spot.place.field) };
  }

  #full(field: string): string {
    return [this.#at, field].filter((part) => part !== "").join(".");
  }

  #rules(spot: Spot): readonly Rule[] {
    const { node } = spot;
    if (node.rules.length === 0) return [];
    const decl = declare(node, spot.isResource);
    if (decl === undefined) {
      const why = "unable to convert structural schema to CEL declarations";
      const message = `Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: ${why}`;
      this.#compiled.push(
        faultAt(below(spot.place, "x-kubernetes-validations", "property"), "InternalError", message),
      );
      return [];
    }
    const declared = typesOf(decl);
    const count = spot.count ?? Math.trunc(maxRequest / (decl.least + 1));
    const rules = node.rules.map((json, index) => {
      const compiled = compileRule(json, node, decl, declared);
      const place = rulePlace(spot, index);
      this.#noteCost(
        below(place, "rule", "property"),
        "estimated rule cost",
        multiplied(compiled.cost, count) ?? 0,
      );
      this.#noteFaults(json, compiled.fault, compiled.messageFault, place);
      const messagePlace = below(place, "messageExpression", "property");
      if (compiled.rule?.messageProgram)
        this.#noteCost(messagePlace, "estimated messageExpression cost", compiled.messageCost);
      if (compiled.rule !== undefined || compiled.fault !== undefined)
        this.#noteOldSelf(json, compiled.rule, spot, place);
      return compiled.rule;
    });
    return rules.filter((rule) => rule !== undefined);
  }

  #noteCost(place: Place, name: string, cost: number): void {
    const fault = this.#total.add(place, name, cost);
    if (fault !== undefined) this.#compiled.push(fault);
  }

  #noteFaults(
    json: JsonObject,
    fault: string | undefined,
    messageFault: string | undefined,
    place: Place,
  ): void {
    const note = (key: string, detail: string) => {
      const message = `Invalid value: ${printRule(json)}: ${detail}`;
      this.#compiled.push(faultAt(below(place, key, "property"), "FieldValueInvalid", message));
    };
    if (fault !== undefined) note("rule", fault);
    if (messageFault !== undefined) note("messageExpression", messageFault);
  }

  #noteOldSelf(json: JsonObject, rule: Rule | undefined, spot: Spot, place: Place): void {
    const optional = own(json, "optionalOldSelf");
    if (rule?.program.usesOldSelf) {
      if (spot.within === undefined) return;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${spot.within}`;
      const message = invalid(own(json, "rule") ?? "", detail);
      this.#compiled.push(faultAt(below(place, "rule", "property"), "FieldValueInvalid", message));
    } else if (typeof optional === "boolean") {
      const message = `Invalid value: ${goJson(optional)}: may not be set if oldSelf is not used in rule`;
      this.#compiled.push(faultAt(below(place, "optionalOldSelf", "property"), "FieldValueInvalid", message));
    }
  }
}

const maxRequest = 3 * 1024 * 1024;

function rulePlace(spot: Spot, index: number): Place {
  return below(below(spot.place, "x-kubernetes-validations", "property"), index, "entry");
}

/** How many values a node can have directly below it; undefined where nothing says so. */
function mostOf(node: Node, schema: Json): number | undefined {
  if (node.type === "array") return node.maxItems;
  const isMap = node.type === "object" && isObject(schema) && Object.hasOwn(schema, "additionalProperties");
  return isMap ? node.maxProperties : 1;
}

function multiplied(a: number, b: number | undefined): number | undefined {
  return b === undefined ? undefined : Math.min(a * b, largestCost);
}
