import { type Cause, get, type Path } from "antechamber";
import { labelValueFaults, quantity } from "antechamber/apimachinery";
import { GoFault } from "antechamber/go";
import { fieldRefFaults } from "../shared/core/field-refs.ts";
import { evaluate, parseExpression, type Value } from "../shared/evaluate.ts";
import { invalid, required } from "../shared/fault.ts";
import { itemsOf } from "../shared/read.ts";
import type { SidecarSetV1beta1 } from "./types.ts";
import { compile } from "./whitelist.ts";

type Spec = NonNullable<SidecarSetV1beta1["spec"]>;
type Container = NonNullable<Spec["containers"]>[number];
type ResourcesPolicy = NonNullable<Container["resourcesPolicy"]>;

/**
 * Faults in the fields that SidecarSets add to containers (OpenKruise, sidecarset/validating,
 * validateContainersForSidecarSet).
 */
export function sidecarFaults({ initContainers, containers }: Spec): readonly Cause[] {
  return [
    ...itemsOf(initContainers).flatMap(([container, index]) =>
      initContainerFaults(container, ["spec", "initContainers", index]),
    ),
    ...itemsOf(containers).flatMap(([container, index]) =>
      containerFaults(container, ["spec", "containers", index]),
    ),
  ];
}

function initContainerFaults(container: Container, path: Path): readonly Cause[] {
  const policy = container.resourcesPolicy ?? undefined;
  const only = "resourcesPolicy is only supported for containers with RestartPolicy Always";
  const isMisplaced = policy !== undefined && container.restartPolicy !== "Always";
  return [
    ...sourceFaults(container, path),
    ...(isMisplaced ? invalid([...path, "resourcesPolicy"], policy, only) : []),
    ...resourcesPolicyFaults(container, path),
  ];
}

function containerFaults(container: Container, path: Path): readonly Cause[] {
  const position = container.podInjectPolicy ?? "";
  const share = container.shareVolumePolicy?.type ?? "";
  return [
    ...(["BeforeAppContainer", "AfterAppContainer"].includes(position)
      ? []
      : invalid([...path, "podInjectPolicy"], position, "unsupported pod inject policy")),
    ...(["enabled", "disabled"].includes(share)
      ? []
      : invalid([...path, "shareVolumePolicy", "type"], share, "unsupported share volume policy")),
    ...sourceFaults(container, path),
    ...transferFaults(container, path),
    ...resourcesPolicyFaults(container, path),
  ];
}

/** A source container that comes from a field needs that field: without it OpenKruise's defaulting panics. */
function sourceFaults({ transferEnv }: Container, path: Path): readonly Cause[] {
  return itemsOf(transferEnv).flatMap(([{ sourceContainerNameFrom: from }, index]) => {
    const at = [...path, "transferEnv", index, "sourceContainerNameFrom", "fieldRef"];
    return (from ?? undefined) !== undefined && (from?.fieldRef ?? undefined) === undefined
      ? required(at, "must name the field that holds the container name")
      : [];
  });
}

function transferFaults({ transferEnv }: Container, path: Path): readonly Cause[] {
  return itemsOf(transferEnv).flatMap(([{ sourceContainerNameFrom: from }, index]) => {
    const ref = from?.fieldRef ?? undefined;
    const at = [...path, "transferEnv", index, "sourceContainerNameFrom", "fieldRef"];
    // Only a single label or annotation is supported, no other field.
    return ref === undefined ? [] : fieldRefFaults(ref, [], at, () => false);
  });
}

function resourcesPolicyFaults(container: Container, path: Path): readonly Cause[] {
  const policy = container.resourcesPolicy ?? undefined;
  if (policy === undefined) return [];
  const at = [...path, "resourcesPolicy"];
  const { resources } = container;
  const hasOwn = amountLists.some((list) => Object.keys(get(resources, list) ?? {}).length > 0);
  if (hasOwn) return invalid(at, policy, "resourcesPolicy and resources cannot be configured together");
  return [
    ...regexFaults(policy.targetContainersNameRegex ?? "", [...at, "targetContainersNameRegex"]),
    ...expressionsFaults(policy.resourcesExpr ?? undefined, [...at, "resourcesExpr"]),
  ];
}

