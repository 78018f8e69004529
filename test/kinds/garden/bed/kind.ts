import { defineKind, version } from "antechamber";
import { v1alpha1, v1alpha2, v1beta1 } from "./lenses.ts";

/** Four versions: nested keyed lists, a list with two keys, maps, several fields that become one and one that becomes several. */
export default defineKind({
  group: "garden.example.org",
  kind: "Bed",
  plural: "beds",
  scope: "Namespaced",
  versions: [
    version("v1alpha1", v1alpha1),
    version("v1alpha2", v1alpha2),
    version("v1beta1", v1beta1),
    version("v1"),
  ],
});
