import { defineKind, version } from "antechamber";
import { v1alpha1 } from "./v1alpha1.ts";

/** A list whose items have no key: only what they say tells one from another. */
export default defineKind({
  group: "ci.example.org",
  kind: "Pipeline",
  plural: "pipelines",
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1")],
});
