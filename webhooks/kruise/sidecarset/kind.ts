import { defineKind, version } from "../../../src/kind.ts";
import { defaultSidecarSet } from "./default.ts";
import { v1alpha1 } from "./v1alpha1.ts";

export default defineKind({
  group: "apps.kruise.io",
  kind: "SidecarSet",
  plural: "sidecarsets",
  scope: "Cluster",
  versions: [
    version("v1alpha1", v1alpha1, {
      retired: {
        "spec.namespace":
          "write namespaceSelector.matchLabels[kubernetes.io/metadata.name]; it is not used beside it",
      },
    }),
    version("v1beta1"),
  ],
  default: defaultSidecarSet,
});
