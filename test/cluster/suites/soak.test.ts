import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf, relive, shrunk } from "../../soak/finding.ts";
import { kindOf, knownAs, readKnown } from "../../soak/known.ts";
import { type Field, lineOf, newTally, soak, startField } from "../../soak/soak.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";

const crds = requirePublished();
if (requireBinaries() === undefined) it(leftOut, () => {});
else if (crds === undefined) it(publishedLeftOut, () => {});
else describe("random clients of all kinds", () => claims(crds));

// Random clients still find faults of the engine now and then, and how far they come depends on the machine. So they are
// let loose only where SOAK_SECONDS says for how long; `npm run soak` is the same for as long as one likes.
const seconds = Number(process.env.SOAK_SECONDS ?? 0);
const seed = Number(process.env.SOAK_SEED ?? 2);
const known = readKnown();

function claims(crds: string): void {
  let field: Field;
  beforeAll(async () => {
    field = await startField(crds);
  }, 100_000);
  afterAll(() => field?.stop());

  it.each(known.map((each) => [each.finding, each.why, each] as const))(
    "find the known fault %s, which is to be taken out of test/soak/known.yaml when it no longer occurs: %s",
    async (_finding, _why, each) => {
      const found = await relive(field, kindOf(field.kinds, each), each.life);
      expect(found && knownAs([each], found)).toBe(each);
    },
    60_000,
  );

  if (seconds === 0) return;
  it(
    `find no other fault in ${seconds} seconds with seed ${seed}`,
    async () => {
      // The kinds of an office lack `shared` and `spread` on purpose, for the laws to find that.
      const kinds = field.kinds.filter(({ definition }) => definition.group !== "office.example.org");
      const tally = newTally();
      const end = Date.now() + seconds * 1000;
      await soak(field, kinds, { seed, end, known, tally });
      console.log(lineOf(tally));
      const least = await Promise.all(
        [...tally.findings.values()].map((each) => shrunk(field, each, 30_000)),
      );
      expect(least.map(documentOf).join("---\n")).toBe("");
    },
    seconds * 1000 + 120_000,
  );
}
