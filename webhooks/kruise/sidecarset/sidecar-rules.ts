import type { Cause } from "../../../src/admission/verdict.ts";
import { get, type JsonObject } from "../../../src/json/json.ts";
import type { Path } from "../../../src/json/path.ts";
import { labelValueFaults } from "../../../src/names.ts";
import { quantity } from "../../../src/quantity.ts";
import { evaluate, expressionOf, type Value } from "../../core/pod/expr.ts";
import { invalid, required } from "./core/fault.ts";
import { fieldRefFaults } from "./core/field-refs.ts";
import { objectAt, objectsAt, textAt } from "./core/read.ts";
import { isNativeSidecar } from "./hash.ts";
import { compile } from "./whitelist.ts";

/** What is wrong with what SidecarSets say of their containers beside Kubernetes (sidecarset.md 3.2, rows 16 to 22). */
export function sidecarFaults(spec: JsonObject): readonly Cause[] {
  return [
    ...objectsAt(spec, "initContainers").flatMap((container, index) =>
      initContainerFaults(container, ["spec", "initContainers", index]),
    ),
    ...objectsAt(spec, "containers").flatMap((container, index) =>
      containerFaults(container, ["spec", "containers", index]),
    ),
  ];
}

function initContainerFaults(container: JsonObject, path: Path): readonly Cause[] {
  const policy = objectAt(container, "resourcesPolicy");
  const only = "resourcesPolicy is only supported for containers with RestartPolicy Always";
  const policyFaults =
    policy === undefined || isNativeSidecar(container)
      ? resourcesPolicyFaults(container, path)
      : invalid([...path, "resourcesPolicy"], policy, only);
  return [...sourceFaults(container, path), ...policyFaults];
}

function containerFaults(container: JsonObject, path: Path): readonly Cause[] {
  const place = textAt(container, "podInjectPolicy");
  const share = textAt(objectAt(container, "shareVolumePolicy"), "type");
  return [
    ...(["BeforeAppContainer", "AfterAppContainer"].includes(place)
      ? []
      : invalid([...path, "podInjectPolicy"], place, "unsupported pod inject policy")),
    ...(["enabled", "disabled"].includes(share)
      ? []
      : invalid([...path, "shareVolumePolicy", "type"], share, "unsupported share volume policy")),
    ...sourceFaults(container, path),
    ...transferFaults(container, path),
    ...resourcesPolicyFaults(container, path),
  ];
}

/** A container that is named by a field must be named by one; Kruise's defaulting panics at it. */
function sourceFaults(container: JsonObject, path: Path): readonly Cause[] {
  return objectsAt(container, "transferEnv").flatMap((item, index) => {
    const from = objectAt(item, "sourceContainerNameFrom");
    const at = [...path, "transferEnv", index, "sourceContainerNameFrom", "fieldRef"];
    return from !== undefined && objectAt(from, "fieldRef") === undefined
      ? required(at, "must say which field names the container")
      : [];
  });
}

function transferFaults(container: JsonObject, path: Path): readonly Cause[] {
  return objectsAt(container, "transferEnv").flatMap((item, index) => {
    const ref = objectAt(objectAt(item, "sourceContainerNameFrom"), "fieldRef");
    const at = [...path, "transferEnv", index, "sourceContainerNameFrom", "fieldRef"];
    // Only a single label or annotation, whatever else a field may name.
    return ref === undefined ? [] : fieldRefFaults(ref, [], at, () => false);
  });
}

function resourcesPolicyFaults(container: JsonObject, path: Path): readonly Cause[] {
  const policy = objectAt(container, "resourcesPolicy");
  if (policy === undefined) return [];
  const at = [...path, "resourcesPolicy"];
  const hasOwn = ["limits", "requests"].some(
    (list) => Object.keys(objectAt(objectAt(container, "resources"), list) ?? {}).length > 0,
  );
  if (hasOwn) return invalid(at, policy, "resourcesPolicy and resources cannot be configured together");
  return [
    ...regexFaults(textAt(policy, "targetContainersNameRegex"), [...at, "targetContainersNameRegex"]),
    ...expressionsFaults(objectAt(policy, "resourcesExpr"), [...at, "resourcesExpr"]),
  ];
}

