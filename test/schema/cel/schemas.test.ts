import { describe, expect, it } from "vitest";
import type { SchemaFault } from "../../../src/schema/model/fault.ts";
import { kubernetesVersions } from "../../../src/schema/model/kubernetes-version.ts";
import { checkSchema } from "../../../src/schema/structural/schema.ts";
import { schemaField } from "./asking.ts";
import { faultsBy, readSchemaCases, settledFaults } from "./cases.ts";

// What a real API server says of the rules of whole schemas (test/cluster/suites/cel.test.ts), ours says too.

describe.each(kubernetesVersions)(
  "a schema's rules are judged as an API server of v%s judges them",
  (kubernetes) => {
    it.each(readSchemaCases().map((each) => [each.why, each] as const))("%s", (_why, each) => {
      const { faults } = checkSchema(each.schema, "spec.validation", false, kubernetes);
      expect(settledFaults(faults.map(belowSchema))).toEqual(settledFaults(faultsBy(kubernetes, each)));
    });
  },
);

/** A fault with its field below the schema, as the recorded ones have it. */
function belowSchema(fault: SchemaFault): SchemaFault {
  return { ...fault, field: fault.field.slice(schemaField.length).replace(/^\./, "") };
}
