import { defineKind, lens, version } from "antechamber";
import { v1beta1 } from "./v1beta1.ts";

/** What tells snapshots apart: another snapshot of the same volume has a time and a size of its own. */
const handle = ["snapshotHandle"];

/** The VolumeGroupSnapshotContent of kubernetes-csi/external-snapshotter v8.6.0, without descriptions and printed columns. */
export default defineKind({
  group: "groupsnapshot.storage.k8s.io",
  kind: "VolumeGroupSnapshotContent",
  plural: "volumegroupsnapshotcontents",
  scope: "Cluster",
  shortNames: ["vgsc", "vgscs"],
  approval: "https://github.com/kubernetes-csi/external-snapshotter/pull/1337",
  versions: [
    version("v1beta1", v1beta1, { listKeys: { "status.volumeSnapshotHandlePairList": handle } }),
    version("v1beta2", lens(), { listKeys: { "status.volumeSnapshotInfoList": handle } }), // its schema is that of v1
    version("v1", undefined, { listKeys: { "status.volumeSnapshotInfoList": handle } }),
  ],
});
