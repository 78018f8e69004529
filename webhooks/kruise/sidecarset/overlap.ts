import type { Json } from "antechamber";
import { type Requirement, selectorOf } from "antechamber/apimachinery";

/**
 * Whether some set of labels matches both selectors. OpenKruise also takes two selectors for disjoint if only one of them
 * requires a label to exist (pkg/util/selector.go, IsSelectorOverlapping), although labels can match both.
 */
export function mayOverlap(a: Json | undefined, b: Json | undefined): boolean {
  const parsed = [selectorOf(a), selectorOf(b)];
  const requirements = parsed.flatMap((each) => ("selector" in each ? each.selector.requirements : []));
  const areReadable =
    parsed.every((each) => "selector" in each) && ![a, b].some((each) => (each ?? null) === null);
  return areReadable && [...Map.groupBy(requirements, ({ key }) => key).values()].every(isSatisfiable);
}

/** Whether one label can satisfy all its requirements. Labels are independent of each other. */
function isSatisfiable(requirements: readonly Requirement[]): boolean {
  const valuesOf = (operator: Requirement["operator"]) =>
    requirements.filter((each) => each.operator === operator).map((each) => new Set(each.values));
  const [allowed, refused] = [valuesOf("In"), valuesOf("NotIn")];
  const isAbsent = requirements.some(({ operator }) => operator === "DoesNotExist");
  const isPresent = allowed.length > 0 || requirements.some(({ operator }) => operator === "Exists");
  if (isAbsent) return !isPresent;
  // There is always a value besides those that are named.
  const [first, ...others] = allowed;
  if (first === undefined) return true;
  return [...first].some(
    (value) => others.every((each) => each.has(value)) && refused.every((each) => !each.has(value)),
  );
}
