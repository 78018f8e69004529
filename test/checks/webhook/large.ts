import { type Subject, subjectOf } from "../../../src/checks/index.ts";
import type { JsonObject } from "../../../src/json/json.ts";

const fieldsOf = (depth: number): JsonObject => {
  const leaves = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `field${index}`,
      { type: index % 3 === 0 ? "integer" : "string" },
    ]),
  );
  const below = Array.from({ length: depth > 0 ? 4 : 0 }, (_, index) => [
    `part${index}`,
    fieldsOf(depth - 1),
  ]);
  return { type: "object", properties: { ...leaves, ...Object.fromEntries(below) } };
};

/** A kind of two versions with 12 fields and four parts, of which each has the same, `depth` times: 4 makes 4,092 places. */
export function largeSubject(depth: number): Subject {
  const versionOf = (name: string, isStored: boolean): JsonObject => ({
    name,
    served: true,
    storage: isStored,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: fieldsOf(depth) } } },
  });
  const read = subjectOf({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "larges.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "larges", singular: "large", kind: "Large", listKind: "LargeList" },
      scope: "Namespaced",
      versions: [versionOf("v1", false), versionOf("v2", true)],
    },
  });
  if ("causes" in read) throw new Error(JSON.stringify(read.causes));
  return read.subject;
}
