import {
  claimSpec,
  containerFields,
  labelSelector,
  profile,
  quantities,
  resources,
  secretRef,
  stringMap,
  systemOptions,
  volume,
} from "./core-types.ts";
import { always, type GoType, pointer, strings, struct } from "./go-type.ts";

// More types of k8s.io/api v0.32.10, core/v1/types.go: those that a template of a pod, or of a claim, has beside containers
// and volumes.

const nodeRequirements: GoType = {
  list: struct({ key: always("string"), operator: always("string"), values: strings }),
};
const nodeTerm = struct({ matchExpressions: nodeRequirements, matchFields: nodeRequirements });
const podTerm = struct({
  labelSelector,
  namespaces: strings,
  topologyKey: always("string"),
  namespaceSelector: labelSelector,
  matchLabelKeys: strings,
  mismatchLabelKeys: strings,
});
const podTerms = struct({
  requiredDuringSchedulingIgnoredDuringExecution: { list: podTerm },
  preferredDuringSchedulingIgnoredDuringExecution: {
    list: struct({ weight: always("int32"), podAffinityTerm: always(podTerm) }),
  },
});

const securityContext = struct({
  ...systemOptions,
  runAsUser: pointer("int64"),
  runAsGroup: pointer("int64"),
  runAsNonRoot: pointer("bool"),
  supplementalGroups: { list: "int64" },
  supplementalGroupsPolicy: pointer("string"),
  fsGroup: pointer("int64"),
  sysctls: { list: struct({ name: always("string"), value: always("string") }) },
  fsGroupChangePolicy: pointer("string"),
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxChangePolicy: pointer("string"),
});

/** The spec of a pod. */
export const podSpec: GoType = struct({
  volumes: { list: volume },
  initContainers: { list: struct(containerFields) },
  containers: always({ list: struct(containerFields) }),
  ephemeralContainers: { list: struct({ ...containerFields, targetContainerName: "string" }) },
  restartPolicy: "string",
  terminationGracePeriodSeconds: pointer("int64"),
  activeDeadlineSeconds: pointer("int64"),
  dnsPolicy: "string",
  nodeSelector: stringMap,
  serviceAccountName: "string",
  serviceAccount: "string",
  automountServiceAccountToken: pointer("bool"),
  nodeName: "string",
  hostNetwork: "bool",
  hostPID: "bool",
  hostIPC: "bool",
  shareProcessNamespace: pointer("bool"),
  securityContext,
  imagePullSecrets: { list: secretRef },
  hostname: "string",
  subdomain: "string",
  affinity: struct({
    nodeAffinity: struct({
      requiredDuringSchedulingIgnoredDuringExecution: struct({ nodeSelectorTerms: { list: nodeTerm } }),
      preferredDuringSchedulingIgnoredDuringExecution: {
        list: struct({ weight: always("int32"), preference: always(nodeTerm) }),
      },
    }),
    podAffinity: podTerms,
    podAntiAffinity: podTerms,
  }),
  schedulerName: "string",
  tolerations: {
    list: struct({
      key: "string",
      operator: "string",
      value: "string",
      effect: "string",
      tolerationSeconds: pointer("int64"),
    }),
  },
  hostAliases: { list: struct({ ip: always("string"), hostnames: strings }) },
  priorityClassName: "string",
  priority: pointer("int32"),
  dnsConfig: struct({
    nameservers: strings,
    searches: strings,
    options: { list: struct({ name: "string", value: pointer("string") }) },
  }),
  readinessGates: { list: struct({ conditionType: always("string") }) },
  runtimeClassName: pointer("string"),
  enableServiceLinks: pointer("bool"),
  preemptionPolicy: pointer("string"),
  overhead: quantities,
  topologySpreadConstraints: {
    list: struct({
      maxSkew: always("int32"),
      topologyKey: always("string"),
      whenUnsatisfiable: always("string"),
      labelSelector,
      minDomains: pointer("int32"),
      nodeAffinityPolicy: pointer("string"),
      nodeTaintsPolicy: pointer("string"),
      matchLabelKeys: strings,
    }),
  },
  setHostnameAsFQDN: pointer("bool"),
  os: struct({ name: always("string") }),
  hostUsers: pointer("bool"),
  schedulingGates: { list: struct({ name: always("string") }) },
  resourceClaims: {
    list: struct({
      name: always("string"),
      resourceClaimName: pointer("string"),
      resourceClaimTemplateName: pointer("string"),
    }),
  },
  resources,
});

// Of the metadata in a template, what may be set there.
const metadata = struct({
  name: "string",
  generateName: "string",
  namespace: "string",
  labels: stringMap,
  annotations: stringMap,
  finalizers: strings,
});

/** A template of a pod. */
export const podTemplate: GoType = struct({ metadata: always(metadata), spec: always(podSpec) });

/** A PersistentVolumeClaim in a list of templates. */
export const claim: GoType = struct({
  kind: "string",
  apiVersion: "string",
  metadata: always(metadata),
  spec: always(claimSpec),
  status: always(struct({ phase: "string", accessModes: strings, capacity: quantities })),
});
