import type { Cause, JsonObject, Path } from "antechamber";
import { selectorFaults } from "antechamber/apimachinery";
import { invalid } from "./fault.ts";
import { objectAt, objectsAt } from "./read.ts";

/** Faults of a selector that must not be empty; OpenKruise words that for each kind. */
export function selectorCauses(selector: JsonObject, path: Path, emptyMessage: string): readonly Cause[] {
  const faults = selectorFaults(selector, path).map(({ path: at, reason, message }) => ({
    path: at,
    reason,
    message,
  }));
  return [...faults, ...(isEmptySelector(selector) ? invalid(path, selector, emptyMessage) : [])];
}

/** Whether a selector has no requirement. */
export function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, "matchLabels") ?? {}).length === 0 &&
    objectsAt(selector, "matchExpressions").length === 0
  );
}
