import { type Json, type Requirement, selectorOf } from "antechamber";

/**
 * Whether some set of labels meets two label selectors. Kruise takes two selectors for disjoint also where only one of
 * them asks for a label to be there (sidecarset.md 3.2 and B3); such sets of labels there are.
 */
export function mayOverlap(a: Json | undefined, b: Json | undefined): boolean {
  const readings = [selectorOf(a), selectorOf(b)];
  const requirements = readings.flatMap((each) => ("selector" in each ? each.selector.requirements : []));
  const isReadable =
    readings.every((each) => "selector" in each) && ![a, b].some((each) => (each ?? null) === null);
  return isReadable && [...Map.groupBy(requirements, ({ key }) => key).values()].every(isMeetable);
}

/** Whether one label can meet all that is asked of it. Labels are independent of each other. */
function isMeetable(requirements: readonly Requirement[]): boolean {
  const valuesOf = (operator: Requirement["operator"]) =>
    requirements.filter((each) => each.operator === operator).map((each) => new Set(each.values));
  const [allowed, refused] = [valuesOf("In"), valuesOf("NotIn")];
  const isAbsent = requirements.some(({ operator }) => operator === "DoesNotExist");
  const isThere = allowed.length > 0 || requirements.some(({ operator }) => operator === "Exists");
  if (isAbsent) return !isThere;
  // Besides those that are named there is always another value.
  const [first, ...others] = allowed;
  if (first === undefined) return true;
  return [...first].some(
    (value) => others.every((each) => each.has(value)) && refused.every((each) => !each.has(value)),
  );
}
