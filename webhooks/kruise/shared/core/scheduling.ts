import { type Cause, type JsonObject, own, type Path } from "antechamber";
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelKeyFaults,
  labelValueFaults,
} from "antechamber/apimachinery";
import { duplicate, forbidden, invalid, notSupported, required } from "../fault.ts";
import {
  integerAt,
  objectAt,
  objectsAt,
  optionalIntegerAt,
  optionalStringAt,
  stringAt,
  stringsAt,
} from "../read.ts";

/** Faults of a pod's tolerations (k8s.io/kubernetes v1.32, `ValidateTolerations`). */
export function tolerationFaults(pod: JsonObject, path: Path): readonly Cause[] {
  return objectsAt(pod, "tolerations").flatMap((toleration, index) =>
    oneTolerationFaults(toleration, [...path, "tolerations", index]),
  );
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function oneTolerationFaults(toleration: JsonObject, path: Path): readonly Cause[] {
  const [key, operator, effect] = ["key", "operator", "effect"].map((name) => stringAt(toleration, name));
  const hasSeconds = (own(toleration, "tolerationSeconds") ?? null) !== null;
  const noKey = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const noExecute = "effect must be 'NoExecute' when `tolerationSeconds` is set";
  return [
    ...(key ? invalid([...path, "key"], key, ...labelKeyFaults(key)) : []),
    ...(key === "" && operator !== "Exists" ? invalid([...path, "operator"], operator, noKey) : []),
    ...(hasSeconds && effect !== "NoExecute" ? invalid([...path, "effect"], effect, noExecute) : []),
    ...valueFaults(operator ?? "", stringAt(toleration, "value"), path),
    ...(effect && !effects.includes(effect) ? notSupported([...path, "effect"], effect, effects) : []),
  ];
}

function valueFaults(operator: string, value: string, path: Path): readonly Cause[] {
  if (operator === "" || operator === "Equal") {
    const details = labelValueFaults(value);
    return details.length > 0 ? invalid([...path, "value"], value, details.join(";")) : [];
  }
  if (operator !== "Exists") return notSupported([...path, "operator"], operator, ["Equal", "Exists"]);
  return value === ""
    ? []
    : invalid([...path, "value"], value, "value must be empty when `operator` is 'Exists'");
}

/** Faults of the conditions and gates of a pod (`validateReadinessGates`, `validateSchedulingGates`). */
export function gateFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const seen = new Set<string>();
  return [
    ...objectsAt(pod, "readinessGates").flatMap((gate, index) => {
      const type = stringAt(gate, "conditionType");
      return invalid([...path, "readinessGates", index, "conditionType"], type, ...labelKeyFaults(type));
    }),
    ...objectsAt(pod, "schedulingGates").flatMap((gate, index) => {
      const name = stringAt(gate, "name");
      const at = [...path, "schedulingGates", index];
      const isSeen = seen.has(name);
      seen.add(name);
      return [...invalid(at, name, ...labelKeyFaults(name)), ...(isSeen ? duplicate(at, name) : [])];
    }),
  ];
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const positive = "must be greater than zero";

/** Faults of how pods are spread (`validateTopologySpreadConstraints`). */
export function spreadFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const constraints = objectsAt(pod, "topologySpreadConstraints");
  const last = new Map(constraints.map((each, index) => [pairOf(each), index] as const));
  return constraints.flatMap((constraint, index) => {
    const at = [...path, "topologySpreadConstraints", index];
    const action = stringAt(constraint, "whenUnsatisfiable");
    const pair = pairOf(constraint);
    const isRepeated = last.get(pair) !== index;
    return [
      ...(integerAt(constraint, "maxSkew") > 0n
        ? []
        : invalid([...at, "maxSkew"], own(constraint, "maxSkew") ?? 0, positive)),
      ...(stringAt(constraint, "topologyKey") === ""
        ? required([...at, "topologyKey"], "can not be empty")
        : []),
      ...(actions.includes(action) ? [] : notSupported([...at, "whenUnsatisfiable"], action, actions)),
      ...(isRepeated ? duplicate(at, pair) : []),
      ...minDomainsFaults(constraint, action, [...at, "minDomains"]),
      ...inclusionFaults(constraint, at),
      ...keyFaults(constraint, [...at, "matchLabelKeys"]),
    ];
  });
}

function pairOf(constraint: JsonObject): string {
  return `{${stringAt(constraint, "topologyKey")}, ${stringAt(constraint, "whenUnsatisfiable")}}`;
}

function minDomainsFaults(constraint: JsonObject, action: string, path: Path): readonly Cause[] {
  const domains = optionalIntegerAt(constraint, "minDomains");
  if (domains === undefined) return [];
  const only = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  const value = own(constraint, "minDomains");
  return [
    ...(domains > 0n ? [] : invalid(path, value, positive)),
    ...(action === "DoNotSchedule" ? [] : invalid(path, value, only)),
  ];
}

function inclusionFaults(constraint: JsonObject, path: Path): readonly Cause[] {
  const policies = ["Honor", "Ignore"];
  return ["nodeAffinityPolicy", "nodeTaintsPolicy"].flatMap((key) => {
    const policy = optionalStringAt(constraint, key);
    return policy === undefined || policies.includes(policy)
      ? []
      : notSupported([...path, key], policy, policies);
  });
}

function keyFaults(constraint: JsonObject, path: Path): readonly Cause[] {
  const keys = stringsAt(constraint, "matchLabelKeys");
  const selector = objectAt(constraint, "labelSelector");
  if (keys.length === 0) return [];
  const selected = new Set([
    ...Object.keys(objectAt(selector, "matchLabels") ?? {}),
    ...objectsAt(selector, "matchExpressions").map((each) => stringAt(each, "key")),
  ]);
  const unset = "must not be specified when labelSelector is not set";
  return [
    ...(selector === undefined ? forbidden(path, unset) : []),
    ...keys.flatMap((key, index) => [
      ...invalid([...path, index], key, ...labelKeyFaults(key)),
      ...(selected.has(key)
        ? invalid([...path, index], key, "exists in both matchLabelKeys and labelSelector")
        : []),
    ]),
  ];
}

/** Faults of a pod's claims of resources (`validatePodResourceClaims`). */
export function claimFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const seen = new Set<string>();
  return objectsAt(pod, "resourceClaims").flatMap((claim, index) => {
    const at = [...path, "resourceClaims", index];
    const name = stringAt(claim, "name");
    const isSeen = seen.has(name);
    seen.add(name);
    const naming =
      name === ""
        ? required([...at, "name"])
        : isSeen
          ? duplicate([...at, "name"], name)
          : invalid([...at, "name"], name, ...dnsLabelFaults(name));
    return [...naming, ...claimSourceFaults(claim, at)];
  });
}

function claimSourceFaults(claim: JsonObject, path: Path): readonly Cause[] {
  const found = ["resourceClaimName", "resourceClaimTemplateName"].flatMap((key) => {
    const name = optionalStringAt(claim, key);
    return name === undefined ? [] : [{ key, name }];
  });
  const many = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
  const none = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
  return [
    ...(found.length > 1 ? invalid(path, claim, many) : []),
    ...(found.length === 0 ? invalid(path, claim, none) : []),
    ...found.flatMap(({ key, name }) => invalid([...path, key], name, ...dnsSubdomainFaults(name))),
  ];
}
