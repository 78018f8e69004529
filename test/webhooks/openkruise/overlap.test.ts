import { describe, expect, it } from "vitest";
import { get, isArray } from "../../../src/json/json.ts";
import { mayOverlap } from "../../../webhooks/kruise/sidecarset/overlap.ts";
import { goldenCases } from "./cases.ts";
import { canMatchTogether, kruiseOverlap } from "./differences.ts";

const cases = goldenCases("overlap").map((each) => [each.name, each] as const);

describe("selectors", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    const { a, b } = input;
    expect(kruiseOverlap(a, b)).toBe(output.overlapping);
    // OpenKruise's rule is wrong for some selectors; ours agrees with trying all labels.
    expect(mayOverlap(a, b)).toBe(canMatchTogether(a, b));
    expect(mayOverlap(b, a)).toBe(mayOverlap(a, b));
  });
});

it("the cases have expressions of all sorts", () => {
  const operators = cases.flatMap(([, { input }]) => {
    const expressions = get(input, "a", "matchExpressions");
    return isArray(expressions) ? expressions.map((each) => get(each, "operator")) : [];
  });
  expect(new Set(operators).size).toBe(4);
});
