import type { Cause, JsonObject, Path } from "antechamber";
import { dnsLabelFaults, labelKeyFaults, labelValueFaults } from "antechamber/apimachinery";
import { forbidden, invalid, required } from "../fault.ts";
import { entriesAt, stringAt, stringsAt } from "../read.ts";
import { annotationFaults } from "./claims.ts";

/** What is wrong with a name, or with the beginning of a name that the API server completes. */
type NameRule = (name: string, isPrefix: boolean) => readonly string[];

/**
 * Faults of an object's metadata (apimachinery, api/validation, `ValidateObjectMeta`): names, labels, annotations and
 * finalizers. The API server has checked the rest.
 */
export function metadataFaults(
  metadata: JsonObject | undefined,
  nameFaults: NameRule,
  scope: "Cluster" | "Namespaced",
): readonly Cause[] {
  const [name, generateName] = ["name", "generateName"].map((key) => stringAt(metadata, key));
  return [
    ...(generateName
      ? invalid(["metadata", "generateName"], generateName, ...nameFaults(generateName, true))
      : []),
    ...(name
      ? invalid(["metadata", "name"], name, ...nameFaults(name, false))
      : required(["metadata", "name"], "name or generateName is required")),
    ...namespaceFaults(stringAt(metadata, "namespace"), scope),
    ...labelFaults(metadata, "labels", ["metadata", "labels"]),
    ...annotationFaults(metadata, ["metadata", "annotations"]),
    ...finalizerFaults(stringsAt(metadata, "finalizers"), ["metadata", "finalizers"]),
  ];
}

/** Faults of finalizers (`ValidateFinalizers`). */
function finalizerFaults(finalizers: readonly string[], path: Path): readonly Cause[] {
  const areBothSet = ["orphan", "foregroundDeletion"].every((each) => finalizers.includes(each));
  const both = "finalizer orphan and foregroundDeletion cannot be both set";
  return [
    ...finalizers.flatMap((each) => invalid(path, each, ...labelKeyFaults(each))),
    ...(areBothSet ? invalid(path, [...finalizers], both) : []),
  ];
}

/** Faults of the labels under a key (`ValidateLabels`). */
export function labelFaults(holder: JsonObject | undefined, key: string, path: Path): readonly Cause[] {
  return entriesAt(holder, key).flatMap(([name, value]) => [
    ...invalid(path, name, ...labelKeyFaults(name)),
    ...invalid(path, value, ...labelValueFaults(String(value))),
  ]);
}

function namespaceFaults(namespace: string, scope: "Cluster" | "Namespaced"): readonly Cause[] {
  const path = ["metadata", "namespace"];
  if (scope === "Cluster") return namespace === "" ? [] : forbidden(path, "not allowed on this type");
  return namespace === "" ? required(path) : invalid(path, namespace, ...dnsLabelFaults(namespace));
}
