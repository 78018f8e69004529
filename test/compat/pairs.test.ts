import { expect, it } from "vitest";
import { comparisonOf, readPairs } from "../support/compat-pairs.ts";

// Each pair is replayed on a real API server in test/cluster/suites/compat.test.ts; here only what is found counts.

it.each(readPairs().map((pair) => [pair.name, pair] as const))("%s", (_name, pair) => {
  const { findings, refusedCrd } = comparisonOf(pair);
  const found = findings.map(({ class: sort, effect, place }) => `${sort} ${effect} ${place}`.trim());
  expect([...new Set(found)].toSorted()).toEqual(pair.finds.toSorted());
  expect(refusedCrd.map((sentence) => sentence.split(":", 1)[0])).toEqual(pair.refusedCrd);
  for (const { because } of findings) expect(because).not.toEqual([]);
});
