import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf, type Finding, relive, shrunk } from "../../soak/finding.ts";
import { kindOf, knownAs, readKnown } from "../../soak/known.ts";
import { type Field, lineOf, newTally, soak, startField } from "../../soak/soak.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";

const crds = requirePublished();
if (requireBinaries() === undefined) it(leftOut, () => {});
else if (crds === undefined) it(publishedLeftOut, () => {});
else describe("random clients of all kinds", () => claims(crds));

// The same lives in every run, some minutes of them: another seed may find a new fault, which is for `npm run soak`, or
// for SOAK_SECONDS with a fresh seed.
const seconds = Number(process.env.SOAK_SECONDS ?? 0);
const lives = Number(process.env.SOAK_LIVES ?? 300);
const seed = Number(process.env.SOAK_SEED ?? (seconds === 0 ? 1 : process.env.SEED));
const known = readKnown("known.yaml");

function claims(crds: string): void {
  let field: Field;
  beforeAll(async () => {
    field = await startField(crds, seed);
  }, 200_000);
  afterAll(() => field?.stop());

  it.each(known.map((each) => [each.finding, each.why, each] as const))(
    "find the known fault %s, which is to be taken out of test/soak/known.yaml when it no longer occurs: %s",
    async (_finding, _why, each) => {
      const found = await relive(field, kindOf(field.kinds, each), each.life);
      expect(typeof found === "object" && knownAs([each], found)).toBe(each);
    },
    60_000,
  );

  it.each(readKnown("mended.yaml").map((each) => [each.why, each] as const))(
    "do not find again: %s",
    async (_why, each) => {
      expect(await relive(field, kindOf(field.kinds, each), each.life)).toBe("no fault");
    },
    60_000,
  );

  const extent = seconds === 0 ? { lives, seconds: 1200 } : { seconds };
  it(
    `find no other fault in ${seconds === 0 ? `${lives} lives` : `${seconds} seconds`} with seed ${seed}`,
    async () => {
      const tally = newTally();
      const end = Date.now() + extent.seconds * 1000;
      await soak(field, field.kinds, { ...extent, seed, end, known, tally });
      console.log(`seed ${seed}: ${lineOf(tally)}`);
      expect(tally.writes).toBeGreaterThan(0);
      const least: Finding[] = [];
      for (const each of tally.findings.values()) least.push(await shrunk(field, each, 30_000));
      expect(await repeatable(least)).toBe("");
    },
    extent.seconds * 1000 + 300_000,
  );
}

/** The steps of each finding, after the command that repeats them. */
async function repeatable(findings: readonly Finding[]): Promise<string> {
  const texts = findings.map(async (finding, index) => {
    const file = join("soak", `${seed}-${index}.yaml`);
    await mkdir("soak", { recursive: true });
    await writeFile(file, documentOf(finding));
    return `npm run soak -- --replay ${file}\n${documentOf(finding)}`;
  });
  return (await Promise.all(texts)).join("\n");
}
