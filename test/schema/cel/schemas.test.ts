import { describe, expect, it } from "vitest";
import { compileRules } from "../../../src/schema/cel/rules.ts";
import { schemaField } from "./asking.ts";
import { readSchemaCases, settledFaults } from "./cases.ts";

// What a real API server says of the rules of whole schemas (test/cluster/suites/cel.test.ts), ours says too.

describe("a schema's rules are judged as the API server judges them", () => {
  it.each(readSchemaCases().map((each) => [each.why, each] as const))("%s", (_why, { schema, faults }) => {
    const compiled = compileRules(schema, schemaField);
    expect(settledFaults("faults" in compiled ? compiled.faults : [])).toEqual(settledFaults(faults));
  });
});
