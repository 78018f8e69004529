import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeJson } from "../../../src/json/exact.ts";
import {
  crdCauses,
  disagreement,
  readAnswers,
  readCrdAnswers,
  writeAnswers,
  writeCrdAnswers,
} from "../../schema/schemas-answers.ts";
import { type Case, digestOf, readCases } from "../../schema/schemas-cases.ts";
import { crdWarningsOf } from "../../schema/schemas-engine.ts";
import { readOddCrds } from "../../schema/schemas-odd.ts";
import { askCrd, askWrites, createKinds } from "../../schema/schemas-server.ts";
import { leftOut, releaseOf, releases, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// The answers recorded under test/schema/schemas are those of a real API server. RECORD=1 records them again, of another release
// with KUBERNETES=1.37.

const recording = Boolean(process.env.RECORD);
const version = releaseOf(process.env);

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("a real API server answers as recorded", claims);

function claims(): void {
  const cases = [...readCases("accepted"), ...readCases("projects")];
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
    const { length } = cases;
    await createKinds(
      server,
      cases.map(({ crd }) => crd),
    );
    expect(length).toBeGreaterThan(40);
  }, 120_000);
  afterAll(() => server?.stop());

  it.each(cases.map((each) => [each.name, each] as const))(
    "writes: %s",
    (_name, each) => (recording ? record(each) : check(each)),
    120_000,
  );

  it("CRDs that it rejects", async () => {
    const asked = new Map<string, Awaited<ReturnType<typeof causesOf>>>();
    for (const { why, crd } of readOddCrds("refused")) asked.set(why, await causesOf(crd));
    if (version === releases[0]) for (const [why, causes] of asked) expect(causes, why).not.toEqual([]);
    if (recording) writeCrdAnswers("refused", asked, version);
    else expect(asked).toEqual(readCrdAnswers("refused", version));
  }, 60_000);

  it("odd CRDs, which it accepts, with the warnings that the engine has", async () => {
    for (const { why, crd } of readOddCrds("odd")) {
      const { allowed, warnings: all = [] } = await askCrd(server, crd);
      // What the server drops from a CRD before it looks at it is not the engine's to say.
      const warnings = all.filter((each) => !each.startsWith("unknown field"));
      expect({ allowed, warnings }, why).toEqual({ allowed: true, warnings: crdWarningsOf(crd, version) });
    }
  }, 60_000);

  async function causesOf(crd: Case["crd"]) {
    const answer = await askCrd(server, crd);
    return answer.allowed ? [] : crdCauses(answer);
  }

  /** Asks often, since some answers are a matter of chance. */
  async function record({ crd, writes, answers: file }: Case): Promise<void> {
    writeAnswers(file, writes, await askWrites(server, crd, writes, 6), version);
  }

  async function check({ crd, writes, answers: file }: Case): Promise<void> {
    expect(existsSync(file), "RECORD=1 records answers").toBe(true);
    const recorded = readAnswers(file, writes, version);
    const asked = await askWrites(server, crd, writes);
    for (const write of writes) {
      const digest = digestOf(write);
      const expected = recorded.get(digest)?.answers ?? [];
      const agrees = asked
        .get(digest)
        ?.answers.some((answer) => disagreement(expected, answer) === undefined);
      if (agrees) continue;
      // What the server says first of several things that are wrong may be a matter of chance.
      const again = await askWrites(server, crd, [write], 10);
      const answers = again.get(digest)?.answers ?? [];
      const why = answers.map((answer) => disagreement(expected, answer));
      expect(why, `${digest} ${writeJson({ ...write })}`).toContain(undefined);
    }
  }
}
