import { type Cause, type JsonObject, own, type Path } from "antechamber";
import { dnsLabelFaults, dnsSubdomainFaults } from "antechamber/apimachinery";
import { forbidden, invalid, notSupported, required } from "../fault.ts";
import {
  integerAt,
  isTrue,
  objectAt,
  objectsAt,
  optionalIntegerAt,
  optionalStringAt,
  stringAt,
} from "../read.ts";
import { affinityFaults } from "./affinity.ts";
import { containersFaults, listed } from "./containers.ts";
import { dnsConfigFaults, dnsPolicyFaults, hostAliasFaults } from "./dns.ts";
import { labelFaults } from "./metadata.ts";
import { rangeFaults } from "./names.ts";
import { oldProfileFaults } from "./old-profiles.ts";
import { systemFaults } from "./os.ts";
import { hostUserFaults, podSecurityFaults } from "./pod-security.ts";
import { podClaims, requirementFaults } from "./resources.ts";
import { claimFaults, gateFaults, spreadFaults, tolerationFaults } from "./scheduling.ts";
import { hostProcessFaults } from "./security.ts";
import { templateMetadataFaults } from "./template-metadata.ts";

/**
 * The faults that Kubernetes v1.32 finds in the template of a pod (pkg/apis/core/validation, `ValidatePodTemplateSpec`), with
 * the options of OpenKruise (pkg/webhook/util/pod_validation.go).
 */
export function podTemplateFaults(template: JsonObject, path: Path): readonly Cause[] {
  const pod = objectAt(template, "spec") ?? {};
  const at = [...path, "spec"];
  const isEphemeral = objectsAt(pod, "ephemeralContainers").length > 0;
  return [
    ...templateMetadataFaults(template, path),
    ...specFaults(pod, at),
    ...oldProfileFaults(template, at),
    ...(isEphemeral
      ? forbidden([...at, "ephemeralContainers"], "ephemeral containers not allowed in pod template")
      : []),
  ];
}

function specFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const grace = optionalIntegerAt(pod, "terminationGracePeriodSeconds");
  const restartPolicy = stringAt(pod, "restartPolicy");
  const context = {
    claims: podClaims(objectsAt(pod, "resourceClaims").flatMap((each) => stringAt(each, "name") || [])),
    grace,
    restartPolicy,
    hostUsers: own(pod, "hostUsers") !== false,
  };
  return [
    ...(grace === undefined ? required([...path, "terminationGracePeriodSeconds"]) : []),
    ...claimFaults(pod, path),
    ...(objectsAt(pod, "containers").length === 0 ? required([...path, "containers"]) : []),
    ...containersFaults(pod, path, context),
    ...hostNetworkFaults(pod, path),
    ...restartFaults(restartPolicy, [...path, "restartPolicy"]),
    ...dnsPolicyFaults(pod, path),
    ...labelFaults(pod, "nodeSelector", [...path, "nodeSelector"]),
    ...podSecurityFaults(pod, path),
    ...affinityFaults(objectAt(pod, "affinity"), [...path, "affinity"]),
    ...dnsConfigFaults(pod, [...path, "dnsConfig"]),
    ...gateFaults(pod, path),
    ...spreadFaults(pod, path),
    ...hostProcessFaults(pod, path),
    ...hostUserFaults(pod, path),
    ...nameFaults(pod, path),
    ...tolerationFaults(pod, path),
    ...hostAliasFaults(pod, path),
    ...preemptionFaults(optionalStringAt(pod, "preemptionPolicy"), [...path, "preemptionPolicy"]),
    ...requirementFaults({ limits: objectAt(pod, "overhead") ?? {} }, [...path, "overhead"], podClaims([])),
    ...systemFaults(pod, path),
  ];
}

/** On the node's network a port of the node is the container's own (`validatePodHostNetworkDeps`). */
function hostNetworkFaults(pod: JsonObject, path: Path): readonly Cause[] {
  if (!isTrue(pod, "hostNetwork")) return [];
  const same = "must match `containerPort` when `hostNetwork` is true";
  return listed(pod, "containers", path).flatMap(([container, at]) =>
    objectsAt(container, "ports").flatMap((port, index) => {
      const [host, own] = [integerAt(port, "hostPort"), integerAt(port, "containerPort")];
      return host === 0n || host === own
        ? []
        : invalid([...at, "ports", index, "hostPort"], port.hostPort, same);
    }),
  );
}

const restarts = ["Always", "OnFailure", "Never"];

function restartFaults(policy: string, path: Path): readonly Cause[] {
  if (policy === "") return required(path);
  return restarts.includes(policy) ? [] : notSupported(path, policy, restarts);
}

/** Names of other objects, and of the pod in the network; and how long it may run. */
function nameFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const named = (key: string, faults: (text: string) => readonly string[]) => {
    const text = stringAt(pod, key);
    return text === "" ? [] : invalid([...path, key], text, ...faults(text));
  };
  const account = stringAt(pod, "serviceAccountName") || stringAt(pod, "serviceAccount");
  const deadline = optionalIntegerAt(pod, "activeDeadlineSeconds");
  const runtime = optionalStringAt(pod, "runtimeClassName");
  return [
    ...(account === ""
      ? []
      : invalid([...path, "serviceAccountName"], account, ...dnsSubdomainFaults(account))),
    ...named("nodeName", dnsSubdomainFaults),
    ...(deadline === undefined
      ? []
      : invalid(
          [...path, "activeDeadlineSeconds"],
          own(pod, "activeDeadlineSeconds"),
          ...rangeFaults(deadline, 1, 2 ** 31 - 1),
        )),
    ...named("hostname", dnsLabelFaults),
    ...named("subdomain", dnsLabelFaults),
    ...named("priorityClassName", dnsSubdomainFaults),
    ...(runtime === undefined
      ? []
      : invalid([...path, "runtimeClassName"], runtime, ...dnsSubdomainFaults(runtime))),
  ];
}

function preemptionFaults(policy: string | undefined, path: Path): readonly Cause[] {
  const policies = ["PreemptLowerPriority", "Never"];
  if (policy === undefined || policies.includes(policy)) return [];
  return policy === "" ? required(path) : notSupported(path, policy, policies);
}
