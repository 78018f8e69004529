import {
  get,
  isObject,
  type Json,
  type JsonObject,
  type Lister,
  type Pattern,
  parseJson,
  patternOf,
  selectorOf,
} from "antechamber";
import { kruiseNamespace } from "../shared/names.ts";
import { entriesAt, objectsAt, stringsAt } from "../shared/read.ts";

/** The ConfigMap that Kruise reads settings from, and the key of those annotations that SidecarSets may write. */
export const configurationName = "kruise-configuration";
export const whitelistKey = "SidecarSet_PatchPodMetadata_WhiteList";

/** Why a SidecarSet may not write its annotations on pods; undefined where it may (sidecarset.md 3.2, row 24). */
export function whitelistFault(
  sidecarSet: JsonObject,
  configurations: Lister | undefined,
  isAllowedByDefault: boolean,
): string | undefined {
  const patches = objectsAt(sidecarSet.spec, "patchPodMetadata");
  if (patches.length === 0) return undefined;
  const text = get(configurations?.get(kruiseNamespace, configurationName), "data", whitelistKey);
  if (typeof text !== "string") {
    return isAllowedByDefault ? undefined : "SidecarSet patch metadata whitelist not found";
  }
  const read = patternsOf(text, get(sidecarSet, "metadata", "labels"));
  if (typeof read === "string") return read;
  if (read.length === 0) {
    return isAllowedByDefault ? undefined : "sidecarSet patch metadata annotation is not allowed";
  }
  const keys = patches.flatMap((patch) => entriesAt(patch, "annotations").map(([key]) => key));
  const refused = keys.find((key) => !read.some((pattern) => pattern.matches(key)));
  return refused === undefined
    ? undefined
    : `sidecarSet patch metadata annotation(${refused}) is not allowed`;
}

type Matching = Extract<Pattern, { matches: unknown }>;

/** The patterns that hold for a SidecarSet of these labels; or what keeps them from being read. */
function patternsOf(text: string, labels: Json | undefined): readonly Matching[] | string {
  const whitelist = read(text);
  if (typeof whitelist === "string") return whitelist;
  const patterns: Matching[] = [];
  for (const rule of objectsAt(whitelist, "rules")) {
    if ((rule.selector ?? null) !== null) {
      const reading = selectorOf(rule.selector);
      if ("fault" in reading) return reading.fault.message;
      if (!reading.selector.matches(labels)) continue;
    }
    for (const expression of stringsAt(rule, "allowedAnnotationKeyExprs")) {
      const compiled = compile(expression);
      if ("fault" in compiled) return compiled.fault;
      patterns.push(compiled);
    }
  }
  return patterns;
}

function read(text: string): JsonObject | string {
  const where = `${whitelistKey} of ConfigMap ${kruiseNamespace}/${configurationName}`;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : `${where} is no JSON object`;
  } catch (error) {
    return `${where} is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Compiles a pattern of a SidecarSet or of the whitelist. The length is bounded, since compiling takes time with it. */
export function compile(expression: string): Pattern {
  return expression.length > longest
    ? { fault: `error parsing regexp: longer than ${longest} characters` }
    : patternOf(expression);
}

const longest = 4096;
