import { type Codec, constant, durationTo, each, lens, mapToList, move, within } from "antechamber";

const seconds = durationTo("s");

/** The API version of an object ↔ its group: the version of an older reference is always v1beta1. */
const groupOfVersion: Codec<string, string> = {
  up: (version) => /^([^/]+)\/[^/]+$/.exec(version)?.[1],
  down: (group) => `${group}/v1beta1`,
  lossy: "a group says no version",
};

/** A reference that names a version ↔ one that names a group. */
const groupReference = move("apiVersion", "apiGroup", groupOfVersion);

/** How long a machine's node is waited for when the machine goes: three durations ↔ seconds below `deletion`. */
const timeouts = [
  move("nodeDrainTimeout", "deletion.nodeDrainTimeoutSeconds", seconds),
  move("nodeVolumeDetachTimeout", "deletion.nodeVolumeDetachTimeoutSeconds", seconds),
  move("nodeDeletionTimeout", "deletion.nodeDeletionTimeoutSeconds", seconds),
];

/** How a machine is found to be unhealthy, and what is done then. */
const checks = [
  move("nodeStartupTimeout", "checks.nodeStartupTimeoutSeconds", seconds),
  each("unhealthyConditions", "checks.unhealthyNodeConditions", move("timeout", "timeoutSeconds", seconds)),
  move("maxUnhealthy", "remediation.triggerIf.unhealthyLessThanOrEqualTo"),
  move("unhealthyRange", "remediation.triggerIf.unhealthyInRange"),
  move("remediationTemplate", "remediation.templateRef"),
];
const healthCheck = within("machineHealthCheck", "healthCheck", ...checks);

/** The same in a Cluster, which may also switch the checks of its class on and off. */
const switchedHealthCheck = within("machineHealthCheck", "healthCheck", move("enable", "enabled"), ...checks);

/** How machines are replaced; what remediation allows moved to the health check. */
const strategy = [
  move("strategy.remediation.maxInFlight", "healthCheck.remediation.maxInFlight"),
  move("strategy.type", "rollout.strategy.type"),
  move("strategy.rollingUpdate.maxSurge", "rollout.strategy.rollingUpdate.maxSurge"),
  move("strategy.rollingUpdate.maxUnavailable", "rollout.strategy.rollingUpdate.maxUnavailable"),
  move("strategy.rollingUpdate.deletePolicy", "deletion.order"),
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
  within("spec.controlPlaneRef", "spec.controlPlaneRef", groupReference),
  within("spec.infrastructureRef", "spec.infrastructureRef", groupReference),
  move("spec.topology.class", "spec.topology.classRef.name"),
  move("spec.topology.classNamespace", "spec.topology.classRef.namespace"),
  within("spec.topology.controlPlane", "spec.topology.controlPlane", ...timeouts, switchedHealthCheck),
  each(
    "spec.topology.workers.machineDeployments",
    "spec.topology.workers.machineDeployments",
    ...timeouts,
    switchedHealthCheck,
    ...strategy,
  ),
  each("spec.topology.workers.machinePools", "spec.topology.workers.machinePools", ...timeouts),
  ...conditions,
  ...failure,
  move("status.controlPlaneReady", "status.initialization.controlPlaneInitialized"),
  move("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
  move("status.failureDomains", "status.failureDomains", mapToList("name")),
  move("status.v1beta2.controlPlane", "status.controlPlane"),
  move("status.v1beta2.workers", "status.workers"),
);

/** The spec of a Machine, which stands also in the template of a MachineDeployment, below some field. */
function machineSpec(at: string) {
  return [
    within(`${at}.infrastructureRef`, `${at}.infrastructureRef`, groupReference),
    within(`${at}.bootstrap.configRef`, `${at}.bootstrap.configRef`, groupReference),
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
  constant(move("status.nodeRef.name", "status.nodeRef.name"), {
    older: { "status.nodeRef.apiVersion": "v1", "status.nodeRef.kind": "Node" },
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
  move("template.bootstrap.ref", "bootstrap.templateRef"),
  move("template.infrastructure.ref", "infrastructure.templateRef"),
  move("namingStrategy", "naming"),
];

/** The lens from v1beta1 of a ClusterClass to v1beta2. Patches are atomic lists in atomic lists, three deep. */
export const clusterClass = lens(
  move("spec.infrastructure.ref", "spec.infrastructure.templateRef"),
  move("spec.infrastructureNamingStrategy", "spec.infrastructure.naming"),
  within(
    "spec.controlPlane",
    "spec.controlPlane",
    ...timeouts,
    healthCheck,
    move("ref", "templateRef"),
    move("machineInfrastructure.ref", "machineInfrastructure.templateRef"),
    move("namingStrategy", "naming"),
  ),
  each(
    "spec.workers.machineDeployments",
    "spec.workers.machineDeployments",
    ...classOfMachines,
    healthCheck,
    ...strategy,
  ),
  each("spec.workers.machinePools", "spec.workers.machinePools", ...classOfMachines),
  each(
    "spec.patches",
    "spec.patches",
    move("external.generateExtension", "external.generatePatchesExtension"),
    move("external.validateExtension", "external.validateTopologyExtension"),
  ),
  each("spec.variables", "spec.variables", move("metadata", "deprecatedV1Beta1Metadata")),
  each(
    "status.variables",
    "status.variables",
    each("definitions", "definitions", move("metadata", "deprecatedV1Beta1Metadata")),
  ),
  ...conditions,
);
