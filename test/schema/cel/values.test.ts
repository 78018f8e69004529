import { describe, expect, it } from "vitest";
import { compileRules } from "../../../src/schema/cel/rules/rules.ts";
import { type KubernetesVersion, kubernetesVersions } from "../../../src/schema/model/kubernetes-version.ts";
import { readSchema } from "../../../src/schema/model/schema.ts";
import { refusalsOf, toldOf } from "./asking.ts";
import { type Cases, readCases, resource, settled, tellingRule, toldBy, withRules } from "./cases.ts";

// What a real API server was asked (test/cluster/suites/cel.test.ts), ours is asked here: both must say the same.

const values = readCases("values.yaml");
const refusals = readCases("refusals.yaml");

describe.each(kubernetesVersions)(
  "an expression gives what it gives on an API server of v%s",
  (kubernetes) => {
    it.each(values.cases.map((each) => [each.says, toldBy(kubernetes, each)] as const))(
      "%s",
      (says, tells) => {
        expect(ourValue(values, says, kubernetes).map(firstOf)).toEqual(tells?.map(firstOf));
      },
    );
  },
);

describe.each(kubernetesVersions)("a rule is refused as an API server of v%s refuses it", (kubernetes) => {
  it.each(refusals.cases.map((each) => [each.says, toldBy(kubernetes, each)] as const))(
    "%s",
    (says, tells) => {
      expect(ourRefusal(refusals, says, kubernetes).map(firstOf)).toEqual(tells?.map(firstOf));
    },
  );
});

/** What ANTLR makes of the text behind a syntax error is not reported by ours (docs/reference/validation.md, Known differences). */
function firstOf(told: string): string {
  return /Syntax error: (?:mismatched|no viable)/.test(told) ? (told.split("\nERROR:")[0] ?? told) : told;
}

function ourValue({ schema, object }: Cases, says: string, kubernetes: KubernetesVersion): readonly string[] {
  const told = readSchema(resource(withRules(schema, [tellingRule(says, "e0")])));
  const { rules, faults } = compileRules(told, { kubernetes });
  if (faults.length > 0) return refusalsOf(faults, "rule").get(0) ?? [];
  return toldOf(rules.check({ spec: object }, undefined, []).faults, "e0");
}

function ourRefusal({ schema }: Cases, says: string, kubernetes: KubernetesVersion): readonly string[] {
  const refused = readSchema(resource(withRules(schema, [{ rule: says, message: "m" }])));
  const { faults } = compileRules(refused, { kubernetes });
  if (faults.length === 0) return ["accepted"];
  return refusalsOf(faults).get(0)?.map(settled) ?? [];
}
