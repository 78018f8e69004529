import { byteLength, trimSpace } from "../../../go/text.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
  ownField,
} from "../../../json/json.ts";
import { fieldOf, type Path } from "../../../json/path.ts";
import {
  duplicate,
  forbidden,
  invalid,
  invalidAs,
  required,
  type SchemaFault,
  unevaluated,
} from "../../model/fault.ts";
import type { KubernetesVersion } from "../../model/kubernetes-version.ts";
import { child, entry, item, type Place } from "../../model/place.ts";
import { Correlation, itemKey, itemsByKey } from "../../model/ratcheting.ts";
import { CelError, none, Optional, type Value } from "../language/values.ts";
import { Work } from "../language/work.ts";
import { toValue } from "./data.ts";
import { isBeyondBounds, type Program } from "./program.ts";
import type { CompiledRule } from "./rule.ts";
import type { RuleTree } from "./rule-tree.ts";

// apiserver/pkg/apis/cel/config.go: RuntimeCELCostBudget, MaxEvaluatedMessageExpressionSizeBytes
const budget = 10_000_000;
const longestMessage = 5 * 1024;

/** What the rules find: faults that count, and those that only cause a warning. */
export interface RulesVerdict {
  readonly faults: readonly SchemaFault[];
  readonly ratcheted: readonly SchemaFault[];
}

/** Runs the rules of a schema over a value and the old one (apiextensions-apiserver schema/cel/validation.go). */
export function checkRules(
  tree: RuleTree | undefined,
  value: Json,
  old: Json | undefined,
  root: Path,
  kubernetes: KubernetesVersion,
): RulesVerdict {
  const start = treeAt(tree, root);
  if (start === undefined) return { faults: [], ratcheted: [] };
  const walk = new Walk(kubernetes);
  const correlation = old === undefined ? undefined : new Correlation(value, old, start.schema);
  const place = { text: fieldOf(root), path: root };
  walk.visit(start, new Visit(value, old ?? null, { place, correlation }));
  // A fault of the root itself has no field, but a place.
  const placed = (fault: SchemaFault) => (fault.path === undefined ? { ...fault, path: root } : fault);
  return { faults: walk.faults.map(placed), ratcheted: walk.ratcheted.map(placed) };
}

function treeAt(tree: RuleTree | undefined, path: Path): RuleTree | undefined {
  let here = tree;
  for (const step of path) {
    here = typeof step === "number" ? here?.items : (here?.properties.get(step) ?? here?.additional);
  }
  return here;
}

interface Start {
  readonly place: Place;
  readonly correlation: Correlation | undefined;
}

interface Step {
  readonly parent: Visit;
  readonly step: string | number;
  /** Whether it is an entry of a map or an item, not a declared field. */
  readonly as: "property" | "entry";
}

/** The correlation of a value, and of the nearest value above it that has one. */
interface Past {
  readonly correlation: Correlation | undefined;
  readonly nearest: Correlation | undefined;
}

/** A value whose rules run. Its place, and whether it is unchanged, are computed for faults alone. */
class Visit {
  readonly value: Json;
  readonly old: Json;
  readonly #from: Start | Step;

  constructor(value: Json, old: Json, from: Start | Step) {
    this.value = value;
    this.old = old;
    this.#from = from;
  }

  get place(): Place {
    const from = this.#from;
    if (!("parent" in from)) return from.place;
    if (typeof from.step === "number") return item(from.parent.place, from.step);
    return (from.as === "entry" ? entry : child)(from.parent.place, from.step);
  }

  get isUnchanged(): boolean {
    const { correlation, nearest } = this.past;
    return (correlation ?? nearest)?.isUnchanged ?? false;
  }

