import { defineKind, lister, version } from "antechamber";
import { kruiseNamespace } from "../shared/names.ts";
import { defaultSidecarSet } from "./default.ts";
import { v1alpha1 } from "./v1alpha1.ts";
import { validateSidecarSet } from "./validate.ts";
import { configurationName } from "./whitelist.ts";

export default defineKind({
  group: "apps.kruise.io",
  kind: "SidecarSet",
  plural: "sidecarsets",
  scope: "Cluster",
  versions: [
    version("v1alpha1", v1alpha1, {
      retired: {
        "spec.namespace":
          "use namespaceSelector.matchLabels[kubernetes.io/metadata.name]; namespace overrides it",
      },
    }),
    version("v1beta1"),
  ],
  needs: {
    sidecarSets: lister("apps.kruise.io", "SidecarSet"),
    controllerRevisions: lister("apps", "ControllerRevision", { namespace: kruiseNamespace }),
    configurations: lister("", "ConfigMap", { namespace: kruiseNamespace, name: configurationName }),
  },
  gates: {
    SidecarSetPatchPodMetadataDefaultsAllowed: {
      default: false,
      meaning: "SidecarSets may set any annotation on pods if no whitelist rule applies to them",
    },
  },
  default: defaultSidecarSet,
  validate: validateSidecarSet,
});
