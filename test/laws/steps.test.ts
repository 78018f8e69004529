import { expect, it } from "vitest";
import { move } from "../../src/index.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const text = { type: "string" };

// A row from spec to status breaks both laws by the shortest steps.
const kind = smallKind(
  {
    name: "v1",
    spec: { size: text, word: text },
    status: { ready: text },
    lens: lens(move("spec.word", "status.word")),
  },
  { name: "v2", spec: { size: text }, status: { ready: text, word: text } },
);

it.each(["Hostile", "Interleaving"])("each step of a finding of %s says what was written", (law) => {
  const trials = { runs: 100, seed: Number(process.env.SEED), laws: [law] };
  const { steps = [] } = checkLaws(kind, trials)[0]?.counterexample ?? {};
  expect(steps.length).toBeGreaterThan(1);
  for (const step of steps) expect(step).not.toMatch(/undefined|: ?$|recreated write/);
  expect(steps.at(-1)).toMatch(/v[12]/);
});
