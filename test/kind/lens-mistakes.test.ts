import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  findersOf,
  lensMistakesPage,
  mistakesFile,
  plant,
  readLensMistakes,
  withFinders,
} from "./lens-mistakes.ts";

// Each mistake is made in a copy of its kind. One process loads all of them, and judges each until something finds it.

const page = "docs/evidence/lens-mistakes.md";
const mistakes = await readLensMistakes();
let root = "";
let finders: readonly string[] = [];
let ofGood: readonly string[] = [];

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "antechamber-lenses-"));
  const good = [...new Set(mistakes.map(({ kind }) => path.resolve(kind)))];
  const planted: string[] = [];
  for (const [index, mistake] of mistakes.entries())
    planted.push(await plant(mistake, path.join(root, String(index))));
  const all = await findersOf([...good, ...planted], 1);
  [ofGood, finders] = [all.slice(0, good.length), all.slice(good.length)];
  if (process.env.RECORD) {
    await writeFile(mistakesFile, withFinders(await readFile(mistakesFile, "utf8"), finders));
    await writeFile(page, lensMistakesPage(await readLensMistakes()));
  }
}, 600_000);

afterAll(() => rm(root, { recursive: true, force: true }));

it("nothing is found in the lenses as they are", () => {
  expect(ofGood).toEqual(ofGood.map(() => "nothing"));
});

it("there are at least 60 mistakes, and nine of ten are found", () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(60);
  const found = finders.filter((each) => each !== "nothing");
  expect(found.length).toBeGreaterThanOrEqual(0.9 * mistakes.length);
});

describe("each mistake is found by what is recorded", () => {
  it.each(mistakes.map((each, index) => [path.basename(each.kind), each.mistake, index] as const))(
    "%s: %s",
    async (_kind, _mistake, index) => {
      expect(finders[index]).toBe((await readLensMistakes())[index]?.found);
    },
  );
});

it(`${page} is up to date`, async () => {
  expect(await readFile(page, "utf8")).toBe(lensMistakesPage(await readLensMistakes()));
});
