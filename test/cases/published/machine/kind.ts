import { defineKind, version } from "antechamber";
import { machine } from "../cluster-api.ts";

/** The Machine of Cluster API. */
export default defineKind({
  group: "cluster.x-k8s.io",
  kind: "Machine",
  plural: "machines",
  scope: "Namespaced",
  versions: [version("v1beta1", machine), version("v1beta2")],
});
