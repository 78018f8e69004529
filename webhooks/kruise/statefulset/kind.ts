import { defineKind, version } from "antechamber";
import { templateGate } from "../shared/template.ts";
import { defaultStatefulSet } from "./default.ts";
import { v1alpha1 } from "./v1alpha1.ts";
import { validateStatefulSet } from "./validate.ts";

export default defineKind({
  group: "apps.kruise.io",
  kind: "StatefulSet",
  plural: "statefulsets",
  shortNames: ["sts", "asts"],
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1beta1")],
  gates: {
    ...templateGate,
    StatefulSetAutoDeletePVC: {
      default: true,
      meaning: "persistentVolumeClaimRetentionPolicy gets defaults",
    },
  },
  default: defaultStatefulSet,
  validate: validateStatefulSet,
});
