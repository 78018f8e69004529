import { always, type GoType, nullable, pointer, strings, struct } from "./go-type.ts";

// The types of k8s.io/api v0.32.10, core/v1/types.go, with their fields in order. Later fields are left out on purpose:
// hashes and revisions must equal those of OpenKruise v1.9.1, which is built with this version.

/** Amounts by name. */
export const quantities: GoType = { map: "quantity" };
/** Strings by name. */
export const stringMap: GoType = { map: "string" };
/** A reference to a Secret by its name. */
export const secretRef = struct({ name: "string" });

/** A LabelSelector. */
export const labelSelector = struct({
  matchLabels: stringMap,
  matchExpressions: {
    list: struct({ key: always("string"), operator: always("string"), values: strings }),
  },
});

const fieldRef = struct({ apiVersion: "string", fieldPath: always("string") });
const resourceFieldRef = struct({
  containerName: "string",
  resource: always("string"),
  divisor: always("quantity"),
});
const keyRef = struct({ name: "string", key: always("string"), optional: pointer("bool") });
const optionalRef = struct({ name: "string", optional: pointer("bool") });

const envVar = struct({
  name: always("string"),
  value: "string",
  valueFrom: struct({ fieldRef, resourceFieldRef, configMapKeyRef: keyRef, secretKeyRef: keyRef }),
});

/** The resources of a container or a pod. */
export const resources = struct({
  limits: quantities,
  requests: quantities,
  claims: { list: struct({ name: always("string"), request: "string" }) },
});

const exec = struct({ command: strings });
const httpGet = struct({
  path: "string",
  port: always("intOrString"),
  host: "string",
  scheme: "string",
  httpHeaders: { list: struct({ name: always("string"), value: always("string") }) },
});
const tcpSocket = struct({ port: always("intOrString"), host: "string" });

const probe = struct({
  exec,
  httpGet,
  tcpSocket,
  grpc: struct({ port: always("int32"), service: nullable("string") }),
  initialDelaySeconds: "int32",
  timeoutSeconds: "int32",
  periodSeconds: "int32",
  successThreshold: "int32",
  failureThreshold: "int32",
  terminationGracePeriodSeconds: pointer("int64"),
});

const handler = struct({ exec, httpGet, tcpSocket, sleep: struct({ seconds: always("int64") }) });
/** A seccomp or AppArmor profile. */
export const profile = struct({ type: always("string"), localhostProfile: pointer("string") });

/** The options of a security context for one operating system. */
export const systemOptions = {
  seLinuxOptions: struct({ user: "string", role: "string", type: "string", level: "string" }),
  windowsOptions: struct({
    gmsaCredentialSpecName: pointer("string"),
    gmsaCredentialSpec: pointer("string"),
    runAsUserName: pointer("string"),
    hostProcess: pointer("bool"),
  }),
} as const;

const securityContext = struct({
  capabilities: struct({ add: strings, drop: strings }),
  privileged: pointer("bool"),
  ...systemOptions,
  runAsUser: pointer("int64"),
  runAsGroup: pointer("int64"),
  runAsNonRoot: pointer("bool"),
  readOnlyRootFilesystem: pointer("bool"),
  allowPrivilegeEscalation: pointer("bool"),
  procMount: pointer("string"),
  seccompProfile: profile,
  appArmorProfile: profile,
});

/** The fields of a core Container. */
export const containerFields = {
  name: always("string"),
  image: "string",
  command: strings,
  args: strings,
  workingDir: "string",
  ports: {
    list: struct({
      name: "string",
      hostPort: "int32",
      containerPort: always("int32"),
      protocol: "string",
      hostIP: "string",
    }),
  },
  envFrom: { list: struct({ prefix: "string", configMapRef: optionalRef, secretRef: optionalRef }) },
  env: { list: envVar },
  resources: always(resources),
  resizePolicy: { list: struct({ resourceName: always("string"), restartPolicy: always("string") }) },
  restartPolicy: pointer("string"),
  volumeMounts: {
    list: struct({
      name: always("string"),
      readOnly: "bool",
      recursiveReadOnly: pointer("string"),
      mountPath: always("string"),
      subPath: "string",
      mountPropagation: pointer("string"),
      subPathExpr: "string",
    }),
  },
  volumeDevices: { list: struct({ name: always("string"), devicePath: always("string") }) },
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: struct({ postStart: handler, preStop: handler }),
  terminationMessagePath: "string",
  terminationMessagePolicy: "string",
  imagePullPolicy: "string",
  securityContext,
  stdin: "bool",
  stdinOnce: "bool",
  tty: "bool",
} as const;

const items: GoType = {
  list: struct({ key: always("string"), path: always("string"), mode: pointer("int32") }),
};
const downwardItems: GoType = {
  list: struct({ path: always("string"), fieldRef, resourceFieldRef, mode: pointer("int32") }),
};
const reference = {
  apiGroup: nullable("string"),
  kind: always("string"),
  name: always("string"),
};
/** The spec of a PersistentVolumeClaim. */
export const claimSpec = struct({
  accessModes: strings,
  selector: labelSelector,
  resources: always(struct({ limits: quantities, requests: quantities })),
  volumeName: "string",
  storageClassName: pointer("string"),
  volumeMode: pointer("string"),
  dataSource: struct(reference),
  dataSourceRef: struct({ ...reference, namespace: pointer("string") }),
  volumeAttributesClassName: pointer("string"),
});
// The part of metadata that a template may set.
const templateMetadata = struct({
  creationTimestamp: nullable("string"),
  labels: stringMap,
  annotations: stringMap,
});