function regexFaults(regex: string, path: Path): readonly Cause[] {
  if (regex === "") return required(path, "invalid empty regex");
  const compiled = compile(regex);
  return typeof compiled === "string" ? invalid(path, regex, `invalid regex pattern: ${compiled}`) : [];
}

function expressionsFaults(expressions: JsonObject | undefined, path: Path): readonly Cause[] {
  const isEmpty = ["limits", "requests"].every((list) => objectAt(expressions, list) === undefined);
  if (isEmpty) return invalid(path, expressions, "at least one of limits or requests must be configured");
  return ["limits", "requests"].flatMap((list) =>
    (["cpu", "memory"] as const).flatMap((resource) => {
      const text = textAt(get(expressions, list), resource);
      const fault = text === "" ? undefined : expressionFault(text, resource);
      const at = [...path, list, resource];
      return fault === undefined ? [] : invalid(at, text, `invalid expression: ${fault}`);
    }),
  );
}

/**
 * Why an expression gives nothing for any pod; undefined where it gives something for some. It is tried with amounts, as
 * it is used; Kruise tries it with the plain number 1, and refuses `memory - 100Mi` (sidecarset.md B7).
 */
export function expressionFault(text: string, resource: "cpu" | "memory"): string | undefined {
  const expression = expressionOf(text);
  // The one variable that there is for a pod is told by the text.
  const variable = /\bmemory\b/.test(text) ? "memory" : "cpu";
  const tries =
    variable === resource ? amounts[resource].map((value) => new Map([[resource, value]])) : [new Map()];
  const outcomes = tries.map((variables) => evaluate(expression, variables));
  if (outcomes.some((each) => "value" in each)) return undefined;
  const [plain, first] = [evaluate(expression, new Map([[resource, { number: 1 }]])), outcomes[0]];
  if ("fault" in plain) return plain.fault;
  return first !== undefined && "fault" in first ? first.fault : undefined;
}

const amounts: Readonly<Record<"cpu" | "memory", readonly Value[]>> = {
  cpu: [1n, 1_000n, 1_000_000n].map((milli) => ({ quantity: quantity(milli, -3) })),
  memory: [20n, 30n, 40n, 50n].map((bits) => ({ quantity: quantity(1n << bits, 0, "BinarySI") })),
};

/** Words that Kruise takes without a look, and then does nothing for. */
export function wordWarnings(sidecarSet: JsonObject): readonly string[] {
  const spec = objectAt(sidecarSet, "spec");
  const containers = ["initContainers", "containers"].flatMap((list) =>
    objectsAt(spec, list).map((container, index) => [container, `spec.${list}[${index}]`] as const),
  );
  const unknown = (field: string, value: string, known: readonly string[]) =>
    value === "" || known.includes(value)
      ? []
      : [`${field}: ${shown(value)} is neither ${known.join(" nor ")}`];
  return [
    ...versionWarnings(textAt(spec, "customVersion")),
    ...unknown("spec.updateStrategy.type", textAt(objectAt(spec, "updateStrategy"), "type"), [
      "RollingUpdate",
      "NotUpdate",
    ]),
    ...containers.flatMap(([container, path]) => {
      const upgrade = objectAt(container, "upgradeStrategy");
      const type = textAt(upgrade, "upgradeType");
      const isWithoutImage = type === "HotUpgrade" && textAt(upgrade, "hotUpgradeEmptyImage") === "";
      return [
        ...unknown(`${path}.upgradeStrategy.upgradeType`, type, ["ColdUpgrade", "HotUpgrade"]),
        ...(isWithoutImage ? [`${path}.upgradeStrategy: HotUpgrade needs hotUpgradeEmptyImage`] : []),
      ];
    }),
    ...objectsAt(spec, "patchPodMetadata").flatMap((patch, index) =>
      unknown(`spec.patchPodMetadata[${index}].patchPolicy`, textAt(patch, "patchPolicy"), [
        "Retain",
        "Overwrite",
        "MergePatchJson",
      ]),
    ),
  ];
}

/** Where OpenKruise runs, one such version makes every list at v1alpha1 fail; a warning has 120 characters at most. */
function versionWarnings(version: string): readonly string[] {
  return labelValueFaults(version).length === 0
    ? []
    : [`spec.customVersion: ${shown(version)} is no label value: OpenKruise cannot record or convert it`];
}

function shown(value: string): string {
  return JSON.stringify(value).slice(0, 40);
}
