import {
  annotation,
  get,
  group,
  isArray,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  lens,
  move,
  table,
  textToBoolean,
} from "antechamber";

/** The lens from v1alpha1 to v1, where who confirms a batch sets a field, and a unit has its name and its share together. */
export const v1alpha1 = lens(
  move("spec.historyLimit", "spec.revisionHistoryLimit"),
  move("spec.podSetType", "spec.workloadType"),
  move("spec.strategy.batchSize", "spec.updateStrategy.batchSize"),
  move("spec.strategy.minReadySeconds", "spec.minReadySeconds"),
  move("spec.strategy.pause", "spec.paused"),
  move("spec.strategy.upgradeType", "spec.updateStrategy.type"),
  move(
    "spec.strategy.needWaitingForConfirm",
    "spec.updateStrategy.confirmation",
    table([true, "Required"], [false, "None"]),
  ),
  move(annotation("cafe.sofastack.io/upgrade-confirmed"), "spec.updateStrategy.confirmed", textToBoolean),
  move("spec.topology.autoReschedule.enable", "spec.topology.reschedule.enabled"),
  move("spec.topology.autoReschedule.initialDelaySeconds", "spec.topology.reschedule.initialDelaySeconds"),
  group({
    older: { values: "spec.topology.values", replicas: "spec.topology.unitReplicas" },
    newer: { units: "spec.topology.units" },
    up: ({ values, replicas }) => ({ units: unitsOf(values, replicas) }),
    down: ({ units }) => (isArray(units) ? { values: namesOf(units), replicas: sharesOf(units) } : {}),
  }),
);

/** The units in their order, each with its share if it has one. The share of a unit that is not in the list stays behind. */
function unitsOf(names: Json | undefined, shares: Json | undefined): Json | undefined {
  if (!isArray(names)) return undefined;
  return names.map((name) => {
    const replicas = get(shares, String(name));
    return isShare(replicas) ? { name, replicas } : { name };
  });
}

function namesOf(units: readonly Json[]): readonly Json[] {
  return units.flatMap((unit) => get(unit, "name") ?? []);
}

function sharesOf(units: readonly Json[]): JsonObject | undefined {
  const shares = units.flatMap((unit) => {
    const { name, replicas } = isObject(unit) ? unit : {};
    return typeof name === "string" && isShare(replicas) ? [[name, replicas] as const] : [];
  });
  return shares.length === 0 ? undefined : Object.fromEntries(shares);
}

/** A number of pods, or a percentage of them. */
function isShare(value: Json | undefined): value is Json {
  return isNumber(value) || typeof value === "string";
}
