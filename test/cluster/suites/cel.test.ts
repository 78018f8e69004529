import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askRefusals, askSchema, askValues } from "../../schema/cel/asking.ts";
import {
  type Case,
  faultsBy,
  readCases,
  readSchemaCases,
  type SchemaCase,
  settledFaults,
  toldBy,
  writeCases,
} from "../../schema/cel/cases.ts";
import { leftOut, releaseOf, releases, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// What is recorded under test/schema/cel is what a real API server says. RECORD=1 records it anew, of another release with
// KUBERNETES=1.37.

const recording = Boolean(process.env.RECORD);
const version = releaseOf(process.env);

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("a real API server answers as recorded", claims);

function claims(): void {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
  }, 120_000);
  afterAll(() => server?.stop());

  it("expressions: values and errors", async () => {
    const asked = readCases("values.yaml");
    settle("values.yaml", asked.cases, await askValues(server, asked));
  }, 300_000);

  it("rules that it rejects", async () => {
    const asked = readCases("refusals.yaml");
    settle("refusals.yaml", asked.cases, await askRefusals(server, asked));
  }, 120_000);

  it("whole schemas", async () => {
    const cases = readSchemaCases();
    const answered: SchemaCase[] = [];
    for (const each of cases) {
      const faults = settledFaults(await askSchema(server, each.schema));
      const known = settledFaults(faultsBy(version, each));
      answered.push(isDeepStrictEqual(faults, known) ? each : { ...each, [keyOf("faults")]: faults });
    }
    if (recording) writeCases("schemas.yaml", answered);
    else expect(answered).toEqual(cases);
  }, 120_000);
}

function settle(file: string, recorded: readonly Case[], answered: readonly Case[]): void {
  const settled = recorded.map((each, index) => {
    const tells = answered[index]?.tells;
    return isDeepStrictEqual(tells, toldBy(version, each)) ? each : { ...each, [keyOf("tells")]: tells };
  });
  if (recording) writeCases(file, settled);
  else expect(settled).toEqual(recorded);
}

/** Where a case has what this release says. */
function keyOf(first: "tells" | "faults"): string {
  return version === releases[0] ? first : version;
}
