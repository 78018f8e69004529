import { group, isArray, isObject, type Json, type JsonObject, lens, move } from "antechamber";
import { each, groupReference, present, seconds, templateReference, within } from "./codecs.ts";

/** How long a machine's node is waited for when the machine goes: three durations ↔ seconds below `deletion`. */
const timeouts = [
  move("nodeDrainTimeout", "deletion.nodeDrainTimeoutSeconds", seconds),
  move("nodeVolumeDetachTimeout", "deletion.nodeVolumeDetachTimeoutSeconds", seconds),
  move("nodeDeletionTimeout", "deletion.nodeDeletionTimeoutSeconds", seconds),
];

/** The conditions by which a node counts as unhealthy: an atomic list of objects in both versions. */
const nodeConditions = each(lens(move("timeout", "timeoutSeconds", seconds)));

const healthCheck = lens(
  move("enable", "enabled"),
  move("nodeStartupTimeout", "checks.nodeStartupTimeoutSeconds", seconds),
  move("unhealthyConditions", "checks.unhealthyNodeConditions", nodeConditions),
  move("maxUnhealthy", "remediation.triggerIf.unhealthyLessThanOrEqualTo"),
  move("unhealthyRange", "remediation.triggerIf.unhealthyInRange"),
  move("remediationTemplate", "remediation.templateRef", templateReference),
);

/** A group of rows for a machine health check that stands below other fields. */
const healthChecks = move("machineHealthCheck", "healthCheck", within(healthCheck));

/** How machines are replaced; what remediation allows moved to the health check. */
const strategy = [
  move("strategy.type", "rollout.strategy.type"),
  move("strategy.rollingUpdate.maxSurge", "rollout.strategy.rollingUpdate.maxSurge"),
  move("strategy.rollingUpdate.maxUnavailable", "rollout.strategy.rollingUpdate.maxUnavailable"),
  move("strategy.rollingUpdate.deletePolicy", "deletion.order"),
];

/** The same with the health check, which both a row of its own and the strategy's remediation make. */
const checkedStrategy = [
  ...strategy,
  group({
    older: { check: "machineHealthCheck", inFlight: "strategy.remediation.maxInFlight" },
    newer: { check: "healthCheck" },
    up: ({ check, inFlight }) => {
      const made = isObject(check) ? healthCheck.up(check) : undefined;
      if (inFlight === undefined) return { check: made };
      const remediation = isObject(made?.remediation) ? made.remediation : {};
      return { check: { ...made, remediation: { ...remediation, maxInFlight: inFlight } } };
    },
    down: ({ check }) => {
      if (!isObject(check)) return {};
      const { maxInFlight, ...remediation } = isObject(check.remediation) ? check.remediation : {};
      const rest = present({
        ...check,
        remediation: Object.keys(remediation).length > 0 ? remediation : undefined,
      });
      const older = isObject(rest) ? healthCheck.down(rest) : {};
      return { check: Object.keys(older).length > 0 ? older : undefined, inFlight: maxInFlight };
    },
  }),
];

/** The conditions of both versions stand in both versions, under different names. */
export const conditions = [
  move("status.v1beta2.conditions", "status.conditions"),
  move("status.conditions", "status.deprecated.v1beta1.conditions"),
];

/** Why reconciliation ended for good. */
const failure = [
  move("status.failureReason", "status.deprecated.v1beta1.failureReason"),
  move("status.failureMessage", "status.deprecated.v1beta1.failureMessage"),
];

