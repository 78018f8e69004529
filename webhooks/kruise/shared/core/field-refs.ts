import type { Cause, Json, JsonObject, Path } from "antechamber";
import {
  labelKeyFaults,
  printQuantity,
  type Quantity,
  quantityOf,
  signOfQuantity,
} from "antechamber/apimachinery";
import { invalid, notSupported, required } from "../fault.ts";
import { stringAt } from "../read.ts";

/** Splits a field path from the key in brackets after it: `metadata.labels['app']`. */
function subscripted(fieldPath: string): readonly [path: string, key: string | undefined] {
  const open = fieldPath.indexOf("['");
  return open > 0 && fieldPath.endsWith("']") && fieldPath.length >= open + 4
    ? [fieldPath.slice(0, open), fieldPath.slice(open + 2, -2)]
    : [fieldPath, undefined];
}

/** Faults of a reference to one of the named fields of the pod (`validateObjectFieldSelector`). */
export function fieldRefFaults(
  ref: JsonObject,
  names: readonly string[],
  path: Path,
  known: (fieldPath: string) => boolean = isPodField,
): readonly Cause[] {
  const [apiVersion, fieldPath] = [stringAt(ref, "apiVersion"), stringAt(ref, "fieldPath")];
  if (apiVersion === "") return required([...path, "apiVersion"]);
  if (fieldPath === "") return required([...path, "fieldPath"]);
  const at = [...path, "fieldPath"];
  const unconvertible = (why: string) => invalid(at, fieldPath, `error converting fieldPath: ${why}`);
  if (apiVersion !== "v1") return unconvertible(`unsupported pod version: ${apiVersion}`);
  const [field, key] = subscripted(fieldPath);
  if (key !== undefined) {
    if (field === "metadata.labels") return invalid(path, key, ...labelKeyFaults(key));
    if (field === "metadata.annotations") return invalid(path, key, ...labelKeyFaults(key.toLowerCase()));
    return unconvertible(`field label does not support subscript: ${fieldPath}`);
  }
  if (!known(fieldPath)) return unconvertible(`field label not supported: ${fieldPath}`);
  const name = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  return names.includes(name) ? [] : notSupported(at, name, [...names].sort());
}

/**
 * Faults of a reference to a container's resources (`validateContainerResourceFieldSelector`); in a volume it names the
 * container.
 */
export function resourceRefFaults(ref: JsonObject, path: Path, holder: "env" | "volume"): readonly Cause[] {
  const resource = stringAt(ref, "resource");
  const isKnown = resourceNames.includes(resource) || isHugePages(resource);
  const naming =
    holder === "volume" && stringAt(ref, "containerName") === ""
      ? required([...path, "containerName"])
      : resource === ""
        ? required([...path, "resource"])
        : isKnown
          ? []
          : notSupported([...path, "resource"], resource, [...resourceNames].sort());
  return [...naming, ...divisorFaults(resource, quantityOf(ref.divisor), [...path, "divisor"])];
}

const podFields =
  `metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid spec.nodeName
  spec.restartPolicy spec.serviceAccountName spec.schedulerName status.phase status.hostIP status.hostIPs status.podIP
  status.podIPs spec.host`.split(/\s+/);

function isPodField(fieldPath: string): boolean {
  return podFields.includes(fieldPath);
}

const resourceNames = ["limits", "requests"].flatMap((list) =>
  ["cpu", "memory", "ephemeral-storage"].map((resource) => `${list}.${resource}`),
);

function isHugePages(resource: string): boolean {
  return /^(?:limits|requests)\.hugepages-/.test(resource);
}

const bytes = "1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei";

function divisorFaults(resource: string, divisor: Quantity | undefined, path: Path): readonly Cause[] {
  if (divisor === undefined || signOfQuantity(divisor) === 0) return [];
  const [, name = ""] = resource.split(".");
  const only = (allowed: string, what: string) =>
    allowed.split(" ").includes(printQuantity(divisor))
      ? []
      : invalid(path, resource as Json, `only divisor's values ${what}`);
  const list = bytes.replaceAll(" ", ", ");
  if (isHugePages(resource)) return only(bytes, `${list} are supported with the hugepages resource`);
  if (!resourceNames.includes(resource)) return [];
  if (name === "cpu") return only("1m 1", "1m and 1 are supported with the cpu resource");
  const storage = name === "memory" ? "memory" : "local ephemeral storage";
  return only(bytes, `${list} are supported with the ${storage} resource`);
}
