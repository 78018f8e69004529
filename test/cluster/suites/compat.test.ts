import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparisonOf, pairOf, readPairs } from "../../checks/crd/compat-pairs.ts";
import { replayed } from "../../checks/crd/compat-replay.ts";
import { createKinds } from "../../schema/schemas-server.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// What `antechamber compat` finds in a pair of revisions happens on a real API server: the old CRD is created, the object
// written, the new CRD applied, and the object created, read and updated again.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("what compat finds happens on a real API server", claims);

function claims(): void {
  const pairs = readPairs();
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
    await createKinds(
      server,
      [...pairs, liar].map(({ old }) => old),
    );
  }, 120_000);
  afterAll(() => server?.stop());

  it.each(pairs.map((pair) => [pair.name, pair] as const))(
    "%s",
    async (_name, pair) => {
      const comparison = comparisonOf(pair);
      await replayed(server, pair, comparison);
      expect(comparison.findings.length).toBeGreaterThanOrEqual(pair.finds.length);
    },
    60_000,
  );

  it("a finding that is not true is noticed", async () => {
    const { findings, ...comparison } = comparisonOf(liar);
    const untrue = findings.map((finding) => ({ ...finding, stored: { update: "refused" as const } }));
    await expect(replayed(server, liar, { ...comparison, findings: untrue })).rejects.toThrow("refused");
  }, 60_000);
}

/** A pair of its own for findings that are changed. */
const liar = pairOf("a maximum is lowered, and the finding altered", 999, {
  old: { spec: { type: "object", properties: { size: { type: "integer", maximum: 10 } } } },
  new: { spec: { type: "object", properties: { size: { type: "integer", maximum: 8 } } } },
});
