import type { JsonObject } from "../src/json/json.ts";

/** So many SidecarSets, of which three match the pod; nearly all others select a label that it has and one that it has not. */
export function sidecarSets(count: number): readonly JsonObject[] {
  const matching = [{ app: "checkout" }, { tier: "backend", team: "shop" }, { logging: "enabled" }];
  return Array.from({ length: count }, (_, index) => {
    const apart = matching.findIndex((_, n) => index === Math.floor((n * (count - 1)) / 2));
    return sidecarSet(
      `set-${String(index).padStart(5, "0")}`,
      matching[apart] ?? { app: `app-${index}`, tier: "backend" },
    );
  });
}

/**
 * So many InjectionPolicies, none of which injects into the pod: most ask for a label or an annotation that it does not have,
 * some select a label that it has and require another.
 */
export function injectionPolicies(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "injection.antechamber.dev/v1beta1",
    kind: "InjectionPolicy",
    metadata: { name: `policy-${index}` },
    spec: {
      ...(index % 10 === 0
        ? { match: { selector: { matchLabels: { tier: "backend", app: `app-${index}` } } } }
        : {}),
      switch: {
        label: `policy-${index}.example/inject`,
        annotation: `policy-${index}.example/inject`,
        never: [{ matchLabels: { tier: "frontend" } }],
        always: [{ matchLabels: { [`policy-${index}.example/always`]: "true" } }],
        default: index % 10 === 0 ? "Enabled" : "Disabled",
      },
      containers: [sidecar(`policy-${index}`, "proxy", "BeforeAppContainer")],
    },
  }));
}

/** A review of the creation of a pod, of about 5 kB. */
export function review(): JsonObject {
  const resource = { group: "", version: "v1", resource: "pods" };
  const kind = { group: "", version: "v1", kind: "Pod" };
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "4b3a0c1e-0000-4000-8000-000000000001",
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      namespace: "shop",
      operation: "CREATE",
      userInfo: {
        username: "system:serviceaccount:kube-system:replicaset-controller",
        groups: ["system:serviceaccounts", "system:authenticated"],
      },
      object: pod(),
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  };
}

function sidecarSet(name: string, matchLabels: JsonObject): JsonObject {
  return {
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "SidecarSet",
    metadata: {
      name,
      annotations: {
        "kruise.io/sidecarset-hash": "6wbd76bd7984x24fb4f44fv9222cw9v9bcf85x766744wddd4zwx927zzz2zb684",
        "kruise.io/sidecarset-hash-without-image":
          "82684vwf9d4cb4wz4vffx4ddfbb47ww4z4wwxdbwb8w2zbb7zvf4524cdd49bv94",
      },
    },
    spec: {
      selector: { matchLabels },
      initContainers: [
        {
          name: `${name}-init`,
          image: `registry.example/${name}-init:1.4.2`,
          command: ["/bin/setup", "--mode=init"],
          podInjectPolicy: "AfterAppContainer",
          volumeMounts: [{ name: `${name}-config`, mountPath: `/etc/${name}` }],
        },
      ],
      containers: [sidecar(name, "proxy", "BeforeAppContainer"), sidecar(name, "logs", "AfterAppContainer")],
      volumes: [
        { name: `${name}-config`, configMap: { name, defaultMode: 420 } },
        { name: `${name}-data`, emptyDir: {} },
      ],
    },
    status: { latestRevision: `${name}-775558f6d9`, matchedPods: 0, readyPods: 0, updatedPods: 0 },
  };
}

function sidecar(set: string, role: string, podInjectPolicy: string): JsonObject {
  return {
    name: `${set}-${role}`,
    image: `registry.example/${role}:2.7.0`,
    imagePullPolicy: "IfNotPresent",
    args: [`--config=/etc/${set}/config.yaml`, "--log-level=info"],
    env: [
      { name: "SET", value: set },
      { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
    ],
    resources: { requests: { cpu: "50m", memory: "64Mi" } },
    volumeMounts: [
      { name: `${set}-config`, mountPath: `/etc/${set}`, readOnly: true },
      { name: `${set}-data`, mountPath: `/var/lib/${set}` },
    ],
    podInjectPolicy,
    shareVolumePolicy: { type: "disabled" },
    upgradeStrategy: { upgradeType: "ColdUpgrade" },
  };
}

function pod(): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "checkout-7d9c5b6f4-",
      namespace: "shop",
      creationTimestamp: null,
      labels: {
        app: "checkout",
        tier: "backend",
        team: "shop",
        logging: "enabled",
        "pod-template-hash": "7d9c5b6f4",
      },
      annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "checkout-7d9c5b6f4",
          uid: "4b3a0c1e-0000-4000-8000-000000000002",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: "kube-controller-manager",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-03-01T08:15:30Z",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:metadata": { "f:labels": { ".": {}, "f:app": {}, "f:tier": {} }, "f:generateName": {} },
            "f:spec": {
              "f:containers": { 'k:{"name":"checkout"}': { ".": {}, "f:image": {}, "f:env": {} } },
            },
          },
        },
      ],
    },
    spec: {
      containers: [container("checkout"), container("worker")],
      volumes: [
        { name: "config", configMap: { name: "shop", defaultMode: 420 } },
        { name: "cache", emptyDir: {} },
        { name: "kube-api-access-x7k2p", projected: { defaultMode: 420, sources: [] } },
      ],
      serviceAccountName: "checkout",
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      securityContext: {},
      enableServiceLinks: true,
      priority: 0,
      tolerations: [
        {
          key: "node.kubernetes.io/not-ready",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
        {
          key: "node.kubernetes.io/unreachable",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
      ],
    },
    status: {},
  };
}

function container(name: string): JsonObject {
  const words = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november";
  return {
    name,
    image: `registry.example/shop/${name}:v1.27.3`,
    imagePullPolicy: "IfNotPresent",
    args: ["--listen=:8080", "--database=$(DATABASE_URL)"],
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: [
      { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "database", key: "url" } } },
      { name: "POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
      { name: "REGION", value: "eu-1" },
      { name: "FEATURES", value: words },
    ],
    resources: { requests: { cpu: "250m", memory: "256Mi" }, limits: { memory: "512Mi" } },
    volumeMounts: [
      { name: "config", mountPath: "/etc/shop", readOnly: true },
      { name: "cache", mountPath: "/var/cache" },
      {
        name: "kube-api-access-x7k2p",
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
        readOnly: true,
      },
    ],
    livenessProbe: probe("/livez"),
    readinessProbe: probe("/readyz"),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true },
  };
}

function probe(path: string): JsonObject {
  return {
    httpGet: { path, port: "http", scheme: "HTTP" },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  };
}
