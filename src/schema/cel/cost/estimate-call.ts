import type { Expr } from "../language/ast.ts";
import { isSame, paramAt, type Type } from "../language/types.ts";
import { fixed, most, plus, type Range, scaled, times, union, unknown } from "./range.ts";
import { regexLength, traversal } from "./runtime.ts";

/** An argument as the cost of a call sees it. */
export interface Arg {
  readonly expr: Expr | undefined;
  readonly type: Type;
  readonly path: readonly string[];
  readonly size: Range | undefined;
}

/** The cost of a call by its types alone, without its arguments; the size of its result, where that is known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** How large a value at a path of the schema can be. */
export type SizeAt = (path: readonly string[]) => Range | undefined;

interface Asked {
  readonly fn: string;
  readonly id: string;
  readonly target: Arg | undefined;
  readonly args: readonly Arg[];
  readonly sizeAt: SizeAt;
}

/** The functions whose cost does not follow from the general rules; undefined for the others. */
export function estimateCall(asked: Asked): CallEstimate | undefined {
  return listEstimate(asked) ?? kubernetesEstimate(asked);
}

function sizeOf(arg: Arg | undefined, { sizeAt }: Asked): Range {
  if (arg === undefined) return unknown;
  return arg.size ?? (arg.path.length === 0 ? undefined : sizeAt(arg.path)) ?? unknown;
}

function allocating(factor: number, size: Range): CallEstimate {
  return { cost: plus(scaled(size, factor), fixed(11)), size };
}

/** The value of an int literal, or another number. */
function writtenInt(arg: Arg | undefined, otherwise: number): number {
  const literal = arg?.expr?.kind === "literal" ? arg.expr.value : undefined;
  return typeof literal === "bigint" ? Math.max(0, Number(literal)) : otherwise;
}

/** cel-go ext/lists.go and sets.go. */
function listEstimate(asked: Asked): CallEstimate | undefined {
  const { id, target, args } = asked;
  const size = sizeOf(target, asked);
  switch (id) {
    case "list_slice": {
      const length = writtenInt(args[1], size.max) - writtenInt(args[0], 0);
      return allocating(1, fixed(length < 0 ? most : length));
    }
    case "lists_range":
      return allocating(1, fixed(writtenInt(args[0], most)));
    case "list_reverse":
      return allocating(1, size);
    case "list_flatten":
      return allocating(1, size);
    case "list_flatten_int":
      return allocating(writtenInt(args[0], most), size);
    case "list_distinct":
      return allocating(2, times(size, size));
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return { cost: plus(times(sizeOf(args[0], asked), sizeOf(args[1], asked)), fixed(1)) };
    case "list_sets_equivalent_list":
      return { cost: plus(scaled(times(sizeOf(args[0], asked), sizeOf(args[1], asked)), 2), fixed(1)) };
  }
  const [, item, by] = /^list_(\w+?)_(sort|sortByAssociatedKeys)$/.exec(id) ?? [];
  if (item === undefined) return undefined;
  const sorted = by === "sort" ? size : sizeOf(args[0], asked);
  return allocating(item === "string" || item === "bytes" ? 2 + traversal : 2, times(sorted, sorted));
}

const one: CallEstimate = { cost: fixed(1) };

/** apiserver/pkg/cel/library/cost.go, EstimateCallCost. */
function kubernetesEstimate(asked: Asked): CallEstimate | undefined {
  const { fn, id, target, args } = asked;
  const [left, right] = args;
  const first = sizeOf(args[0], asked);
  switch (fn) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return target && searchEstimate(target, asked);
    case "url":
      return args.length === 1 ? { cost: scaled(first, traversal), size: first } : undefined;
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return target && { cost: scaled(sizeOf(target, asked), traversal), size: sizeOf(target, asked) };
    case "replace":
      return target && args.length >= 2 ? replaceEstimate(asked, sizeOf(target, asked)) : undefined;
    case "split":
      return target && splitEstimate(asked, sizeOf(target, asked));
    case "join":
      return target && joinEstimate(asked, target);
    case "find":
    case "findAll":
      return target && args.length >= 1 ? findEstimate(sizeOf(target, asked), first) : undefined;
    case "ip":
      if (id === "cidr_ip") return one;
      return args.length >= 1 ? { cost: scaled(first, traversal) } : undefined;
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return args.length >= 1 ? { cost: scaled(first, traversal) } : undefined;
    case "ip.isCanonical":
      return { cost: scaled(first, 2 * traversal) };
    case "containsIP":
      return {
        cost: plus(
          scaled({ min: 8, max: 32 }, traversal),
          id.endsWith("_string") ? scaled(first, traversal) : fixed(0),
        ),
      };
    case "containsCIDR":
      return { cost: containsCidrCost(id, first) };
    case "validate":
      return args.length >= 1 ? { cost: scaled(scaled(first, traversal), 128 * regexLength) } : undefined;
    case "_==_":
      return left && right && equalityEstimate(left, right);
  }
  return nominal.has(fn) ? one : undefined;
}

