import { group, isInteger, type Json, lens, toDecimal, toInteger } from "antechamber";

/** The lens from v1alpha1, whose partition counts the pods with the new template, to v1, where it counts the others. */
export const v1alpha1 = lens(
  group({
    older: { replicas: "spec.replicas", partition: "spec.strategy.partition" },
    newer: { replicas: "spec.replicas", partition: "spec.updateStrategy.partition" },
    up: ({ replicas, partition }) => ({ replicas, partition: othersOf(replicas, partition) }),
    down: ({ replicas, partition }) => ({ replicas, partition: othersOf(replicas, partition) }),
    // No version can say the other's partition without the replicas, which another manager may own.
    shared: ["spec.updateStrategy.partition"],
    spread: ["spec.strategy.partition"],
  }),
);

/** How many of the pods are not in one part of them; undefined for a part that is larger than the whole. */
function othersOf(replicas: Json | undefined, part: Json | undefined): Json | undefined {
  if (!isInteger(replicas) || !isInteger(part)) return undefined;
  const others = BigInt(toDecimal(replicas)) - BigInt(toDecimal(part));
  return others < 0n ? undefined : toInteger(String(others));
}
