import type { Json, JsonObject } from "../../../src/json/json.ts";
import type { Names } from "../subject.ts";
import type { Field, Side } from "./sides.ts";

// Kinds of other projects (test/cases/published), each from the sides from which it has data that the other version lacks.

const clusterApi = { group: "cluster.x-k8s.io" };
const older = { native: "v1beta1", client: "v1beta2", hub: "v1beta2" };
const newer = { native: "v1beta2", client: "v1beta1", hub: "v1beta2" };

const then = "2026-03-01T06:45:00Z";

const ready = { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: then };
const oldReady = { type: "Ready", status: "True", severity: "Info", lastTransitionTime: then };

/** One edit that both versions say in the same field. */
function same(path: readonly string[], value: Json): Side["edit"] {
  const field: Field = { path, value };
  return { native: field, client: field };
}

const cluster: Names = { kind: "Cluster", plural: "clusters", ...clusterApi };

const nodeChecks = (first: number): readonly JsonObject[] => [
  { type: "Ready", status: "Unknown", timeoutSeconds: first },
  { type: "Ready", status: "False", timeoutSeconds: 60 },
];

const newCluster: Side = {
  names: cluster,
  ...newer,
  content: {
    spec: {
      controlPlaneRef: {
        apiGroup: "controlplane.cluster.x-k8s.io",
        kind: "KubeadmControlPlane",
        name: "depot",
      },
      topology: {
        classRef: { name: "small", namespace: "classes" },
        version: "v1.36.3",
        controlPlane: {
          replicas: 3,
          healthCheck: {
            enabled: true,
            checks: {
              unhealthyNodeConditions: nodeChecks(300),
              unhealthyMachineConditions: [{ type: "KubeletReady", status: "Unknown", timeoutSeconds: 90 }],
            },
          },
        },
        workers: {
          machineDeployments: [
            {
              name: "one",
              class: "worker",
              healthCheck: {
                checks: {
                  unhealthyNodeConditions: nodeChecks(30),
                  unhealthyMachineConditions: [{ type: "KubeletReady", status: "False", timeoutSeconds: 10 }],
                },
                remediation: { maxInFlight: "20%" },
              },
            },
            { name: "two", class: "worker", minReadySeconds: 3 },
          ],
        },
      },
    },
    status: {
      conditions: [ready],
      initialization: { infrastructureProvisioned: true },
      failureDomains: [
        { name: "two", controlPlane: false },
        { name: "one", attributes: { rack: "7" } },
      ],
      observedGeneration: 1,
    },
  },
  edit: same(["spec", "topology", "version"], "v1.36.4"),
  own: {
    path: ["spec", "topology", "controlPlane", "healthCheck", "checks", "unhealthyMachineConditions"],
    value: [{ type: "KubeletReady", status: "Unknown", timeoutSeconds: 91 }],
  },
  again: [{ type: "KubeletReady", status: "Unknown", timeoutSeconds: 92 }],
  unseen: undefined,
};

const oldCluster: Side = {
  names: cluster,
  ...older,
  content: {
    spec: {
      controlPlaneRef: {
        apiVersion: "controlplane.cluster.x-k8s.io/v1alpha4",
        kind: "KubeadmControlPlane",
        name: "shop",
        namespace: "shops",
      },
      topology: {
        class: "small",
        version: "v1.36.3",
        rolloutAfter: then,
        variables: [
          { name: "image", value: { tags: ["one", null, {}] }, definitionFrom: "inline" },
          { name: "size", value: 3 },
        ],
        controlPlane: {
          nodeDrainTimeout: "90s",
          machineHealthCheck: {
            maxUnhealthy: "40%",
            unhealthyConditions: [
              { type: "Ready", status: "Unknown", timeout: "300s" },
              { type: "Ready", status: "False", timeout: "1m0s" },
            ],
          },
        },
      },
    },
    status: {
      conditions: [oldReady],
      infrastructureReady: true,
      phase: "Provisioned",
      observedGeneration: 1,
    },
  },
  edit: same(["spec", "topology", "version"], "v1.36.4"),
  own: { path: ["spec", "topology", "rolloutAfter"], value: "2026-04-01T06:45:00Z" },
  again: "2026-05-01T06:45:00Z",
  unseen: undefined,
};

