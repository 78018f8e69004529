import { get, isArray, isObject, type JsonObject, set } from "antechamber";

/** The condition that the controller sets to False before it changes a pod, so that no traffic reaches it meanwhile. */
const gate = { conditionType: "cafe.sofastack.io/in-place-ready" };

/** A set whose pods are ready only if the controller says so. */
export function withReadinessGate(set_: JsonObject): JsonObject {
  const [spec, template, pod] = [["spec"], ["spec", "template"], ["spec", "template", "spec"]].map((path) =>
    get(set_, ...path),
  );
  if (!isObject(spec) || !isObject(template) || !isObject(pod)) return set_;
  const gates = pod.readinessGates ?? [];
  if (!isArray(gates) || gates.some((each) => get(each, "conditionType") === gate.conditionType)) return set_;
  const gated = set(template, "spec", { ...pod, readinessGates: [...gates, gate] });
  return set(set_, "spec", set(spec, "template", gated));
}