/** The lens from v1beta1 of a Cluster to v1beta2. */
export const cluster = lens(
  move("spec.controlPlaneRef", "spec.controlPlaneRef", groupReference),
  move("spec.infrastructureRef", "spec.infrastructureRef", groupReference),
  move("spec.topology.class", "spec.topology.classRef.name"),
  move("spec.topology.classNamespace", "spec.topology.classRef.namespace"),
  move("spec.topology.controlPlane", "spec.topology.controlPlane", within(lens(...timeouts, healthChecks))),
  move(
    "spec.topology.workers.machineDeployments",
    "spec.topology.workers.machineDeployments",
    each(lens(...timeouts, ...checkedStrategy)),
  ),
  move("spec.topology.workers.machinePools", "spec.topology.workers.machinePools", each(lens(...timeouts))),
  ...conditions,
  ...failure,
  move("status.controlPlaneReady", "status.initialization.controlPlaneInitialized"),
  move("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
  move("status.failureDomains", "status.failureDomains", {
    up: (older) => (isObject(older) ? domainsOf(older) : undefined),
    down: (newer) => (isArray(newer) ? domainsByName(newer) : undefined),
  }),
  move("status.v1beta2.controlPlane", "status.controlPlane"),
  move("status.v1beta2.workers", "status.workers"),
);

/** The spec of a Machine, which stands also in the template of a MachineDeployment, below some field. */
function machineSpec(at: string) {
  return [
    move(`${at}.infrastructureRef`, `${at}.infrastructureRef`, groupReference),
    move(`${at}.bootstrap.configRef`, `${at}.bootstrap.configRef`, groupReference),
    move(`${at}.nodeDrainTimeout`, `${at}.deletion.nodeDrainTimeoutSeconds`, seconds),
    move(`${at}.nodeVolumeDetachTimeout`, `${at}.deletion.nodeVolumeDetachTimeoutSeconds`, seconds),
    move(`${at}.nodeDeletionTimeout`, `${at}.deletion.nodeDeletionTimeoutSeconds`, seconds),
  ];
}

/** The lens from v1beta1 of a Machine to v1beta2, which has taints besides. */
export const machine = lens(
  ...machineSpec("spec"),
  ...conditions,
  ...failure,
  move("status.bootstrapReady", "status.initialization.bootstrapDataSecretCreated"),
  move("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
  move("status.nodeRef", "status.nodeRef", {
    up: (older) => (isObject(older) ? present({ name: older.name }) : undefined),
    down: (newer) =>
      isObject(newer) ? present({ apiVersion: "v1", kind: "Node", name: newer.name }) : undefined,
  }),
);

/** The lens from v1beta1 of a MachineDeployment to v1beta2: how long a machine must be ready moved into its template. */
export const machineDeployment = lens(
  ...machineSpec("spec.template.spec"),
  move("spec.minReadySeconds", "spec.template.spec.minReadySeconds"),
  move("spec.machineNamingStrategy", "spec.machineNaming"),
  move("spec.rolloutAfter", "spec.rollout.after"),
  move("spec.strategy.type", "spec.rollout.strategy.type"),
  move("spec.strategy.rollingUpdate.maxSurge", "spec.rollout.strategy.rollingUpdate.maxSurge"),
  move("spec.strategy.rollingUpdate.maxUnavailable", "spec.rollout.strategy.rollingUpdate.maxUnavailable"),
  move("spec.strategy.rollingUpdate.deletePolicy", "spec.deletion.order"),
  move("spec.strategy.remediation", "spec.remediation"),
  ...conditions,
  move("status.availableReplicas", "status.deprecated.v1beta1.availableReplicas"),
  move("status.readyReplicas", "status.deprecated.v1beta1.readyReplicas"),
  move("status.unavailableReplicas", "status.deprecated.v1beta1.unavailableReplicas"),
  move("status.updatedReplicas", "status.deprecated.v1beta1.updatedReplicas"),
  move("status.v1beta2.availableReplicas", "status.availableReplicas"),
  move("status.v1beta2.readyReplicas", "status.readyReplicas"),
  move("status.v1beta2.upToDateReplicas", "status.upToDateReplicas"),
);

/** What a ClusterClass says of machines, below some field; references moved out of `template`. */
const classOfMachines = [
  ...timeouts,
  move("template.metadata", "metadata"),
  move("template.bootstrap.ref", "bootstrap.templateRef", templateReference),
  move("template.infrastructure.ref", "infrastructure.templateRef", templateReference),
  move("namingStrategy", "naming"),
];

/** The lens from v1beta1 of a ClusterClass to v1beta2. Patches are atomic lists in atomic lists, three deep. */
export const clusterClass = lens(
  move("spec.infrastructure.ref", "spec.infrastructure.templateRef", templateReference),
  move("spec.infrastructureNamingStrategy", "spec.infrastructure.naming"),
  move(
    "spec.controlPlane",
    "spec.controlPlane",
    within(
      lens(
        ...timeouts,
        healthChecks,
        move("ref", "templateRef", templateReference),
        move("machineInfrastructure.ref", "machineInfrastructure.templateRef", templateReference),
        move("namingStrategy", "naming"),
      ),
    ),
  ),
  move(
    "spec.workers.machineDeployments",
    "spec.workers.machineDeployments",
    each(lens(...classOfMachines, ...checkedStrategy)),
  ),
  move("spec.workers.machinePools", "spec.workers.machinePools", each(lens(...classOfMachines))),
  move(
    "spec.patches",
    "spec.patches",
    each(
      lens(
        move("external.generateExtension", "external.generatePatchesExtension"),
        move("external.validateExtension", "external.validateTopologyExtension"),
      ),
    ),
  ),
  move("spec.variables", "spec.variables", each(lens(move("metadata", "deprecatedV1Beta1Metadata")))),
  move(
    "status.variables",
    "status.variables",
    each(lens(move("definitions", "definitions", each(lens(move("metadata", "deprecatedV1Beta1Metadata")))))),
  ),
  ...conditions,
);

/** The domains of a map as a list, sorted by name: the order of a map has no meaning. */
function domainsOf(domains: JsonObject): Json {
  return Object.keys(domains)
    .sort()
    .map((name) => {
      const domain = domains[name];
      return { ...(isObject(domain) ? domain : {}), name };
    });
}

function domainsByName(domains: readonly Json[]): Json {
  const named = domains.flatMap((domain) => {
    if (!isObject(domain) || typeof domain.name !== "string") return [];
    const { name, ...rest } = domain;
    return [[name, rest] as const];
  });
  return Object.fromEntries(named);
}