  get past(): Past {
    const from = this.#from;
    if (!("parent" in from)) return { correlation: from.correlation, nearest: undefined };
    const { correlation, nearest } = from.parent.past;
    if (correlation === undefined) return { correlation, nearest };
    // Upstream never correlates apiVersion and kind at the root, since a conversion may have changed them.
    const isNamed = nearest === undefined && (from.step === "apiVersion" || from.step === "kind");
    if (isNamed) return { correlation: undefined, nearest: undefined };
    const own = typeof from.step === "number" ? correlation.index(from.step) : correlation.key(from.step);
    return { correlation: own, nearest: correlation };
  }
}

class Walk {
  readonly faults: SchemaFault[] = [];
  readonly ratcheted: SchemaFault[] = [];
  readonly #work: Work;
  #left = budget;

  constructor(kubernetes: KubernetesVersion) {
    this.#work = new Work(kubernetes);
  }

  /** Returns false once the budget is spent: no more rules run. */
  visit(tree: RuleTree, visit: Visit): boolean {
    if (visit.value === null) return true;
    for (const why of tree.broken) {
      this.faults.push(invalid(visit.place, tree.seen.type, why));
    }
    if (tree.rules.length > 0 && !this.#run(tree, visit)) return false;
    if (isArray(visit.value)) return this.#items(tree, visit, visit.value);
    return isObject(visit.value) ? this.#entries(tree, visit, visit.value) : true;
  }

  #items(tree: RuleTree, visit: Visit, items: JsonArray): boolean {
    if (tree.items === undefined) return true;
    const { listType, listMapKeys } = tree.schema;
    const isKeyed = listType === "map" && tree.items.usesOld;
    const olds = isKeyed && isArray(visit.old) ? itemsByKey(visit.old, listMapKeys) : undefined;
    for (const [index, value] of items.entries()) {
      const key = olds && itemKey(value, listMapKeys);
      const old = (key === undefined ? undefined : olds?.get(key)) ?? null;
      if (!this.visit(tree.items, new Visit(value, old, { parent: visit, step: index, as: "entry" })))
        return false;
    }
    return true;
  }

  #entries(tree: RuleTree, visit: Visit, object: JsonObject): boolean {
    const { additional, properties } = tree;
    if (additional !== undefined) {
      for (const [key, value] of Object.entries(object)) {
        if (!this.#entry(additional, visit, value, key, "entry")) return false;
      }
    }
    for (const [name, property] of properties) {
      const value = ownField(object, name);
      if (value !== undefined && !this.#entry(property, visit, value, name, "property")) return false;
    }
    return true;
  }

  #entry(tree: RuleTree, visit: Visit, value: Json, key: string, as: "property" | "entry"): boolean {
    const old = tree.usesOld ? (own(visit.old, key) ?? null) : null;
    return this.visit(tree, new Visit(value, old, { parent: visit, step: key, as }));
  }

