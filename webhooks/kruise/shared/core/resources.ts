import type { Cause, Json, JsonObject, Path } from "antechamber";
import {
  compareQuantities,
  dnsLabelFaults,
  labelKeyFaults,
  milliOf,
  printQuantity,
  type Quantity,
  quantity,
  quantityOf,
  signOfQuantity,
} from "antechamber/apimachinery";
import { duplicate, forbidden, invalid, notFound, notSupported, required } from "../fault.ts";
import { entriesAt, objectAt, objectsAt, stringAt } from "../read.ts";

/** The claims of a pod that its containers may refer to. */
export interface PodClaims {
  readonly names: ReadonlySet<string>;
  /** As Kubernetes lists them in a message. */
  readonly listed: string;
}

const mostNames = 50;

/** The claims of these names; of very many only the first are listed. */
export function podClaims(names: readonly string[]): PodClaims {
  const sorted = [...new Set(names)].sort();
  const rest = sorted.length > mostNames ? ", …" : "";
  const listed = `: ${sorted.slice(0, mostNames).join(", ")}${rest}`;
  return { names: new Set(sorted), listed: sorted.length === 0 ? " which is empty" : listed };
}

/** Faults of a container's limits, requests and claims (`ValidateContainerResourceRequirements`). */
export function resourceFaults(container: JsonObject, path: Path, claims: PodClaims): readonly Cause[] {
  return requirementFaults(objectAt(container, "resources"), [...path, "resources"], claims);
}

/** The same of limits, requests and claims that stand elsewhere. */
export function requirementFaults(
  resources: JsonObject | undefined,
  at: Path,
  claims: PodClaims,
): readonly Cause[] {
  const [limits, requests] = ["limits", "requests"].map((list) => amountsAt(resources, list));
  const names = [...(limits?.keys() ?? []), ...(requests?.keys() ?? [])];
  const isWithoutCpuAndMemory =
    names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory");
  return [
    ...[...(limits ?? [])].flatMap(([name, amount]) => amountFaults(name, amount, [...at, "limits", name])),
    ...[...(requests ?? [])].flatMap(([name, amount]) => [
      ...amountFaults(name, amount, [...at, "requests", name]),
      ...requestFaults(name, amount, limits?.get(name), at),
    ]),
    ...(isWithoutCpuAndMemory ? forbidden(at, "HugePages require cpu or memory") : []),
    ...claimFaults(resources, [...at, "claims"], claims),
  ];
}

/** Faults of an amount: negative, or fractional for a resource that is counted (`ValidateResourceQuantityValue`). */
function quantityFaults(name: string, amount: Quantity, path: Path): readonly Cause[] {
  return [
    ...(signOfQuantity(amount) < 0
      ? invalid(path, printQuantity(amount), "must be greater than or equal to 0")
      : []),
    ...(isCounted(name) && milliOf(amount) % 1000n !== 0n
      ? invalid(path, printQuantity(amount), "must be an integer")
      : []),
  ];
}

/** Faults of a container's resize policy (`validateResizePolicy`). */
export function resizeFaults(container: JsonObject, path: Path, restartPolicy: string): readonly Cause[] {
  const seen = new Set<string>();
  return objectsAt(container, "resizePolicy").flatMap((policy, index) => {
    const at = [...path, "resizePolicy", index];
    const [name, restart] = [stringAt(policy, "resourceName"), stringAt(policy, "restartPolicy")];
    const isSeen = seen.has(name);
    seen.add(name);
    return [
      ...(isSeen ? duplicate(at, name) : []),
      ...choiceFaults(name, ["cpu", "memory"], [...at, "resourceName"]),
      ...choiceFaults(restart, ["NotRequired", "RestartContainer"], [...at, "restartPolicy"]),
      ...(restartPolicy === "Never" && restart !== "NotRequired"
        ? invalid([...at, "restartPolicy"], restart, "must be 'NotRequired' when `restartPolicy` is 'Never'")
        : []),
    ];
  });
}

