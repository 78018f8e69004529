import { globSync } from "node:fs";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { checkLaws } from "../../../src/laws/check.ts";
import type { Counterexample } from "../../../src/laws/law.ts";
import { known } from "../known.ts";

/** What a law finds on a kind; undefined if it finds nothing. What the engine is known to get wrong without a fault does not count. */
export async function counterexampleOf(
  kindName: string,
  law: string,
  runs: number,
  seed: number,
): Promise<Counterexample | undefined> {
  const folders = globSync(`{webhooks,test/kinds}/*/${kindName.toLowerCase()}`);
  const [kind] = (await loadKinds(folders)).all;
  if (kind === undefined) throw new Error(`there is no kind ${kindName}`);
  const isKnown = ({ claim, versions }: Counterexample) =>
    known.some(
      (each) =>
        each.kind === kindName && each.law === law && [claim, `${claim}, ${versions}`].includes(each.claim),
    );
  return checkLaws(kind, { runs, seed, laws: [law] })
    .flatMap(({ counterexample }) => counterexample ?? [])
    .find((found) => !isKnown(found));
}
