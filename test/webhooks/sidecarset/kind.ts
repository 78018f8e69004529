import type { JsonObject } from "../../../src/json/json.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";

export const kinds = await loadKinds(["webhooks"]);
const found = kinds.find("apps.kruise.io", "SidecarSet");
if (found === undefined) throw new Error("the kind SidecarSet is missing");
export const kind = found;

/** A valid SidecarSet, with more fields of spec and metadata. */
export function sidecarSet(spec: object = {}, metadata: object = {}): JsonObject {
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "SidecarSet",
    metadata: { name: "one", ...metadata },
    spec: {
      selector: { matchLabels: { app: "web" } },
      containers: [{ name: "agent", image: "agent:1" }],
      ...spec,
    },
  } as JsonObject;
}
