import { lens, move } from "antechamber";

/** The lens from v1alpha2 to v1, where what becomes of a finished job is its `runPolicy`. */
export const v1alpha2 = lens(
  move("spec.cleanPodPolicy", "spec.runPolicy.cleanPodPolicy"),
  move("spec.ttlSecondsAfterFinished", "spec.runPolicy.ttlSecondsAfterFinished"),
  move("status.tfReplicaStatuses", "status.replicaStatuses"),
);