const clusterClass: Names = { kind: "ClusterClass", plural: "clusterclasses", ...clusterApi };

const template = (kind: string) => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind,
  name: "large",
});

const patches = (description: string, generate: string): readonly JsonObject[] => [
  {
    name: "one",
    description,
    definitions: [
      {
        selector: {
          apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
          kind: "LabMachineTemplate",
          matchResources: { infrastructureCluster: true },
        },
        jsonPatches: [
          { op: "replace", path: "/spec/a", value: { of: [1, null] } },
          { op: "add", path: "/spec/b", valueFrom: { variable: "size" } },
        ],
      },
    ],
  },
  { name: "two", external: { [generate]: "generate.lab", settings: { colour: "red" } } },
];

const newClass: Side = {
  names: clusterClass,
  ...newer,
  content: {
    spec: {
      kubernetesVersions: ["v1.35.0", "v1.36.3"],
      upgrade: { external: { generateUpgradePlanExtension: "plan.lab" } },
      infrastructure: { templateRef: template("LabClusterTemplate") },
      controlPlane: {
        templateRef: template("LabControlPlaneTemplate"),
        healthCheck: {
          checks: {
            unhealthyNodeConditions: nodeChecks(300),
            unhealthyMachineConditions: [{ type: "KubeletReady", status: "Unknown", timeoutSeconds: 90 }],
          },
        },
      },
      patches: patches("a", "generatePatchesExtension"),
      variables: [{ name: "size", required: true, schema: { openAPIV3Schema: { type: "integer" } } }],
    },
    status: { conditions: [ready], observedGeneration: 1 },
  },
  edit: {
    native: { path: ["spec", "patches"], value: patches("b", "generatePatchesExtension") },
    client: { path: ["spec", "patches"], value: patches("b", "generateExtension") },
  },
  own: { path: ["spec", "upgrade", "external", "generateUpgradePlanExtension"], value: "second.lab" },
  again: "third.lab",
  unseen: undefined,
};

const machine: Names = { kind: "Machine", plural: "machines", ...clusterApi };

const newMachine: Side = {
  names: machine,
  ...newer,
  content: {
    spec: {
      clusterName: "shop",
      version: "v1.36.3",
      minReadySeconds: 15,
      bootstrap: { dataSecretName: "worker" },
      infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "LabMachine", name: "worker" },
      deletion: { nodeDrainTimeoutSeconds: 5400 },
      taints: [
        { key: "lab.example/spot", value: "yes", effect: "NoSchedule", propagation: "Always" },
        { key: "lab.example/spot", effect: "NoExecute", propagation: "OnInitialization" },
      ],
    },
    status: { conditions: [ready], nodeRef: { name: "worker" }, observedGeneration: 1 },
  },
  edit: same(["spec", "version"], "v1.36.4"),
  own: { path: ["spec", "minReadySeconds"], value: 16 },
  again: 17,
  unseen: undefined,
};

const deployment: Names = { kind: "MachineDeployment", plural: "machinedeployments", ...clusterApi };

const newDeployment: Side = {
  names: deployment,
  ...newer,
  content: {
    spec: {
      clusterName: "shop",
      replicas: 3,
      selector: { matchLabels: { pool: "workers" } },
      remediation: { maxInFlight: "50%" },
      template: {
        metadata: { labels: { pool: "workers" } },
        spec: {
          clusterName: "shop",
          minReadySeconds: 30,
          bootstrap: { dataSecretName: "workers" },
          infrastructureRef: {
            apiGroup: "infrastructure.cluster.x-k8s.io",
            kind: "LabTemplate",
            name: "workers",
          },
          taints: [{ key: "lab.example/spot", effect: "NoSchedule", propagation: "Always" }],
        },
      },
    },
    status: { conditions: [ready], replicas: 3, readyReplicas: 2, observedGeneration: 1 },
  },
  edit: same(["spec", "replicas"], 4),
  own: {
    path: ["spec", "template", "spec", "taints"],
    value: [{ key: "lab.example/spot", effect: "NoSchedule", propagation: "OnInitialization" }],
  },
  again: [{ key: "lab.example/spot", value: "yes", effect: "NoSchedule", propagation: "OnInitialization" }],
  unseen: undefined,
};

