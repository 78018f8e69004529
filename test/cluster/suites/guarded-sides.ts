import { isObject, listAt, set } from "../../../src/json/json.ts";
import type { TargetName } from "../webhook-targets.ts";
import { publishedSides } from "./published-sides.ts";
import { type Side, sides } from "./sides.ts";

/** A kind behind the guard, from a side from which it has data that the other version lacks. */
export interface GuardedSide extends Side {
  readonly target: TargetName;
  /** More options of the guard. */
  readonly options?: readonly string[];
  /** Why the API server refuses `status: null`, if it does. */
  readonly demands?: RegExp;
}

const old = (kind: string, native: string) =>
  [...sides, ...publishedSides].find((each) => each.names.kind === kind && each.native === native);

const info = (handle: string, creationTime: number) => ({
  volumeHandle: "volume-1",
  snapshotHandle: handle,
  creationTime,
  readyToUse: true,
  restoreSize: 1024,
});

const snapshots: GuardedSide = {
  target: "external-snapshotter",
  names: {
    kind: "VolumeGroupSnapshotContent",
    plural: "volumegroupsnapshotcontents",
    group: "groupsnapshot.storage.k8s.io",
    scope: "Cluster",
  },
  native: "v1beta2",
  client: "v1beta1",
  hub: "v1beta2",
  content: {
    spec: {
      deletionPolicy: "Delete",
      driver: "csi.example.com",
      source: { volumeHandles: ["volume-1"] },
      volumeGroupSnapshotRef: { name: "a", namespace: "default" },
    },
    // v1beta1 has the handles alone. Seconds and more: upstream's annotation rounds larger ones.
    status: { readyToUse: false, volumeSnapshotInfoList: [info("snapshot-1", 1_700_000_000_123_456)] },
  },
  edit: {
    native: { path: ["spec", "deletionPolicy"], value: "Retain" },
    client: { path: ["spec", "deletionPolicy"], value: "Retain" },
  },
  own: { path: ["status", "volumeSnapshotInfoList"], value: [info("snapshot-1", 1_700_000_000_123_457)] },
  again: [info("snapshot-1", 1_700_000_000_123_458)],
  report: "readyToUse",
  reported: true,
  unseen: undefined,
};

const counts = { availableReplicas: 1, currentReplicas: 3, updatedReplicas: 2 };

/** With what OpenKruise's schema demands of a status, and nothing in containers that its Go types do not know. */
function known(side: Side): Omit<GuardedSide, "target"> {
  const { spec, status } = side.content;
  const path = ["template", "spec", "containers"] as const;
  const containers = listAt(spec, ...path).map((each) =>
    isObject(each) ? set(each, "vendor", undefined) : each,
  );
  const content = {
    spec: isObject(spec) ? set(spec, ...path, containers) : {},
    status: { ...(isObject(status) ? status : {}), ...counts },
  };
  return { ...side, content, demands: /^422 .*status\.availableReplicas: Required value/ };
}

/** What is tried of each webhook of the suites. */
export const guardedSides: readonly GuardedSide[] = [
  ...[old("StatefulSet", "v1beta1")].flatMap((side) =>
    side ? [{ ...known(side), target: "kruise" } as const] : [],
  ),
  ...[old("Cluster", "v1beta1")].flatMap((side) =>
    side
      ? [
          {
            ...side,
            target: "cluster-api",
            options: ["--carried", "cluster.x-k8s.io/conversion-data"],
          } as const,
        ]
      : [],
  ),
  snapshots,
];
