import { defineKind, version } from "antechamber";
import { v1beta1 } from "./v1beta1.ts";

/** The textbook's example of a change that cannot be undone: one name became two. */
export default defineKind({
  group: "office.example.org",
  kind: "Person",
  plural: "people",
  scope: "Namespaced",
  versions: [version("v1beta1", v1beta1), version("v1")],
});
