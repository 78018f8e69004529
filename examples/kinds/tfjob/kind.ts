import { defineKind, version } from "antechamber";
import { faultsOf, withDefaults } from "./admission.ts";
import { v1alpha1 } from "./v1alpha1.ts";
import { v1alpha2 } from "./v1alpha2.ts";

/** The TFJob of Kubeflow: v1alpha1 of 2017, v1alpha2 of 2018 and v1, whose template of a pod is any object here. */
export default defineKind({
  group: "kubeflow.org",
  kind: "TFJob",
  plural: "tfjobs",
  scope: "Namespaced",
  versions: [
    version("v1alpha1", v1alpha1, { retired: { "status.reason": "conditions have reasons of their own" } }),
    version("v1alpha2", v1alpha2),
    version("v1"),
  ],
  default: withDefaults,
  validate: faultsOf,
});
