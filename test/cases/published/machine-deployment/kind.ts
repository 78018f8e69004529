import { defineKind, version } from "antechamber";
import { machineDeployment } from "../cluster-api.ts";

/** The MachineDeployment of Cluster API. */
export default defineKind({
  group: "cluster.x-k8s.io",
  kind: "MachineDeployment",
  plural: "machinedeployments",
  scope: "Namespaced",
  versions: [version("v1beta1", machineDeployment), version("v1beta2")],
});
