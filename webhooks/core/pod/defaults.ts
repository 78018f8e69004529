import { get, isObject, type JsonObject, set } from "antechamber";
import { volumeDefaults } from "../../kruise/shared/core-defaults.ts";
import { all, each, fillZero, within } from "../../kruise/shared/fill.ts";

const container = all(
  within("resources", requestsFromLimits),
  each(
    "env",
    within(
      "valueFrom",
      all(
        within("fieldRef", fillZero("apiVersion", "v1")),
        within("resourceFieldRef", fillZero("divisor", "0")),
      ),
    ),
  ),
);

/**
 * The defaults of a pod that injection reads, as an API server fills them in before it calls webhooks (Kubernetes,
 * pkg/apis/core/v1, SetDefaults_Pod and SetDefaults_Volume).
 */
export const podDefaults = within(
  "spec",
  all(each("initContainers", container), each("containers", container), each("volumes", volumeDefaults)),
);

function requestsFromLimits(resources: JsonObject): JsonObject {
  const [limits, requests] = [get(resources, "limits"), get(resources, "requests") ?? {}];
  if (!isObject(limits) || !isObject(requests)) return resources;
  const missing = Object.entries(limits).filter(([name]) => !Object.hasOwn(requests, name));
  return missing.length === 0
    ? resources
    : set(resources, "requests", { ...requests, ...Object.fromEntries(missing) });
}
