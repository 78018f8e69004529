import { describe, expect, it } from "vitest";
import { selectorOf } from "../src/apimachinery/selector.ts";
import { get, isArray, type Json } from "../src/json/json.ts";
import { mayOverlap } from "../webhooks/kruise/sidecarset/overlap.ts";
import { isOverlapDisputed, kruiseOverlap } from "./golden-differences.ts";
import { goldenCases } from "./support/golden.ts";

const cases = goldenCases("overlap").map((each) => [each.name, each] as const);

describe("selectors", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    const { a, b } = input;
    // What is disputed is known of Kruise, and told by the selectors alone.
    expect(kruiseOverlap(a, b)).toBe(output.overlapping);
    expect(mayOverlap(a, b)).toBe(isOverlapDisputed(a, b) ? !output.overlapping : output.overlapping);
    expect(mayOverlap(b, a)).toBe(mayOverlap(a, b));
  });

  it.each(cases)("%s: there are labels that meet both, or there are none", (_name, { input }) => {
    const { a = null, b = null } = input;
    expect(mayOverlap(a, b)).toBe(someLabels([a, b]));
  });
});

/** Tries every label that is named with every value that is named, with another one, and without one. */
function someLabels(selectors: readonly Json[]): boolean {
  const readings = selectors.map(selectorOf).map((each) => ("selector" in each ? each.selector : undefined));
  const requirements = readings.flatMap((each) => each?.requirements ?? []);
  const keys = [...new Set(requirements.map(({ key }) => key))];
  let labels: readonly Readonly<Record<string, string>>[] = [{}];
  for (const key of keys) {
    const values = requirements.filter((each) => each.key === key).flatMap((each) => each.values);
    const choices = [undefined, "another", ...new Set(values)];
    labels = labels.flatMap((each) =>
      choices.map((value) => (value === undefined ? each : { ...each, [key]: value })),
    );
  }
  return labels.some((each) => readings.every((selector) => selector?.matches(each)));
}

it("the cases have expressions of all sorts", () => {
  const operators = cases.flatMap(([, { input }]) => {
    const expressions = get(input, "a", "matchExpressions");
    return isArray(expressions) ? expressions.map((each) => get(each, "operator")) : [];
  });
  expect(new Set(operators).size).toBe(4);
});
