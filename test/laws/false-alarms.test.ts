import { expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { checkLaws } from "../../src/laws/check.ts";

// What a law once took for a fault of the engine: each of these numbers of cases was enough, whatever the seed.

const { all } = await loadKinds(["test/kinds"]);
const seed = Number(process.env.SEED);

it.each([
  [
    "the order of a view, which is its own, puts another item in the place of one that was changed and changed back",
    "Route",
    "Replaced",
    500,
  ],
  [
    "a lens reads nothing of a list with an item that it cannot map, beside which another one was written",
    "Order",
    "Agreement",
    400,
  ],
  ["an item that stood elsewhere meanwhile was not replaced", "Shed", "Replaced", 1000],
  ["an item whose content was judged already has no place of its own", "Cabinet", "Interleaving", 300],
] as const)("%s", (_what, name, law, runs) => {
  const kind = all.find(({ definition }) => definition.kind === name);
  if (kind === undefined) throw new Error(`there is no ${name}`);
  const [verdict] = checkLaws(kind, { runs, seed, laws: [law] });
  expect(verdict?.counterexample).toBeUndefined();
});
