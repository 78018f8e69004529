import {
  type Cause,
  get,
  isNumber,
  type Json,
  type JsonObject,
  type Path,
  selectorFaults,
  selectorOf,
  toDouble,
} from "antechamber";
import { type Item, itemsOf, objectAt, objectsAt, stringAt } from "../shared/read.ts";
import { invalid, required } from "./core/fault.ts";
import { percentFaults } from "./core/names.ts";
import type { SidecarSetV1beta1 } from "./types.ts";

/** Faults of a selector that must not be empty. */
export function selectorCauses(selector: JsonObject, path: Path): readonly Cause[] {
  const faults = selectorFaults(selector, path).map(({ path: at, reason, message }) => ({
    path: at,
    reason,
    message,
  }));
  return [
    ...faults,
    ...(isEmpty(selector) ? invalid(path, selector, "empty selector is not valid for sidecarset.") : []),
  ];
}

type Spec = NonNullable<SidecarSetV1beta1["spec"]>;
type UpdateStrategy = NonNullable<Spec["updateStrategy"]>;
type PriorityStrategy = NonNullable<UpdateStrategy["priorityStrategy"]>;

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
    ...(selector === undefined ? [] : selectorCauses(selector, [...path, "selector"])),
    ...shareFaults(partition, [...path, "partition"]),
    ...shareFaults(maxUnavailable, [...path, "maxUnavailable"]),
    ...priorityFaults(priorityStrategy ?? {}, [...path, "priorityStrategy"]).slice(0, 1),
    ...scatterFaults(itemsOf(scatterStrategy), [...path, "scatterStrategy"]).slice(0, 1),
  ];
}

function isEmpty(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, "matchLabels") ?? {}).length === 0 &&
    objectsAt(selector, "matchExpressions").length === 0
  );
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

function priorityFaults(strategy: PriorityStrategy, path: Path): readonly Cause[] {
  const weights = itemsOf(strategy.weightPriority);
  const orders = itemsOf(strategy.orderPriority);
  if (weights.length > 0 && orders.length > 0) {
    return required(path, "only one of weightPriority and orderPriority can be used");
  }
  return [
    ...weights.flatMap(([term, index]) => weightFaults(term, [...path, "weightPriority", index])),
    ...orders.flatMap(([{ orderedKey }, index]) =>
      orderedKey === ""
        ? required([...path, "orderPriority", index, "orderedKey"], "order key can not be empty")
        : [],
    ),
  ];
}

type WeightTerm = NonNullable<PriorityStrategy["weightPriority"]>[number];

function weightFaults({ weight, matchSelector }: WeightTerm, path: Path): readonly Cause[] {
  const at = [...path, "matchSelector"];
  if (weight < 0 || weight > 100) {
    return required([...path, "weight"], "weight must be valid number in the range 1-100");
  }
  if (isEmpty(matchSelector)) return required(at, "selector can not be empty");
  const parsed = selectorOf(matchSelector);
  const fault = "fault" in parsed ? parsed.fault : selectorFaults(matchSelector, at)[0];
  return fault === undefined ? [] : required(at, `invalid selector ${fault.message}`);
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
