import { defineNativeKind, type JsonObject, lister, type NativeCircumstances } from "antechamber";
import { printExplanation } from "./explain.ts";
import { gates, inject, prepareFor, revisionNamespace } from "./inject.ts";

export default defineNativeKind({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  scope: "Namespaced",
  operations: ["CREATE"],
  needs: {
    sidecarSets: lister("apps.kruise.io", "SidecarSet"),
    namespaces: lister("", "Namespace", { metadataOnly: true }),
    controllerRevisions: lister("apps", "ControllerRevision", { namespace: revisionNamespace }),
  },
  gates,
  listKeys: {
    "spec.containers": ["name"],
    "spec.initContainers": ["name"],
    "spec.volumes": ["name"],
    "spec.imagePullSecrets": ["name"],
    "spec.containers.env": ["name"],
    "spec.containers.volumeMounts": ["mountPath"],
    "spec.initContainers.env": ["name"],
    "spec.initContainers.volumeMounts": ["mountPath"],
  },
  prepare: prepareFor,
  mutate: injectSidecars,
});

/** The pod with its sidecars, and why each is there for whoever asks. */
function injectSidecars(pod: JsonObject, circumstances: NativeCircumstances) {
  const { explain, ...verdict } = inject(pod, circumstances);
  return { ...verdict, explanation: () => printExplanation(explain()) };
}
