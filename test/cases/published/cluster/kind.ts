import { defineKind, version } from "antechamber";
import { cluster } from "../cluster-api.ts";

/** The Cluster of Cluster API. */
export default defineKind({
  group: "cluster.x-k8s.io",
  kind: "Cluster",
  plural: "clusters",
  scope: "Namespaced",
  versions: [version("v1beta1", cluster), version("v1beta2")],
});
