import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findingOf, readFaults } from "./faults/fault.ts";

const faults = readFaults();

it("there are at least thirty planted faults, each of a text that its file has once", () => {
  expect(faults.length).toBeGreaterThanOrEqual(30);
  const lost = faults.filter(({ file, replace }) => {
    const source = readFileSync(join(import.meta.dirname, "../../src", file), "utf8");
    return source.split(replace).length !== 2;
  });
  expect(lost.map(({ fault }) => fault)).toEqual([]);
});

// Each takes seconds, so a run plants some of them: with another seed others. `npm run laws:faults` plants them all.
const turn = Number(process.env.SEED) % 8;

it.each(faults.filter((_, index) => index % 8 === turn).map((each) => [each.fault, each.law, each] as const))(
  "a law finds that %s: %s",
  async (_fault, _law, each) => {
    expect(await findingOf(each)).toBeDefined();
  },
);
