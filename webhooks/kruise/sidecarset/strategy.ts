import { type Cause, get, isNumber, type Json, type JsonObject, type Path, toDouble } from "antechamber";
import { percentFaults } from "../shared/core/names.ts";
import { invalid, required } from "../shared/fault.ts";
import { priorityFaults } from "../shared/priority.ts";
import { type Item, itemsOf, objectsAt, stringAt } from "../shared/read.ts";
import { selectorCauses } from "../shared/selectors.ts";
import type { SidecarSetV1beta1 } from "./types.ts";

/** OpenKruise's message for an empty selector. */
export const emptySelector = "empty selector is not valid for sidecarset.";

type Spec = NonNullable<SidecarSetV1beta1["spec"]>;
type UpdateStrategy = NonNullable<Spec["updateStrategy"]>;

/**
 * Faults of the update strategy; none unless it is RollingUpdate (OpenKruise, sidecarset/validating,
 * validateSidecarSetUpdateStrategy).
 */
export function strategyFaults(strategy: UpdateStrategy | undefined): readonly Cause[] {
  if (strategy?.type !== "RollingUpdate") return [];
  const path = ["spec", "updateStrategy"];
  // Null counts as absent, as in Go.
  const { partition, maxUnavailable, priorityStrategy, scatterStrategy } = strategy;
  const selector = strategy.selector ?? undefined;
  return [
    ...(isSet(partition) && selector !== undefined
      ? invalid(path, strategy, "Partition and Selector cannot be used together")
      : []),
    ...(selector === undefined ? [] : selectorCauses(selector, [...path, "selector"], emptySelector)),
    ...shareFaults(partition, [...path, "partition"]),
    ...shareFaults(maxUnavailable, [...path, "maxUnavailable"]),
    ...priorityFaults(priorityStrategy ?? {}, [...path, "priorityStrategy"]),
    ...scatterFaults(itemsOf(scatterStrategy), [...path, "scatterStrategy"]).slice(0, 1),
  ];
}

/** Whether a partition is set: any string, and any number but 0 (intStrIsSet). */
function isSet(partition: Json | undefined): boolean {
  return partition !== undefined && partition !== null && partition !== 0;
}

/** A non-negative integer, or a percentage. */
function shareFaults(share: number | string | undefined, path: Path): readonly Cause[] {
  if (share === undefined || share === null) return [];
  if (typeof share === "string") return invalid(path, share, ...percentFaults(share));
  const isNegative = isNumber(share) && toDouble(share) < 0;
  return isNegative ? invalid(path, share, "must be greater than or equal to 0") : [];
}

type ScatterTerm = NonNullable<UpdateStrategy["scatterStrategy"]>[number];

function scatterFaults(terms: readonly Item<ScatterTerm>[], path: Path): readonly Cause[] {
  const seen = new Set<string>();
  return terms.flatMap(([{ key, value }, index]) => {
    if (key === "") return required([...path, index, "key"], "key should not be empty");
    const isSeen = seen.has(`${key}:${value}`);
    seen.add(`${key}:${value}`);
    return isSeen ? required([...path, index], `duplicated key=${key} value=${value}`) : [];
  });
}

/** Native sidecars in a SidecarSet that updates running pods: OpenKruise cannot update them in place. */
export function nativeFaults(sidecarSet: JsonObject): readonly Cause[] {
  const isRolling = get(sidecarSet, "spec", "updateStrategy", "type") === "RollingUpdate";
  const native = objectsAt(sidecarSet.spec, "initContainers").filter(
    (container) => stringAt(container, "restartPolicy") === "Always",
  );
  if (!isRolling) return [];
  const detail = "The initContainer in-place upgrade is not currently supported.";
  return native.flatMap(() => required(["spec", "updateStrategy"], detail));
}
