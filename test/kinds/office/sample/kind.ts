import { defineKind, lens, version } from "antechamber";

/** A spec that both versions require, and of which one version may say nothing that the other one knows. */
export default defineKind({
  group: "office.example.org",
  kind: "Sample",
  plural: "samples",
  scope: "Namespaced",
  versions: [version("v1beta1", lens()), version("v1")],
});
