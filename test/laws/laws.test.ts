import { describe, expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { checkLaws, laws } from "../../src/laws/check.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { settingOf } from "../../src/laws/setting.ts";
import { isAbout, known } from "./known.ts";
import { readRecordings } from "./recordings.ts";

// LAWS_RUNS=20000 npx vitest run test/laws tries them long; a broken law prints the seed that draws the same again.
const runs = Number(process.env.LAWS_RUNS ?? 12);
const seed = Number(process.env.SEED);
const { all } = await loadKinds(["webhooks", "test/kinds", "examples/kinds"]);
const recordings = readRecordings();

describe.each(all.map((kind) => [kind.definition.kind, kind] as const))("%s obeys", (_kind, kind) => {
  const setting = settingOf(kind, servingEngine, recordings);
  it.each(laws.map((law) => [law.name, law.statement, law] as const))(
    "%s: %s",
    (_name, _statement, law) => {
      const claims = law.claims(setting).filter((claim) => !known.some(isAbout(kind, law, claim)));
      for (const claim of claims) expect(claim.check(runs, seed).counterexample).toBeUndefined();
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

it.each(
  known
    .filter(({ kind }) => kind !== "Small")
    .map((each) => [each.kind, each.law, each.claim, each] as const),
)(
  "%s still breaks %s, or is to be removed from known.ts: %s",
  (name, lawName, _claim, finding) => {
    const kind = all.find(({ definition }) => definition.kind === name);
    const law = laws.find((each) => each.name === lawName);
    if (kind === undefined || law === undefined) throw new Error("no such kind or law");
    const claims = law
      .claims(settingOf(kind, servingEngine))
      .filter((claim) => isAbout(kind, law, claim)(finding));
    expect(claims).not.toEqual([]);
    const found = claims.filter((claim) => claim.check(finding.runs, 1).counterexample !== undefined);
    expect(found).toEqual(claims);
  },
  60_000,
);
