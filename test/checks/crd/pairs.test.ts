import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compareRevisions } from "../../../src/checks/crd/compare.ts";
import type { JsonObject } from "../../../src/json/json.ts";
import { comparisonOf, pairOf, readPairs, revision } from "./compat-pairs.ts";

// Each pair is replayed on a real API server in test/cluster/suites/compat.test.ts; here only what is found counts.

it.each(readPairs().map((pair) => [pair.name, pair] as const))("%s", (_name, pair) => {
  const { findings, refusedCrd } = comparisonOf(pair);
  const found = findings.map(({ class: sort, effect, place }) => `${sort} ${effect} ${place}`.trim());
  expect([...new Set(found)].toSorted()).toEqual(pair.finds.toSorted());
  expect(refusedCrd.map((sentence) => sentence.split(":", 1)[0])).toEqual(pair.refusedCrd);
  for (const { because } of findings) expect(because).not.toEqual([]);
});

it.each(
  readPairs()
    .filter(({ name }) => name.includes("map"))
    .map((pair) => [pair.name, pair] as const),
)("%s is found once in each class", (_name, pair) => {
  const { findings } = comparisonOf(pair);
  expect(findings.map(({ class: sort, effect, place }) => `${sort} ${effect} ${place}`).toSorted()).toEqual(
    pair.finds.toSorted(),
  );
});

it("what a later step converts is not judged, unless the CRD says that nothing does", () => {
  const pair = readPairs().find(({ name }) => name === "a version is added that lacks a field");
  const compared = (more: JsonObject) => {
    const after = { ...pair?.new, spec: { ...(pair?.new.spec as JsonObject), ...more } };
    const options = { runs: 0, seed: 1, seeds: [], isConverted: true };
    return compareRevisions(revision(pair?.old ?? {}), revision(after), options).findings.length;
  };
  expect(compared({})).toBe(0);
  expect(compared({ conversion: { strategy: "None" } })).toBeGreaterThan(0);
});

/** All checks of crdify v0.5, of packages validations/crd and validations/property. */
const crdifyChecks = [
  ...["existingFieldRemoval", "scope", "storedVersionRemoval"],
  ...["allOf", "anyOf", "default", "description", "enum", "exclusiveMaximum", "exclusiveMinimum", "format"],
  ...[
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
  ],
  ...["not", "nullable", "oneOf", "pattern", "required", "type", "uniqueItems", "x-kubernetes-validations"],
];

it("each check of crdify has a pair, but the one for what no API server accepts", () => {
  const covered = new Set(readPairs().flatMap(({ crdify }) => crdify ?? []));
  expect([...covered, "uniqueItems"].toSorted()).toEqual(crdifyChecks.toSorted());
});

it("a CRD with uniqueItems is refused, so that there is nothing to compare", () => {
  const names = { type: "array", uniqueItems: true, items: { type: "string" } };
  const { old } = pairOf("unique items", 0, {
    old: { spec: { type: "object", properties: { names } } },
    new: {},
  });
  expect(() => revision(old)).toThrow("uniqueItems");
});

it("the page on compat names each check of crdify", () => {
  const page = readFileSync("docs/evidence/compat.md", "utf8");
  for (const check of crdifyChecks) expect(page).toContain(`\`${check}\``);
});
