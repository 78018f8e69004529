import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { faultsPage, findingOf, findingWithout, readFaults } from "./faults/fault.ts";

const faults = readFaults();
const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

it("there are at least fifty planted faults, each of a text that its file has once", () => {
  expect(faults.length).toBeGreaterThanOrEqual(50);
  const lost = faults.filter(({ file, replace }) => read(`src/${file}`).split(replace).length !== 2);
  expect(lost.map(({ fault }) => fault)).toEqual([]);
});

it("each file that the page of the engine names has a fault that a law finds", () => {
  const table = read("docs/internals/conversion.md")
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const named = [...table.join("\n").matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => `conversion/${file}`);
  expect(named.length).toBeGreaterThan(15);
  const covered = faults.filter(({ law }) => law !== "").map(({ file }) => file);
  expect(named.filter((file) => !covered.includes(file))).toEqual([]);
});

it("the page of planted faults is up to date; RECORD=1 writes it", () => {
  const page = "docs/evidence/engine-faults.md";
  if (process.env.RECORD) writeFileSync(join(root, page), faultsPage(faults));
  expect(read(page)).toBe(faultsPage(faults));
});

// Each takes seconds, so a run plants some of them: with another seed others. `npm run laws:faults` plants them all.
const turn = Number(process.env.SEED) % 16;
const found = faults.filter(({ law }) => law !== "");

it.each(found.filter((_, index) => index % 16 === turn).map((each) => [each.fault, each.law, each] as const))(
  "a law finds that %s: %s",
  async (_fault, _law, each) => {
    expect(await findingWithout(each)).toBeUndefined();
    expect(await findingOf(each)).toBeDefined();
  },
  60_000,
);
