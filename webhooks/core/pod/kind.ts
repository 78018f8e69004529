import { defineNativeKind, type JsonObject, lister, type NativeCircumstances } from "antechamber";
import { podDefaults } from "./defaults.ts";
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
    sidecarSets: lister("apps.kruise.io", "SidecarSet", { ifServed: true }),
    injectionPolicies: lister("injection.antechamber.dev", "InjectionPolicy", {
      optional: true,
      ifServed: true,
    }),
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
  defaults: podDefaults,
  prepare: prepareFor,
  mutate: injectSidecars,
});

/** Injects sidecars; the explanation is the text that `antechamber inject --explain` prints. */
function injectSidecars(pod: JsonObject, request: NativeCircumstances) {
  const { explain, ...verdict } = inject(pod, request);
  return { ...verdict, explanation: () => printExplanation(explain()) };
}
