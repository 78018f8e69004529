import type { JsonObject } from "../../../src/json/json.ts";
import type { Names } from "../subject.ts";
import type { Field, Side } from "./sides.ts";

// The kinds of examples/, from the sides from which they have data that the other version lacks.

/** One of them, and the actions for which it has no field. */
export interface ExampleSide extends Side {
  readonly lacks?: RegExp;
}

const inStatus = /status\b/;

const tfJob: Names = { kind: "TFJob", plural: "tfjobs", group: "kubeflow.org" };

const template = {
  spec: {
    containers: [
      { name: "tensorflow", image: "mnist", ports: [{ name: "tfjob-port", containerPort: 2222 }] },
    ],
  },
};

const oldStatuses = [
  { tf_replica_type: "WORKER", state: "Running", ReplicasStates: { Running: 3, Unknown: 1 } },
  { tf_replica_type: "PS", state: "Running", ReplicasStates: { Running: 2 } },
];

/** What the list of replicas of v1alpha1 says of the workers and of the others. */
function replicasOf(workers: number, ps: JsonObject): Field {
  const replica = { tfPort: 2222, template };
  return {
    path: ["spec", "replicaSpecs"],
    value: [
      { tfReplicaType: "WORKER", replicas: workers, ...replica },
      { tfReplicaType: "PS", replicas: 2, ...replica, ...ps },
    ],
  };
}

const newJob: ExampleSide = {
  names: tfJob,
  native: "v1",
  client: "v1alpha1",
  hub: "v1",
  content: {
    spec: {
      runPolicy: { cleanPodPolicy: "All", ttlSecondsAfterFinished: 60, backoffLimit: 3 },
      successPolicy: "AllWorkers",
      tfReplicaSpecs: {
        Worker: { replicas: 4, restartPolicy: "ExitCode", template },
        PS: { replicas: 2, restartPolicy: "OnFailure", template },
        Evaluator: { replicas: 1, restartPolicy: "Never", template },
      },
    },
    status: {
      conditions: [{ type: "Running", status: "True", reason: "TFJobRunning" }],
      replicaStatuses: { Worker: { active: 4 }, Evaluator: { active: 1 } },
      startTime: "2026-03-01T06:45:00Z",
    },
  },
  edit: {
    native: { path: ["spec", "tfReplicaSpecs", "Worker", "replicas"], value: 8 },
    client: replicasOf(8, {}),
  },
  own: { path: ["spec", "runPolicy", "backoffLimit"], value: 4 },
  again: 5,
  unseen: undefined,
  lacks: inStatus,
};

const oldJob: ExampleSide = {
  names: tfJob,
  native: "v1alpha1",
  client: "v1",
  hub: "v1",
  content: {
    spec: {
      RuntimeId: "76no",
      tfImage: "tensorflow/tensorflow:1.3.0",
      schedulerName: "kube-batch",
      terminationPolicy: { chief: { replicaName: "MASTER", replicaIndex: 0 } },
      replicaSpecs: replicasOf(4, { tfPort: 2223 }).value,
    },
    status: { phase: "Running", state: "Running", replicaStatuses: oldStatuses },
  },
  edit: { native: replicasOf(8, { tfPort: 2223 }), client: newJob.edit.native },
  own: { path: ["spec", "schedulerName"], value: "volcano" },
  again: "default-scheduler",
  unseen: undefined,
  lacks: inStatus,
};

const newJobOfTheNextVersion: ExampleSide = {
  ...newJob,
  client: "v1alpha2",
  edit: { native: newJob.edit.native, client: newJob.edit.native },
  report: "completionTime",
  reported: "2026-03-01T07:00:00Z",
  lacks: /`status: null`: what/,
};

const snapshots = [
  { volumeHandle: "vol-1", snapshotHandle: "snap-1", creationTime: 1_700_000_000_123_456, readyToUse: true },
  { volumeHandle: "vol-2", snapshotHandle: "snap-2", restoreSize: 1_073_741_824 },
];

