import { defineKind, lens, version } from "antechamber";

/** The older release: `mode` and the colours of zones are only in v1, `owner` only in v1beta1. */
export default defineKind({
  group: "releases.example.org",
  kind: "Boiler",
  plural: "boilers",
  scope: "Namespaced",
  versions: [version("v1beta1", lens()), version("v1")],
});
