import { describe, expect, it } from "vitest";
import { compileRules } from "../../../src/schema/cel/rules/rules.ts";
import { readSchema } from "../../../src/schema/model.ts";
import { refusalsOf, toldOf } from "./asking.ts";
import { type Cases, readCases, resource, settled, tellingRule, withRules } from "./cases.ts";

// What a real API server was asked (test/cluster/suites/cel.test.ts), ours is asked here: both must say the same.

const values = readCases("values.yaml");
const refusals = readCases("refusals.yaml");

describe("an expression gives what it gives on the API server", () => {
  it.each(values.cases.map(({ says, tells }) => [says, tells] as const))("%s", (says, tells) => {
    expect(ourValue(values, says).map(firstOf)).toEqual(tells?.map(firstOf));
  });
});

describe("a rule is refused as the API server refuses it", () => {
  it.each(refusals.cases.map(({ says, tells }) => [says, tells] as const))("%s", (says, tells) => {
    expect(ourRefusal(refusals, says).map(firstOf)).toEqual(tells?.map(firstOf));
  });
});

/** What ANTLR makes of the text behind a syntax error is not told by ours (docs/validation.md, Known differences). */
function firstOf(told: string): string {
  return /Syntax error: (?:mismatched|no viable)/.test(told) ? (told.split("\nERROR:")[0] ?? told) : told;
}

function ourValue({ schema, object }: Cases, says: string): readonly string[] {
  const { rules, faults } = compileRules(readSchema(resource(withRules(schema, [tellingRule(says, "e0")]))));
  if (faults.length > 0) return refusalsOf(faults, "rule").get(0) ?? [];
  return toldOf(rules.check({ spec: object }, undefined, []).faults, "e0");
}

function ourRefusal({ schema }: Cases, says: string): readonly string[] {
  const { faults } = compileRules(readSchema(resource(withRules(schema, [{ rule: says, message: "m" }]))));
  if (faults.length === 0) return ["accepted"];
  return refusalsOf(faults).get(0)?.map(settled) ?? [];
}
