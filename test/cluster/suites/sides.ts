import { parseJson } from "../../../src/json/exact.ts";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import type { Names } from "../subject.ts";

/** A field and a value for it. */
export interface Field {
  readonly path: readonly string[];
  readonly value: Json;
}

/** One kind seen from one side: data that only one version can say, and clients of the other version. */
export interface Side {
  readonly names: Names;
  /** The version that the data belongs to: objects are made at it, and judged at it. */
  readonly native: string;
  /** The version whose clients act. */
  readonly client: string;
  /** The newest version, which is stored: one of the two. */
  readonly hub: string;
  /** Spec and status at the native version, rich in what the other one cannot say. */
  readonly content: JsonObject;
  /** Labels that say something of the native version. */
  readonly labels?: JsonObject;
  /** One harmless edit of spec, as each version says it. */
  readonly edit: { readonly native: Field; readonly client: Field };
  /** A change of what only the native version can say. */
  readonly own: Field;
  /** Another value for the same field. */
  readonly again: Json;
  /** A field that appears where our copy is lost: the other version's word for what only the native one can say so. */
  readonly instead?: string;
  /** What a controller reports in status, the same in both versions; without it `observedGeneration`. */
  readonly report?: string;
  /** The value that it reports; without it 9. */
  readonly reported?: Json;
  /** What is left of status once a client took out all of it that it can see. */
  readonly unseen: JsonObject | undefined;
}

const exactly = parseJson("9007199254740993"); // 2^53 + 1, which no double holds

const ready = {
  type: "Ready",
  status: "True",
  reason: "Answering",
  message: "all is well",
  lastTransitionTime: "2026-03-01T06:45:00Z",
};

const room: Names = { kind: "Room", plural: "rooms" };
const light: Names = { kind: "Light", plural: "lights" };
const lock: Names = { kind: "Lock", plural: "locks" };

const richRoom: Side = {
  names: room,
  native: "v1",
  client: "v1beta1",
  hub: "v1",
  content: {
    spec: {
      lights: [
        { name: "lamp", brightness: 0.25, color: { kelvin: 2700 }, transition: "250ms" },
        { name: "bulb", brightness: 0.333, color: { rgb: "#FFaa00" } },
      ],
      locks: [
        { name: "hatch", state: "Locked" },
        { name: "door", state: "Unlocked" },
      ],
      climate: { targetCelsius: 21.11111111111111, mode: "Heat" },
      location: { floor: 0, building: "Main house" },
      accessories: [
        { vendor: "lathe.example", serial: exactly, nothing: null, deep: [null, {}, [[]]] },
        { vendor: "kettle.example" },
      ],
    },
    status: {
      lights: [{ name: "lamp", currentBrightness: 0.255 }],
      observedGeneration: 1,
      conditions: [ready],
    },
  },
  edit: {
    native: { path: ["spec", "location", "floor"], value: 2 },
    client: { path: ["spec", "floor"], value: 2 },
  },
  own: { path: ["spec", "climate", "mode"], value: "Cool" },
  again: "Auto",
  unseen: { lights: [{ name: "lamp", currentBrightness: 0.255 }] },
};

const oldRoom: Side = {
  names: room,
  native: "v1beta1",
  client: "v1",
  hub: "v1",
  content: {
    spec: {
      lights: ["lamp", "bulb"],
      brightness: "60%",
      doors: ["hatch", "door"],
      lockDoors: true,
      temperature: "70F",
      floor: 0,
      owner: "ida",
    },
    status: { phase: "Ready", observedGeneration: 1, conditions: [ready] },
  },
  edit: { native: richRoom.edit.client, client: richRoom.edit.native },
  own: { path: ["spec", "owner"], value: "bo" },
  again: "cy",
  unseen: { phase: "Ready" },
};

const richLight: Side = {
  names: light,
  native: "v1",
  client: "v1beta1",
  hub: "v1",
  content: {
    spec: {
      brightness: 0.333,
      color: { rgb: "#FFaa00" },
      transition: "300ms",
      device: { protocol: "Zigbee", address: "00124b", serial: exactly },
      schedule: [
        { name: "night", at: "23:59", brightness: 0.05 },
        { name: "breakfast", at: "06:45" },
      ],
    },
    status: { currentBrightness: 0.255, observedGeneration: 1, conditions: [ready] },
  },
  edit: {
    native: { path: ["spec", "device", "address"], value: "00ff" },
    client: { path: ["spec", "address"], value: "zigbee://00ff" },
  },
  own: { path: ["spec", "transition"], value: "0.3s" },
  again: "0.30s",
  unseen: undefined,
};

