import { type Cause, type Json, type JsonObject, own, type Path } from "antechamber";
import { dnsLabelFaults, dnsSubdomainFaults, labelKeyFaults, selectorFaults } from "antechamber/apimachinery";
import { forbidden, invalid, required } from "../fault.ts";
import { integerAt, objectAt, objectsAt, stringAt, stringsAt } from "../read.ts";

/** Faults of the affinity of a pod to nodes and other pods (k8s.io/kubernetes v1.32, `validateAffinity`). */
export function affinityFaults(affinity: JsonObject | undefined, path: Path): readonly Cause[] {
  return [
    ...nodeFaults(objectAt(affinity, "nodeAffinity"), [...path, "nodeAffinity"]),
    ...["podAffinity", "podAntiAffinity"].flatMap((key) =>
      podFaults(objectAt(affinity, key), [...path, key]),
    ),
  ];
}

const needed = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function nodeFaults(affinity: JsonObject | undefined, path: Path): readonly Cause[] {
  const selector = objectAt(affinity, needed);
  const terms = objectsAt(selector, "nodeSelectorTerms");
  const at = [...path, needed, "nodeSelectorTerms"];
  const none = "must have at least one node selector term";
  return [
    ...(selector !== undefined && terms.length === 0 ? required(at, none) : []),
    ...terms.flatMap((term, index) => nodeTermFaults(term, [...at, index])),
    ...objectsAt(affinity, preferred).flatMap((term, index) => [
      ...weightFaults(term, [...path, preferred, index, "weight"]),
      ...nodeTermFaults(objectAt(term, "preference"), [...path, preferred, index, "preference"]),
    ]),
  ];
}

function weightFaults(term: JsonObject, path: Path): readonly Cause[] {
  const weight = integerAt(term, "weight");
  return weight > 0n && weight <= 100n
    ? []
    : invalid(path, own(term, "weight") ?? 0, "must be in the range 1-100");
}

function nodeTermFaults(term: JsonObject | undefined, path: Path): readonly Cause[] {
  return [
    ...objectsAt(term, "matchExpressions").flatMap((each, index) =>
      expressionFaults(each, [...path, "matchExpressions", index]),
    ),
    ...objectsAt(term, "matchFields").flatMap((each, index) =>
      fieldFaults(each, [...path, "matchFields", index]),
    ),
  ];
}

/** A requirement on a label of a node. */
function expressionFaults(requirement: JsonObject, path: Path): readonly Cause[] {
  const key = stringAt(requirement, "key");
  const keyFaults = invalid([...path, "key"], key, ...labelKeyFaults(key));
  return [...operatorFaults(requirement, path), ...keyFaults];
}

function operatorFaults(requirement: JsonObject, path: Path): readonly Cause[] {
  const [operator, count] = [stringAt(requirement, "operator"), stringsAt(requirement, "values").length];
  const at = [...path, "values"];
  switch (operator) {
    case "In":
    case "NotIn":
      return count > 0 ? [] : required(at, "must be specified when `operator` is 'In' or 'NotIn'");
    case "Exists":
    case "DoesNotExist":
      return count === 0
        ? []
        : forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    case "Gt":
    case "Lt":
      return count === 1
        ? []
        : required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    default:
      return invalid([...path, "operator"], operator, "not a valid selector operator");
  }
}

/** A requirement on a field of a node, which can only be its name. */
function fieldFaults(requirement: JsonObject, path: Path): readonly Cause[] {
  const [key, operator] = [stringAt(requirement, "key"), stringAt(requirement, "operator")];
  const values = stringsAt(requirement, "values");
  const single = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  const operatorCauses = !["In", "NotIn"].includes(operator)
    ? invalid([...path, "operator"], operator, "not a valid selector operator")
    : values.length === 1
      ? []
      : required([...path, "values"], single);
  const rest =
    key === "metadata.name"
      ? values.flatMap((value, index) =>
          invalid([...path, "values", index], value, ...dnsSubdomainFaults(value)),
        )
      : invalid([...path, "key"], key, "not a valid field selector key");
  return [...operatorCauses, ...rest];
}

function podFaults(affinity: JsonObject | undefined, path: Path): readonly Cause[] {
  return [
    ...objectsAt(affinity, needed).flatMap((term, index) => podTermFaults(term, [...path, needed, index])),
    ...objectsAt(affinity, preferred).flatMap((term, index) => [
      ...weightFaults(term, [...path, preferred, index, "weight"]),
      ...podTermFaults(objectAt(term, "podAffinityTerm") ?? {}, [
        ...path,
        preferred,
        index,
        "podAffinityTerm",
      ]),
    ]),
  ];
}

function podTermFaults(term: JsonObject, path: Path): readonly Cause[] {
  const key = stringAt(term, "topologyKey");
  const at = [...path, "topologyKey"];
  return [
    ...["labelSelector", "namespaceSelector"].flatMap((each) =>
      looseSelectorFaults(own(term, each), [...path, each]),
    ),
    ...stringsAt(term, "namespaces").flatMap((name, index) =>
      invalid([...path, "namespaces", index], name, ...dnsLabelFaults(name)),
    ),
    ...labelKeysFaults(term, path),
    ...(key === "" ? required(at, "can not be empty") : []),
    ...invalid(at, key, ...labelKeyFaults(key)),
  ];
}

/** Faults of a selector in which the values of expressions need not be valid, for objects of old releases. */
function looseSelectorFaults(selector: Json | undefined, path: Path): readonly Cause[] {
  return selectorFaults(selector, path)
    .filter((fault) => !(fault.path.at(-2) === "values" && typeof fault.path.at(-1) === "number"))
    .map(({ path: at, reason, message }) => ({ path: at, reason, message }));
}

function labelKeysFaults(term: JsonObject, path: Path): readonly Cause[] {
  const selector = objectAt(term, "labelSelector");
  const [matching, mismatching] = [stringsAt(term, "matchLabelKeys"), stringsAt(term, "mismatchLabelKeys")];
  const unwanted = new Set(mismatching);
  const twice = "exists in both matchLabelKeys and mismatchLabelKeys";
  return [
    ...keyListFaults(matching, selector, [...path, "matchLabelKeys"]),
    ...keyListFaults(mismatching, selector, [...path, "mismatchLabelKeys"]),
    ...mergedFaults(matching, selector, [...path, "matchLabelKeys"]),
    ...matching.flatMap((key, index) =>
      unwanted.has(key) ? invalid([...path, "matchLabelKeys", index], key, twice) : [],
    ),
  ];
}

function keyListFaults(
  keys: readonly string[],
  selector: JsonObject | undefined,
  path: Path,
): readonly Cause[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return forbidden(path, "must not be specified when labelSelector is not set");
  return keys.flatMap((key, index) => invalid([...path, index], key, ...labelKeyFaults(key)));
}

/** Keys that the selector has twice: the API server itself adds a requirement for each of them, but once. */
function mergedFaults(
  keys: readonly string[],
  selector: JsonObject | undefined,
  path: Path,
): readonly Cause[] {
  const seen = new Set(Object.keys(objectAt(selector, "matchLabels") ?? {}));
  const places = new Map(keys.map((key, index) => [key, index] as const));
  return objectsAt(selector, "matchExpressions").flatMap((expression) => {
    const key = stringAt(expression, "key");
    const isSeen = seen.has(key);
    seen.add(key);
    const place = places.get(key);
    return isSeen && place !== undefined
      ? invalid([...path, place], key, "exists in both matchLabelKeys and labelSelector")
      : [];
  });
}
