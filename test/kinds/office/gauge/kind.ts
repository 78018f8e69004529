import { defineKind, lens, move, version } from "antechamber";

/** Three versions, each with status fields of its own and one that all have. */
export default defineKind({
  group: "office.example.org",
  kind: "Gauge",
  plural: "gauges",
  scope: "Namespaced",
  versions: [
    version("v1alpha1", lens(move("status.state", "status.level"))),
    version("v1beta1", lens(move("status.level", "status.reading"))),
    version("v1"),
  ],
});