const oldLight: Side = {
  names: light,
  native: "v1beta1",
  client: "v1",
  hub: "v1",
  content: {
    spec: {
      powered: false,
      level: "50%",
      color: "2700K",
      fadeSeconds: 1e-7,
      address: "zigbee://00124b",
      firmware: "2.3.1",
    },
    status: { level: 26, phase: "Active", observedGeneration: 1, conditions: [ready] },
  },
  edit: { native: richLight.edit.client, client: richLight.edit.native },
  own: { path: ["spec", "firmware"], value: "2.4.0" },
  again: "2.5.0",
  unseen: { phase: "Active" },
};

const richLock: Side = {
  names: lock,
  native: "v1",
  client: "v1beta1",
  hub: "v1",
  content: {
    spec: {
      desiredState: "Locked",
      autoLock: { enabled: true, after: "1m30s" },
      keys: [
        { id: "b", holder: "ida", notAfter: "2096-12-31T23:59:59Z", maxUses: exactly },
        { id: "a", holder: "" },
      ],
    },
    status: {
      currentState: "Locked",
      lastChangeTime: "2026-03-01T06:45:00Z",
      observedGeneration: 1,
      conditions: [{ type: "Jammed", status: "False", reason: "BoltMoves", message: "" }, ready],
    },
  },
  edit: {
    native: { path: ["spec", "desiredState"], value: "Unlocked" },
    client: { path: ["spec", "locked"], value: false },
  },
  own: { path: ["spec", "autoLock", "enabled"], value: false },
  again: true,
  unseen: undefined,
};

const oldLock: Side = {
  names: lock,
  native: "v1beta1",
  client: "v1",
  hub: "v1",
  content: {
    spec: { locked: true, autoLockSeconds: 90, keys: ["b:ida", "b:bo", "a"] },
    status: {
      locked: true,
      jammed: false,
      observedGeneration: 1,
      conditions: [ready, { type: "Jammed", status: "Unknown", reason: "Odd" }],
    },
  },
  edit: { native: richLock.edit.client, client: richLock.edit.native },
  own: { path: ["spec", "keys"], value: ["b:ida", "b:bo", "b:cy", "a"] },
  again: ["b:ida", "b:bo", "b:cy", "a", "b:dee"],
  unseen: { conditions: [{ type: "Jammed", status: "Unknown", reason: "Odd" }] },
};

/** The SidecarSet, whose versions are called otherwise and whose objects are in no namespace. */
export const sidecarSet: Names & { readonly group: string } = {
  kind: "SidecarSet",
  plural: "sidecarsets",
  group: "apps.kruise.io",
  scope: "Cluster",
};

/** A container with all that admission would fill in: so nothing is added to what is written here but hashes. */
export const container: JsonObject = {
  name: "log",
  image: "registry.example/log:1",
  imagePullPolicy: "IfNotPresent",
  podInjectPolicy: "BeforeAppContainer",
  shareVolumePolicy: { type: "disabled" },
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  upgradeStrategy: { upgradeType: "ColdUpgrade" },
};

const setSpec: JsonObject = {
  selector: { matchLabels: { app: "shop" } },
  containers: [{ ...container, vendor: { serial: exactly, nothing: null, deep: [null, {}, [[]]] } }],
  volumes: [{ name: "scratch", emptyDir: {} }],
  updateStrategy: { type: "RollingUpdate", maxUnavailable: "20%", partition: 0 },
  revisionHistoryLimit: 10,
};

const setStatus: JsonObject = { matchedPods: 3, updatedPods: 1, readyPods: 2, observedGeneration: 1 };

const partition: Field = { path: ["spec", "updateStrategy", "partition"], value: 2 };