/** Faults of a required string with a list of supported values. */
export function choiceFaults(value: string, choices: readonly string[], path: Path): readonly Cause[] {
  if (value === "") return required(path);
  return choices.includes(value) ? [] : notSupported(path, value, choices);
}

function amountsAt(resources: Json | undefined, list: string): ReadonlyMap<string, Quantity> {
  return new Map(
    entriesAt(resources, list).map(([name, amount]) => [name, quantityOf(amount) ?? quantity(0n)] as const),
  );
}

function amountFaults(name: string, amount: Quantity, path: Path): readonly Cause[] {
  return [...nameFaults(name, path), ...quantityFaults(name, amount, path)];
}

const counted = `configmaps persistentvolumeclaims pods replicationcontrollers resourcequotas secrets services
  services.loadbalancers services.nodeports`.split(/\s+/);
const containerResources = ["cpu", "memory", "ephemeral-storage"];
const standard = [
  ...containerResources.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ...counted,
  "storage",
  "requests.storage",
];

function nameFaults(name: string, path: Path): readonly Cause[] {
  const details = labelKeyFaults(name);
  const isPlain = !name.includes("/");
  const isStandard = standard.includes(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
  const general =
    details.length === 0 && isPlain && !isStandard
      ? ["must be a standard resource type or fully qualified"]
      : details;
  if (isPlain) {
    const isContainers = containerResources.includes(name) || isHugePages(name);
    return invalid(
      path,
      name,
      ...general,
      ...(isContainers ? [] : ["must be a standard resource for containers"]),
    );
  }
  const isOrdinary = isNative(name) || isExtended(name);
  return invalid(
    path,
    name,
    ...general,
    ...(isOrdinary ? [] : ["doesn't follow extended resource name standard"]),
  );
}

function requestFaults(
  name: string,
  amount: Quantity,
  limit: Quantity | undefined,
  path: Path,
): readonly Cause[] {
  const mayExceed = isNative(name) && !isHugePages(name);
  if (limit === undefined) {
    const detail = "Limit must be set for non overcommitable resources";
    return mayExceed ? [] : required([...path, "limits"], detail);
  }
  const difference = compareQuantities(amount, limit);
  const invalidRequest = (how: string) =>
    invalid(
      [...path, "requests"],
      printQuantity(amount),
      `must be ${how} ${name} limit of ${printQuantity(limit)}`,
    );
  if (difference !== 0 && !mayExceed) return invalidRequest("equal to");
  return difference > 0 ? invalidRequest("less than or equal to") : [];
}

/** Faults of claims, which refer to those of the pod. */
function claimFaults(resources: Json | undefined, path: Path, claims: PodClaims): readonly Cause[] {
  const seen = new Set<string>();
  return objectsAt(resources, "claims").flatMap((claim, index) => {
    const at = [...path, index];
    const [name, request] = [stringAt(claim, "name"), stringAt(claim, "request")];
    if (name === "") return required(at);
    const key = request === "" ? name : `${name}/${request}`;
    const isSeen = seen.has(name);
    // A whole claim is a duplicate of each of its requests that precedes it.
    const parts = request === "" ? [...seen].filter((each) => each.startsWith(`${name}/`)) : [];
    const clashes = isSeen ? [name] : seen.has(key) ? [key] : parts.map(() => name);
    if (!isSeen) seen.add(key);
    return [
      ...(isSeen || request === "" ? [] : invalid([...at, "request"], request, ...dnsLabelFaults(request))),
      ...clashes.flatMap((each) => duplicate(at, each)),
      ...(claims.names.has(name)
        ? []
        : notFound(at, name, `must be one of the names in pod.spec.resourceClaims${claims.listed}`)),
    ];
  });
}

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && labelKeyFaults(`requests.${name}`).length === 0;
}

function isCounted(name: string): boolean {
  return counted.includes(name) || isExtended(name);
}
