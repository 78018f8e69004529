import { RE2JS } from "re2js";
import { quote } from "../../../src/go/text.ts";
import { get, type JsonObject, own } from "../../../src/json/json.ts";
import {
  addQuantities,
  compareQuantities,
  printQuantity,
  type Quantity,
  quantity,
  quantityOf,
  roundQuantity,
} from "../../../src/quantity.ts";
import type { Clause } from "./clause.ts";
import { type Expression, evaluate, expressionOf, toInt64, type Value } from "./expr.ts";
import { textAt } from "./json-text.ts";
import type { PodView } from "./pod-view.ts";

/** How much a sidecar gets, told by what the pod's own containers have (`resourcesPolicy`). */
export interface ResourcesPolicy {
  readonly mode: string;
  readonly pattern: string;
  /** Whether a container's name is meant; or why the pattern is none. */
  readonly isTarget: ((name: string) => boolean) | { readonly fault: string };
  readonly rules: readonly ResourceRule[];
  readonly clause: Clause;
}

/** One expression of a policy. */
export interface ResourceRule {
  readonly list: "limits" | "requests";
  readonly resource: "cpu" | "memory";
  readonly text: string;
  readonly expression: Expression;
  readonly variable: "cpu" | "memory";
}

/** Something computed: `limits.cpu` is `200m`, from this rule. */
export interface ComputedResource {
  readonly rule: ResourceRule;
  readonly amount: string;
}

/** Reads a `resourcesPolicy`; its pattern and expressions are compiled once. */
export function resourcesPolicyOf(policy: JsonObject, clause: Clause): ResourcesPolicy {
  const pattern = textAt(policy, "targetContainersNameRegex");
  return {
    mode: textAt(policy, "targetContainersMode"),
    pattern,
    isTarget: compiled(pattern),
    rules: rules.flatMap(({ list, resource }) => {
      const text = textAt(get(policy, "resourcesExpr", list), resource);
      if (text === "") return [];
      // The variable of an expression that does not say `memory` is `cpu`, whatever it holds (sidecarset.md 2.8).
      const variable = /\bmemory\b/.test(text) ? ("memory" as const) : ("cpu" as const);
      return [{ list, resource, text, expression: expressionOf(text), variable }];
    }),
    clause,
  };
}

/** What a policy comes to for a pod; `names` are those of all sidecars of all sets that match. */
export function computeResources(
  policy: ResourcesPolicy,
  pod: PodView,
  names: ReadonlySet<string>,
  { wholeBytes }: { readonly wholeBytes: boolean },
): readonly ComputedResource[] | { readonly fault: string } {
  const { isTarget, pattern } = policy;
  if (typeof isTarget !== "function") return isTarget;
  const targets = [
    ...pod.initContainers.filter((each) => own(each, "restartPolicy") === "Always"),
    ...pod.containers,
  ].filter((each) => !names.has(textAt(each, "name")) && isTarget(textAt(each, "name")));
  if (targets.length === 0) {
    return { fault: `no containers match the regex pattern ${quote(pattern)}` };
  }
  const computed: ComputedResource[] = [];
  for (const rule of policy.rules) {
    const amounts = targets.map((each) => quantityOf(get(each, "resources", rule.list, rule.resource)));
    const found = computeRule(rule, total(policy.mode, rule.list, amounts), wholeBytes);
    if (found === undefined) continue;
    if ("fault" in found) return found;
    computed.push({ rule, amount: printQuantity(found.amount) });
  }
  return computed;
}

/** What the computed amounts are on a container: in place of all that it said itself (sidecarset.md 2.8). */
export function resourcesOf(computed: readonly ComputedResource[]): JsonObject {
  const lists = Object.groupBy(computed, ({ rule }) => rule.list);
  return Object.fromEntries(
    Object.entries(lists).map(([list, items]) => [
      list,
      Object.fromEntries(items.map(({ rule, amount }) => [rule.resource, amount])),
    ]),
  );
}

const rules = [
  { list: "limits", resource: "cpu" },
  { list: "limits", resource: "memory" },
  { list: "requests", resource: "cpu" },
  { list: "requests", resource: "memory" },
] as const;

const zero = quantity(0n);

// Compiling takes time with a pattern's length, and matching with both lengths; names have 63 characters.
const longestPattern = 4096;

function compiled(pattern: string): ResourcesPolicy["isTarget"] {
  if (pattern.length > longestPattern) {
    return {
      fault: `failed to get target containers: a regex pattern has ${longestPattern} characters at most`,
    };
  }
  try {
    const expression = RE2JS.compile(pattern);
    return (name) => expression.matcher(name).find();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      fault: `failed to get target containers: invalid regex pattern ${quote(pattern)}: ${why}`,
    };
  }
}

/** Undefined where a limit is missing on any target: the sidecar is then unlimited, whatever the expression. */
function total(
  mode: string,
  list: "limits" | "requests",
  amounts: readonly (Quantity | undefined)[],
): Quantity | undefined {
  const known = amounts.filter((each) => each !== undefined);
  const isUnlimited = list === "limits" && (known.length < amounts.length || !modes.has(mode));
  if (isUnlimited) return undefined;
  if (mode === "sum") return known.reduce(addQuantities, zero);
  if (mode !== "max") return zero;
  return known.reduce((most, each) => (compareQuantities(each, most) > 0 ? each : most), known[0] ?? zero);
}

const modes: ReadonlySet<string> = new Set(["sum", "max"]);

function computeRule(
  rule: ResourceRule,
  amount: Quantity | undefined,
  wholeBytes: boolean,
): { readonly amount: Quantity } | { readonly fault: string } | undefined {
  if (amount === undefined) return undefined;
  const variables = new Map<string, Value>([[rule.variable, { quantity: amount }]]);
  const evaluation = evaluate(rule.expression, variables);
  if ("fault" in evaluation) {
    const resource = rule.resource === "cpu" ? "CPU" : "memory";
    const what = `failed to evaluate ${resource} ${rule.list} expression`;
    return { fault: `${what}: failed to parse expression ${quote(rule.text)}: ${evaluation.fault}` };
  }
  const found = amountOf(evaluation.value, rule);
  return { amount: wholeBytes && rule.resource === "memory" ? roundQuantity(found, 0) : found };
}

/** A plain number is bytes where the expression says `memory`, else cores. */
function amountOf(value: Value, { variable }: ResourceRule): Quantity {
  if ("quantity" in value) return value.quantity;
  return variable === "cpu" ? quantity(toInt64(value.number * 1000), -3) : quantity(toInt64(value.number));
}
