import { expect, it } from "vitest";
import { placed } from "../../src/cli/verify/places.ts";
import type { Answer, KindReport } from "../../src/cli/verify/report.ts";
import { failureLines, textOf } from "../../src/cli/verify/text.ts";
import type { Lens } from "../../src/conversion/lens.ts";
import { move } from "../../src/conversion/rows.ts";
import type { JsonObject } from "../../src/json/json.ts";
import type { Counterexample } from "../../src/laws/law.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

const text = { type: "string" };

function answerOf(law: string, field: string, expected = "a", actual = "b"): Answer {
  const counterexample = { claim: "c", versions: "v1 → v2", object: {}, steps: [], field, expected, actual };
  return { law, statement: "s", version: "v1", state: "failed", runs: 1, seconds: 0, counterexample };
}

/** The report on a broken law of a kind with this lens, beside other answers. */
async function linesOf(
  between: Lens,
  answer: Answer,
  ...others: readonly Answer[]
): Promise<readonly string[]> {
  const kind = smallKind(
    { name: "v1", spec: { word: text, lone: text }, lens: between },
    { name: "v2", spec: { name: text } },
  );
  const report: KindReport = {
    name: "Small",
    folder: kind.folder,
    file: "kind.ts",
    versions: ["v1", "v2"],
    answers: [answer, ...others],
    remarks: [],
  };
  const { kinds } = await placed({ seed: 1, runs: 1, interrupted: false, kinds: [report] }, [kind]);
  const [first, ...more] = kinds[0]?.answers ?? [];
  const lines = first === undefined ? [] : failureLines(first, [first, ...more]);
  return lines.map((line) => line.text);
}

async function hintOf(...given: Parameters<typeof linesOf>): Promise<string> {
  const lines = await linesOf(...given);
  return lines.find((line) => line.startsWith("hint: "))?.slice("hint: ".length) ?? "";
}

const rows = lens(move("spec.word", "spec.name"));

it.each([
  ["spec.word", "look at the row of spec.word"],
  ["v2.spec.name", "look at the row of v2.spec.name"],
  ["spec", "look at the row of spec"],
  ["", "look at the row of the fields that differ"],
  ["spec.lone", "no row maps spec.lone: this may be a fault of antechamber"],
  ["status.__proto__", "no row maps status.__proto__"],
  ["status at v2", "no row maps status at v2"],
  ["bytes of metadata.annotations", "no row maps bytes of metadata.annotations"],
])("the hint for %j names only rows that exist", async (field, hint) => {
  expect(await hintOf(rows, answerOf("GetPut", field))).toContain(hint);
});

it.each([
  ["Hostile", "status at v2"],
  ["Interleaving", "v1.spec.word"],
  ["Untouched", "status.lone"],
])("a row from spec to status is what breaks %s", async (law, field) => {
  const across = lens(move("spec.word", "status.word"));
  expect(await hintOf(across, answerOf(law, field))).toContain(
    "a row maps spec.word to status.word: a write of status cannot change spec",
  );
  expect(await hintOf(across, answerOf("GetPut", "spec.word"))).toContain("look at the row of spec.word");
});

it("a lens without rows is not blamed, one that was written by hand is", async () => {
  expect(await hintOf(lens(), answerOf("Exact", "", "[1]", "[2]"))).toContain("no row maps any field");
  const byHand = { up: lens().up, down: lens().down };
  expect(await hintOf(byHand, answerOf("GetPut", "spec.lone"))).toContain("look at the row of spec.lone");
});

it("numbers are blamed where nothing but numbers differs", async () => {
  const numbers = await hintOf(rows, answerOf("Exact", "", "[9007199254740993]", "[9007199254740992]"));
  expect(numbers).toContain("numbers beyond 2^53");
  expect(await hintOf(rows, answerOf("Exact", "", '{"a":null}', "{}"))).not.toContain("numbers");
});

it("other laws break with a lens that is none, but not with a row that is forgotten", async () => {
  const broken = answerOf("GetPut", "spec.word");
  expect(await hintOf(rows, broken, answerOf("Faithful", "spec.word"))).toContain("breaks Faithful first");
  expect(await hintOf(rows, broken, answerOf("Mapped", "spec.lone"))).toContain(
    "look at the row of spec.word",
  );
});

it("a run that is too short for a verdict says so, with the command of a longer one", () => {
  const kind = {
    name: "Small",
    folder: "a b",
    file: "kind.ts",
    versions: ["v1", "v2"],
    answers: [],
    remarks: [],
  };
  const said = (runs: number, summary: boolean) =>
    textOf(
      { seed: 1, runs, interrupted: false, kinds: [kind] },
      { coloured: false, summary, command: "npx antechamber" },
    );
  for (const summary of [true, false]) {
    expect(said(20, summary)).toContain("a first look and no verdict");
    expect(said(20, summary)).toContain("  npx antechamber verify 'a b' --runs 1000");
    expect(said(100, summary)).not.toContain("verdict");
  }
});

it("an object that its version does not admit is named so, since some laws hold for any JSON", async () => {
  const said = async (spec: JsonObject) => {
    const answer = answerOf("Exact", "spec.word");
    const object = { apiVersion: "small.example.org/v1", kind: "Small", metadata: { name: "one" }, spec };
    const counterexample = { ...(answer.counterexample as Counterexample), object };
    const lines = await linesOf(rows, { ...answer, counterexample });
    return lines.find((line) => line.startsWith("object"));
  };
  expect(await said({ word: 1 })).toMatch(/^object, not a valid one of v1 \(spec\.word: Invalid value/);
  expect(await said({ word: "a" })).toBe("object:");
});
