import {
  type Cause,
  get,
  type Json,
  type JsonObject,
  own,
  type Path,
  selectorFaults,
  selectorOf,
} from "antechamber";
import { integerAt, objectAt, objectsAt, stringAt } from "../shared/read.ts";
import { invalid, required } from "./core/fault.ts";
import { percentFaults } from "./core/names.ts";

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

/**
 * Faults of the update strategy; none unless it is RollingUpdate (OpenKruise, sidecarset/validating,
 * validateSidecarSetUpdateStrategy).
 */
export function strategyFaults(spec: JsonObject): readonly Cause[] {
  const path = ["spec", "updateStrategy"];
  const strategy = objectAt(spec, "updateStrategy");
  if (strategy === undefined || stringAt(strategy, "type") !== "RollingUpdate") return [];
  const selector = objectAt(strategy, "selector");
  return [
    ...(isSet(own(strategy, "partition")) && selector !== undefined
      ? invalid(path, strategy, "Partition and Selector cannot be used together")
      : []),
    ...(selector === undefined ? [] : selectorCauses(selector, [...path, "selector"])),
    ...shareFaults(strategy, "partition", path),
    ...shareFaults(strategy, "maxUnavailable", path),
    ...priorityFaults(objectAt(strategy, "priorityStrategy"), [...path, "priorityStrategy"]).slice(0, 1),
    ...scatterFaults(strategy, [...path, "scatterStrategy"]).slice(0, 1),
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
function shareFaults(strategy: JsonObject, key: string, path: Path): readonly Cause[] {
  const share = own(strategy, key) ?? null;
  if (share === null) return [];
  if (typeof share === "string") return invalid([...path, key], share, ...percentFaults(share));
  const isNegative = integerAt(strategy, key) < 0n;
  return isNegative ? invalid([...path, key], share, "must be greater than or equal to 0") : [];
}

function priorityFaults(strategy: JsonObject | undefined, path: Path): readonly Cause[] {
  const [weights, orders] = [objectsAt(strategy, "weightPriority"), objectsAt(strategy, "orderPriority")];
  if (weights.length > 0 && orders.length > 0) {
    return required(path, "only one of weightPriority and orderPriority can be used");
  }
  return [
    ...weights.flatMap((term, index) => weightFaults(term, [...path, "weightPriority", index])),
    ...orders.flatMap((term, index) =>
      stringAt(term, "orderedKey") === ""
        ? required([...path, "orderPriority", index, "orderedKey"], "order key can not be empty")
        : [],
    ),
  ];
}

function weightFaults(term: JsonObject, path: Path): readonly Cause[] {
  const weight = integerAt(term, "weight");
  const selector = objectAt(term, "matchSelector") ?? {};
  const at = [...path, "matchSelector"];
  if (weight < 0n || weight > 100n) {
    return required([...path, "weight"], "weight must be valid number in the range 1-100");
  }
  if (isEmpty(selector)) return required(at, "selector can not be empty");
  const parsed = selectorOf(selector);
  const fault = "fault" in parsed ? parsed.fault : selectorFaults(selector, at)[0];
  return fault === undefined ? [] : required(at, `invalid selector ${fault.message}`);
}

function scatterFaults(strategy: JsonObject, path: Path): readonly Cause[] {
  const seen = new Set<string>();
  return objectsAt(strategy, "scatterStrategy").flatMap((term, index) => {
    const [key, value] = [stringAt(term, "key"), stringAt(term, "value")];
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
