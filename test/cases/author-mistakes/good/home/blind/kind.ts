import { defineKind, type Findings, get, version } from "antechamber";
import { v1alpha1 } from "./v1alpha1.ts";

export default defineKind({
  group: "example.org",
  kind: "Blind",
  plural: "blinds",
  scope: "Namespaced",
  shortNames: ["bl"],
  versions: [
    version("v1alpha1", v1alpha1, { retired: { "spec.motor": "the hub knows its motors" } }),
    version("v1", undefined, { listKeys: { "spec.steps": ["at"] } }),
  ],
  gates: { Strict: { default: false, meaning: "blinds of the street must be closed at night" } },
  validate: (blind): Findings =>
    get(blind, "spec", "position") === 50
      ? {
          causes: [
            { path: ["spec", "position"], reason: "FieldValueInvalid", message: "neither open nor closed" },
          ],
        }
      : {},
});