function regexFaults(regex: string, path: Path): readonly Cause[] {
  if (regex === "") return required(path, "invalid empty regex");
  const compiled = compile(regex);
  return compiled instanceof GoFault
    ? invalid(path, regex, `invalid regex pattern: ${compiled.message}`)
    : [];
}

const amountLists = ["limits", "requests"] as const;

function expressionsFaults(
  expressions: ResourcesPolicy["resourcesExpr"] | undefined,
  path: Path,
): readonly Cause[] {
  const isEmpty = amountLists.every((list) => (expressions?.[list] ?? undefined) === undefined);
  if (isEmpty) return invalid(path, expressions, "at least one of limits or requests must be configured");
  return amountLists.flatMap((list) =>
    (["cpu", "memory"] as const).flatMap((resource) => {
      const text = expressions?.[list]?.[resource] ?? "";
      const fault = text === "" ? undefined : expressionFault(text, resource);
      const at = [...path, list, resource];
      return fault === undefined ? [] : invalid(at, text, `invalid expression: ${fault}`);
    }),
  );
}

/**
 * Why an expression fails for every pod; undefined if it has a value for some pod. It is tried with several amounts.
 * OpenKruise tries it with the plain number 1 and so rejects `memory - 100Mi` (validateResourceExpression).
 */
function expressionFault(text: string, resource: "cpu" | "memory"): string | undefined {
  const expression = parseExpression(text);
  // The text decides which variable is defined: `memory` if it contains that word, else `cpu`.
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

/** Warnings for values that OpenKruise accepts and then ignores. */
export function valueWarnings(spec: Spec): readonly string[] {
  const containers = (["initContainers", "containers"] as const).flatMap((list) =>
    itemsOf(spec[list]).map(([container, index]) => [container, `spec.${list}[${index}]`] as const),
  );
  const unknown = (field: string, value: string, known: readonly string[]) =>
    value === "" || known.includes(value)
      ? []
      : [`${field}: ${shown(value)} is neither ${known.join(" nor ")}`];
  return [
    ...versionWarnings(textOf(spec.customVersion)),
    ...unknown("spec.updateStrategy.type", textOf(spec.updateStrategy?.type), ["RollingUpdate", "NotUpdate"]),
    ...containers.flatMap(([container, path]) => {
      const type = container.upgradeStrategy?.upgradeType ?? "";
      const isWithoutImage = type === "HotUpgrade" && !container.upgradeStrategy?.hotUpgradeEmptyImage;
      return [
        ...unknown(`${path}.upgradeStrategy.upgradeType`, type, ["ColdUpgrade", "HotUpgrade"]),
        ...(isWithoutImage ? [`${path}.upgradeStrategy: HotUpgrade needs hotUpgradeEmptyImage`] : []),
      ];
    }),
    ...itemsOf(spec.patchPodMetadata).flatMap(([{ patchPolicy }, index]) =>
      unknown(`spec.patchPodMetadata[${index}].patchPolicy`, patchPolicy ?? "", [
        "Retain",
        "Overwrite",
        "MergePatchJson",
      ]),
    ),
  ];
}

/**
 * With OpenKruise's conversion, one such version makes every list at v1alpha1 fail. A warning has at most 120
 * characters.
 */
function versionWarnings(version: string): readonly string[] {
  return labelValueFaults(version).length === 0
    ? []
    : [`spec.customVersion: ${shown(version)} is not a label value: OpenKruise cannot record or list it`];
}

/** A text outside of the fields whose types were checked: a stored one may be of another type. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function shown(value: string): string {
  return JSON.stringify(value).slice(0, 40);
}
