import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askRefusals, askSchema, askValues } from "../../schema/cel/asking.ts";
import { type Case, readCases, readSchemaCases, settledFaults, writeCases } from "../../schema/cel/cases.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// What is recorded under test/schema/cel is what a real API server says. RECORD=1 records it anew.

const recording = Boolean(process.env.RECORD);

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
    const answered = [];
    for (const { why, schema } of cases) {
      answered.push({ why, schema, faults: settledFaults(await askSchema(server, schema)) });
    }
    if (recording) writeCases("schemas.yaml", answered);
    else expect(answered).toEqual(cases.map((each) => ({ ...each, faults: settledFaults(each.faults) })));
  }, 120_000);
}

function settle(file: string, recorded: readonly Case[], answered: readonly Case[]): void {
  if (recording) writeCases(file, answered);
  else expect(answered).toEqual(recorded);
}
