import { globSync } from "node:fs";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { checkLaws } from "../../../src/laws/check.ts";
import { known } from "../known.ts";

// Prints the counterexample that a law finds on a kind, as JSON; exits with 1 if it finds none. What the engine is known to get
// wrong without a fault does not count.
const [kindName, law, runs, seed] = process.argv.slice(2);
const folders = globSync(`{webhooks,test/kinds}/*/${kindName?.toLowerCase()}`);
const [kind] = (await loadKinds(folders)).all;
if (kind === undefined) throw new Error(`there is no kind ${kindName}`);
const verdicts = checkLaws(kind, { runs: Number(runs), seed: Number(seed), laws: [String(law)] });
const isKnown = ({ claim, versions }: { readonly claim: string; readonly versions: string }) =>
  known.some(
    (each) =>
      each.kind === kindName && each.law === law && [claim, `${claim}, ${versions}`].includes(each.claim),
  );
const [broken] = verdicts
  .flatMap(({ counterexample }) => counterexample ?? [])
  .filter((found) => !isKnown(found));
console.log(JSON.stringify(broken ?? null));
process.exitCode = broken === undefined ? 1 : 0;
