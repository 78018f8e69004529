import { parseDuration } from "../../go/time.ts";
import { isArray, type Json } from "../../json/json.ts";
import type { Difference } from "./differences.ts";

/** A difference in words: `spec.size: maximum 10 → 8`. */
export function describeDifference(difference: Difference): string {
  const { place } = difference;
  return `${place === "" ? "the object" : place}: ${changeOf(difference)}`;
}

function changeOf({ keyword, before, after }: Difference): string {
  if (["property", "items", "additionalProperties"].includes(keyword)) return partOf(keyword, before, after);
  if (keyword === "x-kubernetes-validations") return listChange("rule", rulesOf(before), rulesOf(after));
  if ((keyword === "required" || keyword === "enum") && isArray(before ?? []) && isArray(after ?? []))
    return listChange(keyword, textsOf(before), textsOf(after));
  if (before === undefined) return `${keyword} ${shortened(after)} added`;
  if (after === undefined) return `${keyword} ${shortened(before)} removed`;
  return `${keyword} ${shortened(before)} → ${shortened(after)}`;
}

function partOf(keyword: string, before: Json | undefined, after: Json | undefined): string {
  const name = keyword === "property" ? "field" : keyword;
  if (before === undefined) return `${name} added`;
  return after === undefined ? `${name} removed` : `${name} ${shortened(before)} → ${shortened(after)}`;
}

function listChange(name: string, before: readonly string[], after: readonly string[]): string {
  const removed = before.filter((each) => !after.includes(each));
  const added = after.filter((each) => !before.includes(each));
  const parts = [
    ...(removed.length > 0 ? [`${name} ${listed(removed)} removed`] : []),
    ...(added.length > 0 ? [`${name} ${listed(added)} added`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : `${name} changed`;
}

function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  return names.slice(0, mostListed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const mostListed = 6;

function textsOf(value: Json | undefined): readonly string[] {
  return isArray(value) ? value.map((each) => shortened(each)) : [];
}

function rulesOf(value: Json | undefined): readonly string[] {
  const rules = isArray(value) ? value : [];
  return rules.map((rule) => shortened((rule as { readonly rule?: Json }).rule, 200));
}

/** Whether two values are the same duration, printed otherwise: `60s` and `1m0s`. */
export function isSameDuration(before: Json | undefined, after: Json | undefined): boolean {
  const [first, second] = [before, after].map((value) =>
    typeof value === "string" ? parseDuration(value) : undefined,
  );
  return first !== undefined && first === second;
}

/** A value as JSON, cut off. */
export function shortened(value: Json | undefined, most = 80): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
