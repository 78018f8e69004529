import { byteLength } from "../../../go/text.ts";
import { itemsOf } from "../language/collections.ts";
import { isComparable } from "../language/compare.ts";
import { listBase } from "../language/frame.ts";
import type { CallCost } from "../language/plan.ts";
import { goTypeOf } from "../language/print.ts";
import { isList, isMap, isThing, Optional, sizeOf, type Value } from "../language/values.ts";
import type { Work } from "../language/work.ts";
import { NamedFormat } from "../library/formats.ts";

// cel-go common/cost.go
export const traversal = 0.1;
export const regexLength = 0.25;

/** How the cost of a call is computed (apiserver/pkg/cel/library/cost.go, then cel-go interpreter/runtimecost.go). */
export function callCostOf(fn: string, id: string): CallCost {
  if (listIds.test(id)) return (args, result) => listCost(id, args, result);
  if (kubernetesNames.has(fn))
    return (args, result, work) => kubernetesCost(fn, id, args, result, work) ?? standardCost(id, args);
  return standardIds.has(id) ? (args) => standardCost(id, args) : one;
}

const one: CallCost = () => 1;
const listIds =
  /^(?:list_slice|lists_range|list_reverse|list_flatten|list_flatten_int|list_distinct|list_sets_\w+|list_\w+_sort|list_\w+_sortByAssociatedKeys)$/;
const kubernetesNames = new Set([
  "isSorted",
  "sum",
  "max",
  "min",
  "indexOf",
  "lastIndexOf",
  "url",
  "lowerAscii",
  "upperAscii",
  "substring",
  "trim",
  "cidr",
  "isIP",
  "isCIDR",
  "quantity",
  "isQuantity",
  "semver",
  "isSemver",
  "replace",
  "split",
  "ip.isCanonical",
  "join",
  "find",
  "findAll",
  "ip",
  "containsIP",
  "containsCIDR",
  "validate",
  "_==_",
]);
const standardIds = new Set([
  "starts_with_string",
  "ends_with_string",
  "string_to_bytes",
  "bytes_to_string",
  "strings_quote",
  "string_format",
  "in_list",
  "equals",
  "not_equals",
  "less_string",
  "less_equals_string",
  "greater_string",
  "greater_equals_string",
  "less_bytes",
  "less_equals_bytes",
  "greater_bytes",
  "greater_equals_bytes",
  "add_string",
  "add_bytes",
  "matches",
  "matches_string",
  "contains_string",
]);

function actualSize(value: Value | undefined): number {
  if (value === undefined) return 1;
  if (value instanceof Optional) return value.value === undefined ? 1 : actualSize(value.value);
  return sizeOf(value) ?? 1;
}

const size = (value: Value | undefined): number => (value === undefined ? 1 : (sizeOf(value) ?? 1));
const textCost = (length: number, times = 1): number => Math.ceil(length * times * traversal);

/** The costs of cel-go's ext/lists.go and sets.go. */
function listCost(id: string, args: readonly Value[], result: Value): number {
  switch (id) {
    case "list_slice":
    case "lists_range":
    case "list_reverse":
      return size(result) + 1 + listBase;
    case "list_flatten":
      return size(args[0]) + 1 + listBase;
    case "list_flatten_int":
      return Math.trunc(size(args[0]) * Number(args[1] as bigint)) + 1 + listBase;
    case "list_distinct":
      return selfCompare(args[0]);
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return 1 + size(args[0]) * size(args[1]);
    case "list_sets_equivalent_list":
      return 1 + size(args[0]) * size(args[1]) * 2;
  }
  return selfCompare(id.endsWith("_sort") ? args[0] : args[1]);
}

function selfCompare(list: Value | undefined): number {
  if (!isList(list)) return 1;
  const first = list.size === 0 ? undefined : list.get(0);
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2 + traversal : 2;
  return Math.trunc(list.size * list.size * factor) + 1 + listBase;
}

function kubernetesCost(
  fn: string,
  id: string,
  args: readonly Value[],
  result: Value,
  work: Work,
): number | undefined {
  switch (fn) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return traversalCost(args[0] ?? null, work);
    case "url":
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return textCost(size(args[0]));
    case "replace":
    case "split":
    case "ip.isCanonical":
      return textCost(size(args[0]), 2);
    case "join":
      return textCost(size(result), 2);
    case "find":
    case "findAll":
      return textCost(1 + size(args[0])) * Math.ceil(size(args[1]) * regexLength);
    case "ip":
      return id === "cidr_ip" ? 1 : textCost(size(args[0]));
    case "containsIP":
      return textCost(size(args[0]), 2) + (id === "cidr_contains_ip_string" ? textCost(size(args[1])) : 0);
    case "containsCIDR":
      return (
        textCost(size(args[0]), 2) +
        textCost(size(args[0])) +
        1 +
        (id === "cidr_contains_cidr_string" ? textCost(size(args[1])) : 0)
      );
    case "validate":
      if (!(args[0] instanceof NamedFormat)) return undefined;
      return textCost(1 + size(args[1])) * Math.ceil(args[0].patternSize * regexLength);
    case "_==_":
      return isThing(args[0]) && args[0].thing.name !== "unknown" ? 1 : undefined;
  }
  return undefined;
}

/**
 * The panic of a call whose list is not one (interpreter/runtimecost.go, trackers of ext/lists.go): the cost of comparing all
 * items of a list with each other takes its argument for a list without a check.
 */
export function panicOf(id: string): ((args: readonly Value[]) => string | undefined) | undefined {
  const comparesItems = id === "list_distinct" || /_(?:sort|sortByAssociatedKeys)$/.test(id);
  if (!comparesItems) return undefined;
  return ([list, keys = list]) => {
    if (keys === undefined || isList(keys) || isMap(keys) || isThing(keys)) return undefined;
    // Go names the first method that is missing: numbers, texts and times can be added.
    const missing = typeof keys === "boolean" || !isComparable(keys) ? "Add" : "Contains";
    return `internal error: interface conversion: ${goTypeOf(keys)} is not traits.Lister: missing method ${missing}`;
  };
}

/** The cost of traversing a value. */
function traversalCost(value: Value, work: Work): number {
  work.spend(1);
  if (typeof value === "string") return Math.trunc(byteLength(value) * traversal);
  if (value instanceof Uint8Array) return Math.trunc(value.length * traversal);
  if (isList(value)) return itemsOf(value).reduce<number>((sum, item) => sum + traversalCost(item, work), 0);
  if (!isMap(value)) return 1;
  return value
    .keys(work)
    .reduce<number>(
      (sum, key) => sum + traversalCost(key, work) + traversalCost(value.find(key) ?? null, work),
      0,
    );
}

function standardCost(id: string, args: readonly Value[]): number {
  const [a, b] = args;
  switch (id) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return textCost(actualSize(a));
    case "in_list":
      return actualSize(b);
    case "equals":
    case "not_equals":
    case "less_string":
    case "less_equals_string":
    case "greater_string":
    case "greater_equals_string":
    case "less_bytes":
    case "less_equals_bytes":
    case "greater_bytes":
    case "greater_equals_bytes":
      return textCost(Math.min(actualSize(a), actualSize(b)));
    case "add_string":
    case "add_bytes":
      return textCost(actualSize(a) + actualSize(b));
    case "matches":
    case "matches_string":
      return textCost(1 + actualSize(a)) * Math.ceil(actualSize(b) * regexLength);
    case "contains_string":
      return textCost(actualSize(a)) * textCost(actualSize(b));
  }
  return 1;
}
