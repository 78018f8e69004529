import { group, lens, move } from "../../../../src/conversion/rows.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../../src/json/json.ts";
import { defineKind, version } from "../../../../src/kind.ts";

const label = "kubernetes.io/metadata.name";

/** A namespace's name that became a selector, where a selector that could say more already was; and a version's name. */
const namespaced = lens(
  group({
    older: { namespace: "spec.namespace", selector: "spec.namespaceSelector" },
    newer: { selector: "spec.namespaceSelector" },
    up: ({ namespace, selector }) => ({
      selector: isName(namespace) ? { matchLabels: { [label]: namespace } } : selector,
    }),
    down: ({ selector }) =>
      isNameAlone(selector) ? { namespace: get(selector, "matchLabels", label) } : { selector },
  }),
  move("spec.injectVersion", "spec.injectionStrategy.revision.customVersion"),
);

function isName(namespace: Json | undefined): namespace is string {
  return typeof namespace === "string" && namespace !== "";
}

/** Whether a selector says one namespace's name and nothing else. */
function isNameAlone(selector: Json | undefined): selector is JsonObject {
  const labels = get(selector, "matchLabels");
  if (!isObject(selector) || !isObject(labels) || !isName(get(labels, label))) return false;
  return Object.keys(set(labels, label, undefined)).length === 0 && Object.keys(selector).length === 1;
}

export default defineKind({
  group: "mesh.example.org",
  kind: "SidecarSet",
  plural: "sidecarsets",
  scope: "Cluster",
  versions: [version("v1alpha1", namespaced), version("v1beta1")],
});