/** A name of a version that no label can say. */
const newSet: Side = {
  names: sidecarSet,
  native: "v1beta1",
  client: "v1alpha1",
  hub: "v1beta1",
  content: { spec: { ...setSpec, customVersion: "second try, traced" }, status: setStatus },
  edit: { native: partition, client: partition },
  own: { path: ["spec", "customVersion"], value: "third try, traced" },
  again: "fourth try, traced",
  unseen: undefined,
};

/** A namespace, which v1beta1 says as a selector; beside it a selector, of which v1beta1 then hears nothing. */
const oldSet: Side = {
  names: sidecarSet,
  native: "v1alpha1",
  client: "v1beta1",
  hub: "v1beta1",
  content: {
    spec: { ...setSpec, namespace: "shop", namespaceSelector: { matchLabels: { stage: "live" } } },
    status: setStatus,
  },
  labels: { "apps.kruise.io/sidecarset-custom-version": "2026-11.1" },
  edit: { native: partition, client: partition },
  own: { path: ["spec", "namespaceSelector"], value: { matchLabels: { stage: "test" } } },
  again: { matchLabels: { stage: "trial" } },
  instead: "spec.namespaceSelector.",
  unseen: undefined,
};

/** The Advanced StatefulSet, of whose versions the newer has all fields of the older. */
export const statefulSet: Names & { readonly group: string } = {
  kind: "StatefulSet",
  plural: "statefulsets",
  group: "apps.kruise.io",
};

/** A template with all that admission would fill in. */
const template: JsonObject = {
  metadata: { labels: { app: "shop" } },
  spec: {
    containers: [
      {
        name: "main",
        image: "registry.example/main:1",
        imagePullPolicy: "Always",
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        vendor: { serial: exactly, nothing: null, deep: [null, {}, [[]]] },
      },
    ],
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
};

const newCounts: JsonObject = {
  updatedReadyReplicas: 2,
  updatedAvailableReplicas: 1,
  volumeClaims: [{ volumeClaimName: "data", compatibleReplicas: 3, compatibleReadyReplicas: 2 }],
};

const replicas: Field = { path: ["spec", "replicas"], value: 5 };

const newStatefulSet: Side = {
  names: statefulSet,
  native: "v1beta1",
  client: "v1alpha1",
  hub: "v1beta1",
  content: {
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "shop" } },
      template,
      podManagementPolicy: "Parallel",
      ordinals: { start: 1 },
      reserveOrdinals: [4, "7-9"],
      scaleStrategy: { maxUnavailable: "20%" },
      lifecycle: {
        preDelete: { labelsHandler: { "shop.example/held": "yes" }, markPodNotReady: false },
        inPlaceUpdate: { finalizersHandler: ["shop.example/backup", "shop.example/hold"] },
      },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
      volumeClaimUpdateStrategy: { type: "OnPodRollingUpdate" },
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxUnavailable: 1, partition: 0, podUpdatePolicy: "ReCreate", minReadySeconds: 0 },
      },
      revisionHistoryLimit: 10,
    },
    status: {
      ...newCounts,
      replicas: 3,
      readyReplicas: 3,
      observedGeneration: 1,
      conditions: [ready],
    },
  },
  edit: { native: replicas, client: replicas },
  own: { path: ["spec", "ordinals", "start"], value: 2 },
  again: 3,
  unseen: newCounts,
};

/** Each kind from both sides; v1alpha1 of a StatefulSet has nothing that v1beta1 does not have. */
export const sides: readonly Side[] = [
  richRoom,
  richLight,
  richLock,
  newSet,
  newStatefulSet,
  oldRoom,
  oldLight,
  oldLock,
  oldSet,
];

/** A Room whose v1-only data is too large for any annotation, also compressed: 300 kB of noise. */
export function oversized(noise: string): Side {
  const { spec } = richRoom.content as { readonly spec: JsonObject };
  const accessories = [{ vendor: "noise.example", noise }];
  return { ...richRoom, content: { ...richRoom.content, spec: { ...spec, accessories } } };
}

/** A SidecarSet whose version has a name of 300 kB, which no label can say and no annotation can hold. */
export function oversizedSet(noise: string): Side {
  const { spec } = newSet.content as { readonly spec: JsonObject };
  return { ...newSet, content: { ...newSet.content, spec: { ...spec, customVersion: noise } } };
}