const projection = struct({
  secret: struct({ name: "string", items, optional: pointer("bool") }),
  downwardAPI: struct({ items: downwardItems }),
  configMap: struct({ name: "string", items, optional: pointer("bool") }),
  serviceAccountToken: struct({
    audience: "string",
    expirationSeconds: pointer("int64"),
    path: always("string"),
  }),
  clusterTrustBundle: struct({
    name: pointer("string"),
    signerName: pointer("string"),
    labelSelector,
    optional: pointer("bool"),
    path: always("string"),
  }),
});

const disk = { fsType: "string", partition: "int32", readOnly: "bool" } as const;
const share = { fsType: "string", readOnly: "bool" } as const;

/** A core Volume. */
export const volume = struct({
  name: always("string"),
  hostPath: struct({ path: always("string"), type: pointer("string") }),
  emptyDir: struct({ medium: "string", sizeLimit: pointer("quantity") }),
  gcePersistentDisk: struct({ pdName: always("string"), ...disk }),
  awsElasticBlockStore: struct({ volumeID: always("string"), ...disk }),
  gitRepo: struct({ repository: always("string"), revision: "string", directory: "string" }),
  secret: struct({
    secretName: "string",
    items,
    defaultMode: pointer("int32"),
    optional: pointer("bool"),
  }),
  nfs: struct({ server: always("string"), path: always("string"), readOnly: "bool" }),
  iscsi: struct({
    targetPortal: always("string"),
    iqn: always("string"),
    lun: always("int32"),
    iscsiInterface: "string",
    fsType: "string",
    readOnly: "bool",
    portals: strings,
    chapAuthDiscovery: "bool",
    chapAuthSession: "bool",
    secretRef,
    initiatorName: pointer("string"),
  }),
  glusterfs: struct({ endpoints: always("string"), path: always("string"), readOnly: "bool" }),
  persistentVolumeClaim: struct({ claimName: always("string"), readOnly: "bool" }),
  rbd: struct({
    monitors: always(strings),
    image: always("string"),
    fsType: "string",
    pool: "string",
    user: "string",
    keyring: "string",
    secretRef,
    readOnly: "bool",
  }),
  flexVolume: struct({
    driver: always("string"),
    fsType: "string",
    secretRef,
    readOnly: "bool",
    options: stringMap,
  }),
  cinder: struct({ volumeID: always("string"), ...share, secretRef }),
  cephfs: struct({
    monitors: always(strings),
    path: "string",
    user: "string",
    secretFile: "string",
    secretRef,
    readOnly: "bool",
  }),
  flocker: struct({ datasetName: "string", datasetUUID: "string" }),
  downwardAPI: struct({ items: downwardItems, defaultMode: pointer("int32") }),
  fc: struct({
    targetWWNs: strings,
    lun: pointer("int32"),
    fsType: "string",
    readOnly: "bool",
    wwids: strings,
  }),
  azureFile: struct({ secretName: always("string"), shareName: always("string"), readOnly: "bool" }),
  configMap: struct({
    name: "string",
    items,
    defaultMode: pointer("int32"),
    optional: pointer("bool"),
  }),
  vsphereVolume: struct({
    volumePath: always("string"),
    fsType: "string",
    storagePolicyName: "string",
    storagePolicyID: "string",
  }),
  quobyte: struct({
    registry: always("string"),
    volume: always("string"),
    readOnly: "bool",
    user: "string",
    group: "string",
    tenant: "string",
  }),
  azureDisk: struct({
    diskName: always("string"),
    diskURI: always("string"),
    cachingMode: pointer("string"),
    fsType: pointer("string"),
    readOnly: pointer("bool"),
    kind: pointer("string"),
  }),
  photonPersistentDisk: struct({ pdID: always("string"), fsType: "string" }),
  projected: struct({ sources: always({ list: projection }), defaultMode: pointer("int32") }),
  portworxVolume: struct({ volumeID: always("string"), ...share }),
  scaleIO: struct({
    gateway: always("string"),
    system: always("string"),
    secretRef: nullable(secretRef),
    sslEnabled: "bool",
    protectionDomain: "string",
    storagePool: "string",
    storageMode: "string",
    volumeName: "string",
    ...share,
  }),
  storageos: struct({ volumeName: "string", volumeNamespace: "string", ...share, secretRef }),
  csi: struct({
    driver: always("string"),
    readOnly: pointer("bool"),
    fsType: pointer("string"),
    volumeAttributes: stringMap,
    nodePublishSecretRef: secretRef,
  }),
  ephemeral: struct({
    volumeClaimTemplate: struct({ metadata: always(templateMetadata), spec: always(claimSpec) }),
  }),
  image: struct({ reference: "string", pullPolicy: "string" }),
});
