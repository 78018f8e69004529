import { afterAll, describe, expect, it } from "vitest";
import type { Kind } from "../../../src/kind/kind.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { laws } from "../../../src/laws/check.ts";
import { servingEngine } from "../../../src/laws/engine.ts";
import type { Claim } from "../../../src/laws/law.ts";
import { settingOf } from "../../../src/laws/setting.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";
import { publishedKinds } from "../published-kinds.ts";

// LAWS_RUNS=20000 npx vitest run published-laws tries them long, as test/laws does on our own kinds.
const runs = Number(process.env.LAWS_RUNS ?? 12);
const seed = Number(process.env.SEED);

/** Claims of a law that the present engine breaks on such kinds, and one of them with the runs that show it. */
interface KnownClaims {
  readonly law: string;
  readonly says: RegExp;
  readonly witness: { readonly kind: string; readonly claim: string; readonly runs: number };
}

/** Remove an entry once the engine is mended: a test fails while it is still here. */
const known: readonly KnownClaims[] = [];

const crds = requirePublished();
if (crds === undefined) it(publishedLeftOut, () => {});
else await claims(crds);

async function claims(crds: string): Promise<void> {
  const made = await publishedKinds(crds);
  const { all } = await loadKinds([made.folder]);
  afterAll(made.remove);
  const claimsOf = (kind: Kind, law: string) =>
    laws.find(({ name }) => name === law)?.claims(settingOf(kind, servingEngine)) ?? [];

  describe.each(all.map((kind) => [kind.name, kind] as const))("the published %s obeys", (_name, kind) => {
    it.each(laws.map(({ name, statement }) => [name, statement] as const))(
      "%s: %s",
      (name) => {
        const isKnown = ({ says }: Claim) => known.some((each) => each.law === name && each.says.test(says));
        for (const claim of claimsOf(kind, name).filter((each) => !isKnown(each)))
          expect(claim.check(runs, seed).counterexample).toBeUndefined();
      },
      runs * 1000 + 60_000,
    );
  });

  it.each(known.map(({ law, witness }) => [law, witness.kind, witness] as const))(
    "the law %s is still broken on %s, or is to be taken out of the known ones",
    (law, name, witness) => {
      const kind = all.find(({ definition }) => definition.kind === name);
      const claim = kind && claimsOf(kind, law).find(({ says }) => says === witness.claim);
      expect(claim?.check(witness.runs, 1).counterexample).toBeDefined();
    },
    120_000,
  );
}
