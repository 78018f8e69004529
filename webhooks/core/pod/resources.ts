import { get, type JsonObject, own } from "antechamber";
import {
  addQuantities,
  compareQuantities,
  printQuantity,
  type Quantity,
  quantity,
  quantityOf,
  roundQuantity,
} from "antechamber/apimachinery";
import { compileRegexp, GoFault, quote } from "antechamber/go";
import {
  type Expression,
  evaluate,
  parseExpression,
  toInt64,
  type Value,
} from "../../kruise/shared/evaluate.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import type { Clause } from "./clause.ts";
import type { PodView } from "./pod-view.ts";

/** How a sidecar's resources are computed from those of the pod's own containers (`resourcesPolicy`). */
export interface ResourcesPolicy {
  readonly mode: string;
  readonly pattern: string;
  /** Whether a container name matches the pattern, or why the pattern cannot be compiled. */
  readonly isTarget: ((name: string) => boolean) | { readonly fault: string };
  readonly rules: readonly ResourceRule[];
  readonly clause: Clause;
}

/** One expression of a policy. */
interface ResourceRule {
  readonly list: "limits" | "requests";
  readonly resource: "cpu" | "memory";
  readonly text: string;
  readonly expression: Expression;
  readonly variable: "cpu" | "memory";
}

/** A computed amount: `limits.cpu` is `200m`, by this rule. */
interface ComputedResource {
  readonly rule: ResourceRule;
  readonly amount: string;
}

/** Reads a `resourcesPolicy`; its pattern and expressions are compiled once. */
export function resourcesPolicyOf(policy: JsonObject, clause: Clause): ResourcesPolicy {
  const pattern = stringAt(policy, "targetContainersNameRegex");
  return {
    mode: stringAt(policy, "targetContainersMode"),
    pattern,
    isTarget: compiled(pattern),
    rules: rules.flatMap(({ list, resource }) => {
      const text = stringAt(get(policy, "resourcesExpr", list), resource);
      if (text === "") return [];
      // The variable is called `cpu` unless the text contains the word `memory`
      // (pkg/webhook/pod/mutating/sidecarset_resources.go, evaluateResourceExpression).
      const variable = /\bmemory\b/.test(text) ? ("memory" as const) : ("cpu" as const);
      return [{ list, resource, text, expression: parseExpression(text), variable }];
    }),
    clause,
  };
}

/** Evaluates a policy for a pod; `names` are those of all sidecars of all SidecarSets that match. */
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
  ].filter((each) => !names.has(stringAt(each, "name")) && isTarget(stringAt(each, "name")));
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

/**
 * Computed amounts as `resources`, which replace those of the container
 * (pkg/webhook/pod/mutating/sidecarset_resources.go).
 */
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

// The length bounds the time that compiling and matching take; a container name has at most 63 characters.
const longestPattern = 4096;

function compiled(pattern: string): ResourcesPolicy["isTarget"] {
  if (pattern.length > longestPattern) {
    return {
      fault: `failed to get target containers: a regex pattern may have at most ${longestPattern} characters`,
    };
  }
  const compiled = compileRegexp(pattern);
  return compiled instanceof GoFault
    ? {
        fault: `failed to get target containers: invalid regex pattern ${quote(pattern)}: ${compiled.message}`,
      }
    : compiled.isFoundIn;
}

/** Undefined if any target has no limit: the sidecar is then unlimited too, whatever the expression. */
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

/** A plain number counts bytes if the expression contains `memory`, else cores. */
function amountOf(value: Value, { variable }: ResourceRule): Quantity {
  if ("quantity" in value) return value.quantity;
  return variable === "cpu" ? quantity(toInt64(value.number * 1000), -3) : quantity(toInt64(value.number));
}