const nominal = new Set([
  "serviceAccount",
  "path",
  "group",
  "resource",
  "subresource",
  "namespace",
  "name",
  "allowed",
  "reason",
  "error",
  "errored",
  "masked",
  "prefixLength",
  "family",
  "isUnspecified",
  "isLoopback",
  "isLinkLocalMulticast",
  "isLinkLocalUnicast",
  "isGlobalUnicast",
  "format.named",
  "sign",
  "asInteger",
  "isInteger",
  "asApproximateFloat",
  "isGreaterThan",
  "isLessThan",
  "compareTo",
  "add",
  "sub",
  "major",
  "minor",
  "patch",
  "getScheme",
  "getHostname",
  "getHost",
  "getPort",
  "getEscapedPath",
  "getQuery",
]);

function itemOf(list: Arg): Arg | undefined {
  if (list.type.params.length === 0) return undefined;
  const path = list.path.length === 0 ? [] : [...list.path, "@items"];
  return { expr: undefined, type: paramAt(list.type, 0), path, size: undefined };
}

function searchEstimate(target: Arg, asked: Asked): CallEstimate {
  const size = sizeOf(target, asked);
  const item = itemOf(target);
  if (item === undefined) return { cost: scaled(size, traversal) };
  const isText = item.type.kind === "string" || item.type.kind === "bytes";
  const each = isText ? plus(fixed(1), scaled(sizeOf(item, asked), traversal)) : fixed(1);
  return { cost: times(size, each) };
}

function replaceEstimate(asked: Asked, size: Range): CallEstimate {
  const [old, by] = [sizeOf(asked.args[0], asked), sizeOf(asked.args[1], asked)];
  const [count, kept] = [
    { min: 0, max: 0 },
    { min: 0, max: 0 },
  ];
  if (old.min === 0) {
    count.max = size.max < most ? size.max + 1 : size.max;
    kept.max = size.max;
  } else if (by.max <= old.min) kept.max = size.max;
  else count.max = Math.ceil(size.max / old.min);
  if (old.max === 0) {
    count.min = size.min < most ? size.min + 1 : size.min;
    kept.min = size.min;
  } else if (old.max <= by.min) kept.min = size.min;
  else count.min = Math.ceil(size.min / old.max);
  return { cost: scaled(size, 2 * traversal), size: plus(times(count, by), kept) };
}

function splitEstimate({ args }: Asked, size: Range): CallEstimate {
  const literal = args[1]?.expr?.kind === "literal" ? args[1].expr.value : undefined;
  const limit = typeof literal === "bigint" ? Number(BigInt.asUintN(64, literal)) : size.max;
  return { cost: scaled(size, 2 * traversal), size: { min: 0, max: limit } };
}

function joinEstimate(asked: Asked, target: Arg): CallEstimate {
  const list = sizeOf(target, asked);
  const item = itemOf(target);
  let size = item === undefined ? fixed(0) : times(list, sizeOf(item, asked));
  if (asked.args.length > 0) {
    const separators = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = plus(size, times(sizeOf(asked.args[0], asked), separators));
  }
  return { cost: scaled(size, traversal), size };
}

function findEstimate(text: Range, pattern: Range): CallEstimate {
  const cost = times(scaled(plus(text, fixed(1)), traversal), scaled(pattern, regexLength));
  return { cost, size: { min: 0, max: text.max } };
}

function containsCidrCost(id: string, text: Range): Range {
  const size = { min: 4, max: 16 };
  const compare = plus(plus(scaled(plus(size, size), traversal), scaled(size, traversal)), fixed(1));
  return id.endsWith("_string") ? plus(compare, scaled(text, traversal)) : compare;
}

function equalityEstimate(left: Arg, right: Arg): CallEstimate | undefined {
  if (!isSame(left.type, right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return one;
    case "kubernetes.NamedFormat":
      return { cost: scaled({ min: 1, max: 64 }, traversal) };
    case "kubernetes.URL": {
      const size = right.size === undefined ? fixed(1) : union(right.size, right.size);
      return { cost: scaled({ min: 1, max: size.max }, traversal) };
    }
  }
  return undefined;
}
