import { defineKind, version } from "antechamber";
import { clusterClass } from "../cluster-api.ts";

/** The ClusterClass of Cluster API. */
export default defineKind({
  group: "cluster.x-k8s.io",
  kind: "ClusterClass",
  plural: "clusterclasses",
  scope: "Namespaced",
  versions: [version("v1beta1", clusterClass), version("v1beta2")],
});
