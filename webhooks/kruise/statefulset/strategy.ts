import { type Cause, type Json, type JsonObject, own, type Path } from "antechamber";
import { quote } from "antechamber/go";
import { percentFaults } from "../shared/core/names.ts";
import { invalid, required } from "../shared/fault.ts";
import { atoi } from "../shared/go-atoi.ts";
import { priorityFaults } from "../shared/priority.ts";
import { integerAt, objectAt, objectsAt, optionalIntegerAt, stringAt } from "../shared/read.ts";

/** Faults of the strategy for scaling (OpenKruise, statefulset/validating, validateScaleStrategy). */
export function scaleFaults(spec: JsonObject): readonly Cause[] {
  const most = own(objectAt(spec, "scaleStrategy"), "maxUnavailable") ?? null;
  return most === null ? [] : mostFaults(most, spec, ["spec", "scaleStrategy", "maxUnavailable"]);
}

/** Faults of the strategy for updates (validateUpdateStrategyType). */
export function updateFaults(spec: JsonObject): readonly Cause[] {
  const strategy = objectAt(spec, "updateStrategy");
  const [type, rolling] = [stringAt(strategy, "type"), objectAt(strategy, "rollingUpdate")];
  const path = ["spec", "updateStrategy"];
  if (type === "") return required([...path, "type"]);
  if (type === "OnDelete") {
    const only = "only allowed for updateStrategy 'RollingUpdate'";
    return rolling === undefined ? [] : invalid([...path, "rollingUpdate"], rolling, only);
  }
  if (type !== "RollingUpdate")
    return invalid([...path, "type"], type, "must be 'RollingUpdate' or 'OnDelete'");
  return rolling === undefined ? [] : rollingFaults(rolling, spec, [...path, "rollingUpdate"]);
}

function rollingFaults(rolling: JsonObject, spec: JsonObject, path: Path): readonly Cause[] {
  const most = own(rolling, "maxUnavailable") ?? null;
  const ready = optionalIntegerAt(rolling, "minReadySeconds") ?? 0n;
  return [
    ...["partition", "minReadySeconds"].flatMap((key) =>
      integerAt(rolling, key) < 0n
        ? invalid([...path, key], own(rolling, key), "must be greater than or equal to 0")
        : [],
    ),
    ...(ready > 300n
      ? invalid(
          [...path, "minReadySeconds"],
          own(rolling, "minReadySeconds"),
          "must be no more than 300 seconds",
        )
      : []),
    ...(most === null
      ? required([...path, "maxUnavailable"])
      : mostFaults(most, spec, [...path, "maxUnavailable"])),
    ...policyFaults(stringAt(rolling, "podUpdatePolicy"), spec, [...path, "podUpdatePolicy"]),
    ...unorderedFaults(rolling, spec, [...path, "unorderedUpdate"]),
  ];
}

function policyFaults(policy: string, spec: JsonObject, path: Path): readonly Cause[] {
  if (policy === "") return required(path);
  if (policy === "ReCreate") return [];
  if (!["InPlaceIfPossible", "InPlaceOnly"].includes(policy)) {
    return invalid(path, policy, "must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'");
  }
  const pod = objectAt(objectAt(spec, "template"), "spec");
  const isGated = objectsAt(pod, "readinessGates").some(
    (gate) => stringAt(gate, "conditionType") === "InPlaceUpdateReady",
  );
  const gates = ["spec", "template", "spec", "readinessGates"];
  return isGated
    ? []
    : invalid(
        gates,
        own(pod, "readinessGates"),
        `must contains InPlaceUpdateReady when podUpdatePolicy is ${policy}`,
      );
}

function unorderedFaults(rolling: JsonObject, spec: JsonObject, path: Path): readonly Cause[] {
  const unordered = objectAt(rolling, "unorderedUpdate");
  if (unordered === undefined) return [];
  const strategy = objectAt(unordered, "priorityStrategy") ?? {};
  return [
    ...(isParallel(spec)
      ? []
      : required(path, "unorderedUpdate can only work with Parallel PodManagementPolicyType")),
    ...priorityFaults(strategy, [...path, "priorityStrategy"]),
  ];
}

/** Faults of a number or percentage of pods: at least one, or exactly one if not Parallel (validateMaxUnavailableField). */
function mostFaults(most: Json, spec: JsonObject, path: Path): readonly Cause[] {
  const isOne = typeof most !== "string" && integerAt({ most }, "most") === 1n;
  const parallel = "can only work with Parallel PodManagementPolicyType";
  return [
    ...invalid(path, most, ...numberFaults(most)),
    ...(isParallel(spec) || isOne ? [] : invalid(path, most, parallel)),
  ];
}

function numberFaults(most: Json): readonly string[] {
  const least = "should not be less than 1";
  if (typeof most !== "string") {
    const number = integerAt({ most }, "most");
    return [...(number < 0n ? ["must be greater than or equal to 0"] : []), ...(number < 1n ? [least] : [])];
  }
  const share = atoi(most.replaceAll("%", ""));
  if (typeof share === "string") {
    const why = `invalid value for IntOrString: invalid value ${quote(most)}: ${share}`;
    return [...percentFaults(most), `getValueFromIntOrPercent error: ${why}`];
  }
  // Of one pod, rounded up.
  return [...percentFaults(most), ...(share <= 0n ? [least] : [])];
}

function isParallel(spec: JsonObject): boolean {
  return stringAt(spec, "podManagementPolicy") === "Parallel";
}