  #run(tree: RuleTree, visit: Visit): boolean {
    const { seen } = tree;
    const { type } = seen;
    if (this.#left <= 0) return this.#exhausted(visit, type);
    const self = toValue(visit.value, seen);
    const oldSelf = visit.old === null ? undefined : toValue(visit.old, seen);
    for (const rule of tree.rules) {
      if (rule.program.usesOldSelf && oldSelf === undefined && !rule.optionalOldSelf) continue;
      if (!this.#runRule(rule, visit, type, self, rule.optionalOldSelf ? optional(oldSelf) : oldSelf))
        return false;
    }
    return true;
  }

  #runRule(rule: CompiledRule, visit: Visit, type: string, self: Value, oldSelf: Value | undefined): boolean {
    const ran = this.#attempt(rule.program, self, oldSelf);
    const name = rule.message === "" ? rule.text : rule.message;
    if (ran === undefined) {
      const detail = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
      return this.#end(visit, type, detail);
    }
    if (ran.cost > this.#left) return this.#exhausted(visit, type);
    this.#left -= ran.cost;
    if (ran.value === true) return true;
    if (ran.value instanceof CelError) {
      this.faults.push(unevaluated(invalid(visit.place, type, errorDetail(ran.value, name))));
      return true;
    }
    return this.#fail(rule, visit, type, self, oldSelf, name);
  }

  #fail(
    rule: CompiledRule,
    visit: Visit,
    type: string,
    self: Value,
    oldSelf: Value | undefined,
    name: string,
  ): boolean {
    // The message sees the old value itself, not an optional of it (validateExpressions, `activation`).
    const plain = oldSelf instanceof Optional ? oldSelf.value : oldSelf;
    const message = rule.messageProgram && this.#message(rule.messageProgram, self, plain);
    const place =
      rule.fieldPath === undefined || rule.fieldPath.text === ""
        ? visit.place
        : placeBelow(visit.place, rule.fieldPath);
    const report = (fault: SchemaFault) => {
      const isRatcheted = !rule.program.usesOldSelf && visit.isUnchanged;
      (isRatcheted ? this.ratcheted : this.faults).push(fault);
    };
    if (message !== undefined && "end" in message) {
      report(invalid(place, type, message.end));
      return false;
    }
    const detail = message?.text ?? (rule.message === "" ? `failed rule: ${name}` : name);
    const shown = type === "object" || type === "array" ? undefined : visit.value;
    report(faultForReason(rule.reason, place, shown, detail));
    return true;
  }

  /** The message that an expression gives, if it is usable; `end` where it costs too much. */
  #message(
    program: Program,
    self: Value,
    oldSelf: Value | undefined,
  ): { readonly text: string | undefined } | { readonly end: string } {
    const ran = this.#attempt(program, self, oldSelf);
    if (ran === undefined) {
      return {
        end: "no further validation rules will be run due to call cost exceeds limit for messageExpression",
      };
    }
    if (ran.cost > this.#left) {
      return {
        end: "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      };
    }
    this.#left -= ran.cost;
    const text = typeof ran.value === "string" ? trimSpace(ran.value) : "";
    const isGood = text !== "" && byteLength(text) <= longestMessage && !text.includes("\n");
    return { text: isGood ? text : undefined };
  }

  #exhausted(visit: Visit, type: string): false {
    const why =
      "validation failed due to running out of cost budget, no further validation rules will be run";
    return this.#end(visit, type, why);
  }

  #end(visit: Visit, type: string, why: string): false {
    this.faults.push(unevaluated(invalid(visit.place, type, why)));
    return false;
  }

  /** The value and the cost of an expression; undefined where it exceeds a limit. */
  #attempt(program: Program, self: Value, oldSelf: Value | undefined) {
    try {
      return program.run(self, oldSelf, this.#work);
    } catch (error) {
      if (isBeyondBounds(error)) return undefined;
      throw error;
    }
  }
}

function optional(value: Value | undefined): Optional {
  return value === undefined ? none : new Optional(value);
}

/** Upstream tells the two apart by the same words (schema/cel/validation.go, validateExpressions). */
function errorDetail({ message }: CelError, name: string): string {
  if (!message.startsWith("no such overload")) return `${message} evaluating rule: ${name}`;
  return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
}

function placeBelow(
  place: Place,
  { text, steps }: { readonly text: string; readonly steps: readonly string[] },
): Place {
  // Into a map the server prints a dot and a bracket. A place that is empty is that of a default, which the caller puts in
  // front: the root of an object is not a map.
  const isAlone = place.text === "" && !text.startsWith("[");
  return { text: isAlone ? text : `${place.text}.${text}`, path: [...place.path, ...steps] };
}

/** The fault that a rule's reason asks for. Objects and lists are not printed. */
function faultForReason(reason: string, place: Place, value: Json | undefined, detail: string): SchemaFault {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(place, detail);
    case "FieldValueRequired":
      return required(place, detail);
    case "FieldValueDuplicate":
      return duplicate(place, value);
  }
  return value === undefined ? invalidAs(place, detail) : invalid(place, value, detail);
}
