import { defineKind, lens, move, version } from "antechamber";

/** The newer release: v1beta1 has `policy` and the colours of zones, v1 has `owner`. */
export default defineKind({
  group: "releases.example.org",
  kind: "Boiler",
  plural: "boilers",
  scope: "Namespaced",
  versions: [version("v1beta1", lens(move("spec.policy", "spec.mode"))), version("v1")],
});
