import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { checkLaws } from "../../../src/laws/check.ts";

// Prints the counterexample that a law finds on a kind, as JSON; exits with 1 if it finds none.
const [kindName, law, runs, seed] = process.argv.slice(2);
const { all } = await loadKinds(["webhooks", "test/kinds"]);
const kind = all.find(({ definition }) => definition.kind === kindName);
if (kind === undefined) throw new Error(`there is no kind ${kindName}`);
const verdicts = checkLaws(kind, { runs: Number(runs), seed: Number(seed), laws: [String(law)] });
const [broken] = verdicts.flatMap(({ counterexample }) => counterexample ?? []);
console.log(JSON.stringify(broken ?? null));
process.exitCode = broken === undefined ? 1 : 0;