const oldDeployment: Side = {
  names: deployment,
  ...older,
  content: {
    spec: {
      clusterName: "shop",
      replicas: 3,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 2,
      selector: { matchLabels: { pool: "workers" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, deletePolicy: "Oldest" } },
      template: {
        metadata: { labels: { pool: "workers" } },
        spec: {
          clusterName: "shop",
          bootstrap: { dataSecretName: "workers" },
          infrastructureRef: {
            apiVersion: "infrastructure.cluster.x-k8s.io/v1alpha1",
            kind: "LabTemplate",
            name: "workers",
            fieldPath: "spec",
          },
          nodeDrainTimeout: "5400s",
        },
      },
    },
    status: { conditions: [oldReady], replicas: 3, readyReplicas: 2, observedGeneration: 1 },
  },
  edit: same(["spec", "replicas"], 4),
  own: { path: ["spec", "progressDeadlineSeconds"], value: 601 },
  again: 602,
  unseen: undefined,
};

const newCertificate: Side = {
  names: { kind: "Certificate", plural: "certificates", group: "cert-manager.io" },
  native: "v1",
  client: "v1alpha2",
  hub: "v1",
  content: {
    spec: {
      secretName: "shop-tls",
      issuerRef: { name: "lab" },
      privateKey: { rotationPolicy: "Always" },
      subject: { organizations: ["Shop"], countries: ["NL"] },
      emailAddresses: ["ida@shop.example"],
    },
    status: { conditions: [ready], revision: 1 },
  },
  edit: {
    native: { path: ["spec", "subject", "organizations"], value: ["Shop", "Depot"] },
    client: { path: ["spec", "organization"], value: ["Shop", "Depot"] },
  },
  own: { path: ["spec", "privateKey", "algorithm"], value: "Ed25519" },
  again: "RSA",
  report: "revision",
  unseen: undefined,
};

/** Two receivers; secrets in the headers of a proxy may be optional in both versions. */
function receivers(
  channel: string,
  optional: boolean | undefined,
  inHeaders = optional,
): readonly JsonObject[] {
  const secret = (key: string, value = optional) => ({
    name: "slack",
    key,
    ...(value === undefined ? {} : { optional: value }),
  });
  const headers = { "X-Team": [secret("one", inHeaders), secret("two", inHeaders)] };
  return [
    {
      name: "team",
      slackConfigs: [
        {
          apiURL: secret("url"),
          channel,
          fields: [{ title: "job", value: "shop", short: true }],
          httpConfig: { proxyConnectHeader: headers },
        },
        { channel: "depot", httpConfig: { bearerTokenSecret: secret("token") } },
      ],
    },
    { name: "night", webhookConfigs: [{ urlSecret: secret("night") }] },
  ];
}

/** All that only v1alpha1 can say stands in items of atomic lists, and so does what the client edits. */
const oldReceivers: Side = {
  names: { kind: "AlertmanagerConfig", plural: "alertmanagerconfigs", group: "monitoring.coreos.com" },
  native: "v1alpha1",
  client: "v1beta1",
  hub: "v1beta1",
  content: {
    spec: { route: { receiver: "team" }, receivers: receivers("shop", true) },
    status: { observedGeneration: 1 },
  },
  edit: {
    native: { path: ["spec", "receivers"], value: receivers("sales", true) },
    client: { path: ["spec", "receivers"], value: receivers("sales", undefined, true) },
  },
  own: { path: ["spec", "receivers"], value: receivers("shop", false, true) },
  again: receivers("shop", undefined, true),
  unseen: undefined,
};

/** The sides of other projects' kinds. */
export const publishedSides: readonly Side[] = [
  newCluster,
  newClass,
  newMachine,
  newDeployment,
  newCertificate,
  oldCluster,
  oldDeployment,
  oldReceivers,
];