const retained: Field = { path: ["spec", "deletionPolicy"], value: "Retain" };

const newSnapshot: ExampleSide = {
  names: {
    kind: "VolumeGroupSnapshotContent",
    plural: "volumegroupsnapshotcontents",
    group: "groupsnapshot.storage.k8s.io",
    scope: "Cluster",
  },
  native: "v1",
  client: "v1beta1",
  hub: "v1",
  content: {
    spec: {
      deletionPolicy: "Delete",
      driver: "hostpath.csi.k8s.io",
      source: { volumeHandles: ["vol-1", "vol-2"] },
      volumeGroupSnapshotRef: { name: "orders", namespace: "shop" },
    },
    status: { readyToUse: true, volumeGroupSnapshotHandle: "group-1", volumeSnapshotInfoList: snapshots },
  },
  edit: { native: retained, client: retained },
  // Only the status of v1 has more fields, which no write of the object itself can change.
  own: retained,
  again: "Delete",
  report: "readyToUse",
  reported: false,
  unseen: undefined,
  lacks: /old export|an export applied|stale|`status: null`: what/,
};

const cafe: Names = {
  kind: "CafeDeployment",
  plural: "cafedeployments",
  group: "apps.cafe.cloud.alipay.com",
};

const batch = { number: 1, phase: "Running" };

const newDeployment: ExampleSide = {
  names: cafe,
  native: "v1",
  client: "v1alpha1",
  hub: "v1",
  content: {
    spec: {
      minReadySeconds: 30,
      replicas: 10,
      revisionHistoryLimit: 20,
      template: { spec: { containers: [{ name: "main", image: "shop" }] } },
      topology: { unitType: "Cell", units: [{ name: "CellC" }, { name: "CellA", replicas: "40%" }] },
      updateStrategy: { type: "Batch", batchSize: 4, confirmation: "Required", partition: 6 },
      workloadType: "InPlaceSet",
    },
    status: { observedGeneration: 1, replicas: 10, updatedReplicas: 4 },
  },
  edit: {
    native: { path: ["spec", "revisionHistoryLimit"], value: 5 },
    client: { path: ["spec", "historyLimit"], value: 5 },
  },
  own: { path: ["spec", "updateStrategy", "partition"], value: 2 },
  again: 1,
  unseen: undefined,
};

const oldDeployment: ExampleSide = {
  names: cafe,
  native: "v1alpha1",
  client: "v1",
  hub: "v1",
  content: {
    spec: {
      historyLimit: 20,
      replicas: 10,
      strategy: { batchSize: 4, minReadySeconds: 30, needWaitingForConfirm: true, upgradeType: "Beta" },
      topology: { values: ["CellC", "CellA"], unitReplicas: { CellA: "10%", CellZ: 1 } },
    },
    status: { observedGeneration: 1, replicas: 10, batch },
  },
  edit: { native: newDeployment.edit.client, client: newDeployment.edit.native },
  own: { path: ["spec", "topology", "unitReplicas", "CellZ"], value: 2 },
  again: 3,
  unseen: undefined,
};

const ready: Field = { path: ["spec", "minReadySeconds"], value: 5 };

const newSet: ExampleSide = {
  names: { ...cafe, kind: "InPlaceSet", plural: "inplacesets" },
  native: "v1",
  client: "v1alpha1",
  hub: "v1",
  content: {
    spec: {
      minReadySeconds: 30,
      replicas: 6,
      updateStrategy: { partition: 4, maxUnavailable: "25%" },
    },
    status: { observedGeneration: 1, replicas: 6 },
  },
  edit: { native: ready, client: ready },
  own: { path: ["spec", "updateStrategy", "maxUnavailable"], value: 1 },
  again: 2,
  unseen: undefined,
};

/** The sides of the kinds in examples/. */
export const exampleSides: readonly ExampleSide[] = [
  newJob,
  newJobOfTheNextVersion,
  oldJob,
  newSnapshot,
  newDeployment,
  oldDeployment,
  newSet,
];
