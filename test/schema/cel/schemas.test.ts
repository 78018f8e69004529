import { describe, expect, it } from "vitest";
import { compileVersion } from "../../../src/schema/compile.ts";
import type { SchemaFault } from "../../../src/schema/fault.ts";
import { schemaField } from "./asking.ts";
import { readSchemaCases, settledFaults } from "./cases.ts";

// What a real API server says of the rules of whole schemas (test/cluster/suites/cel.test.ts), ours says too.

describe("a schema's rules are judged as the API server judges them", () => {
  it.each(readSchemaCases().map((each) => [each.why, each] as const))("%s", (_why, { schema, faults }) => {
    const compiled = compileVersion({ schema: { openAPIV3Schema: schema } }, { at: "spec.validation" });
    const told = "faults" in compiled ? compiled.faults.map(belowSchema) : [];
    expect(settledFaults(told)).toEqual(settledFaults(faults));
  });
});

/** A fault with its field below the schema, as the recorded ones have it. */
function belowSchema(fault: SchemaFault): SchemaFault {
  return { ...fault, field: fault.field.slice(schemaField.length).replace(/^\./, "") };
}
