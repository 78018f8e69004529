import { describe, expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { checkLaws, laws } from "../../src/laws/check.ts";
import { readRecordings } from "./recordings.ts";

// LAWS_RUNS=20000 npx vitest run test/laws tries them long; a broken law prints the seed that draws the same again.
const runs = Number(process.env.LAWS_RUNS ?? 12);
const seed = Number(process.env.SEED);
const { all } = await loadKinds(["webhooks", "test/kinds"]);
const recordings = readRecordings();

describe.each(all.map((kind) => [kind.definition.kind, kind] as const))("%s obeys", (_kind, kind) => {
  it.each(laws.map(({ name, statement }) => [name, statement] as const))(
    "%s: %s",
    (name) => {
      const [verdict] = checkLaws(kind, { runs, seed, laws: [name], recordings });
      expect(verdict?.counterexample).toBeUndefined();
      expect(verdict?.holds).toBe(true);
    },
    runs * 300 + 20_000,
  );
});

it("the same seed gives the same verdicts", () => {
  const [kind] = all;
  if (kind === undefined) throw new Error("no kind");
  const check = () => checkLaws(kind, { runs: 20, seed, laws: ["GetPut", "Hostile"] });
  expect(check()).toEqual(check());
});
