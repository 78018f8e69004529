import { afterAll, describe, expect, it } from "vitest";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { checkLaws, laws } from "../../../src/laws/check.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";
import { publishedKinds } from "../published-kinds.ts";

// LAWS_RUNS=20000 npx vitest run published-laws tries them long, as test/laws does on our own kinds.
const runs = Number(process.env.LAWS_RUNS ?? 12);
const seed = Number(process.env.SEED);

const crds = requirePublished();
if (crds === undefined) it(publishedLeftOut, () => {});
else await claims(crds);

async function claims(crds: string): Promise<void> {
  const made = await publishedKinds(crds);
  const { all } = await loadKinds([made.folder]);
  afterAll(made.remove);

  describe.each(all.map((kind) => [kind.name, kind] as const))("the published %s obeys", (_name, kind) => {
    it.each(laws.map(({ name, statement }) => [name, statement] as const))(
      "%s: %s",
      (name) => {
        const [verdict] = checkLaws(kind, { runs, seed, laws: [name] });
        expect(verdict?.counterexample).toBeUndefined();
        expect(verdict?.holds).toBe(true);
      },
      runs * 500 + 20_000,
    );
  });
}
