import { get, isObject, type Json, type JsonObject, type Lister } from "antechamber";
import { selectorOf } from "antechamber/apimachinery";
import { compileRegexp, GoFault, type Regexp } from "antechamber/go";
import { parseJson } from "antechamber/json";
import { kruiseNamespace } from "../shared/names.ts";
import { entriesAt, objectsAt, stringsAt } from "../shared/read.ts";

/**
 * The ConfigMap with Kruise's settings, and its key for the annotations that SidecarSets may set
 * (pkg/util/configuration).
 */
export const configurationName = "kruise-configuration";
const whitelistKey = "SidecarSet_PatchPodMetadata_WhiteList";

/**
 * Why a SidecarSet may not set its annotations on pods; undefined if it may (sidecarset/validating,
 * validateSidecarSetSpec).
 */
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
  const patterns = patternsOf(text, get(sidecarSet, "metadata", "labels"));
  if (typeof patterns === "string") return patterns;
  if (patterns.length === 0) {
    return isAllowedByDefault ? undefined : "sidecarSet patch metadata annotation is not allowed";
  }
  const keys = patches.flatMap((patch) => entriesAt(patch, "annotations").map(([key]) => key));
  const refused = keys.find((key) => !patterns.some((pattern) => pattern.isFoundIn(key)));
  return refused === undefined
    ? undefined
    : `sidecarSet patch metadata annotation(${refused}) is not allowed`;
}

/** The patterns that apply to a SidecarSet with these labels, or why the whitelist cannot be read. */
function patternsOf(text: string, labels: Json | undefined): readonly Regexp[] | string {
  const whitelist = parseWhitelist(text);
  if (typeof whitelist === "string") return whitelist;
  const patterns: Regexp[] = [];
  for (const rule of objectsAt(whitelist, "rules")) {
    if ((rule.selector ?? null) !== null) {
      const parsed = selectorOf(rule.selector);
      if ("fault" in parsed) return parsed.fault.message;
      if (!parsed.selector.matches(labels)) continue;
    }
    for (const expression of stringsAt(rule, "allowedAnnotationKeyExprs")) {
      const compiled = compile(expression);
      if (compiled instanceof GoFault) return compiled.message;
      patterns.push(compiled);
    }
  }
  return patterns;
}

function parseWhitelist(text: string): JsonObject | string {
  const where = `${whitelistKey} of ConfigMap ${kruiseNamespace}/${configurationName}`;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : `${where} is not a JSON object`;
  } catch (error) {
    return `${where} is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Compiles a pattern of a SidecarSet or of the whitelist. The length is bounded, since compiling takes time with it.
 */
export function compile(expression: string): Regexp | GoFault {
  return expression.length > longest
    ? new GoFault(`error parsing regexp: longer than ${longest} characters`)
    : compileRegexp(expression);
}

const longest = 4096;
