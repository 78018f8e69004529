import type { Cause, JsonObject, Path } from "antechamber";
import { dnsSubdomainFaults } from "antechamber/apimachinery";
import { invalid, required } from "../fault.ts";
import { objectAt, objectsAt, stringAt } from "../read.ts";
import { fieldRefFaults, resourceRefFaults } from "./field-refs.ts";
import { configKeyFaults, envNameFaults, subdomainPrefixFaults } from "./names.ts";

/** Faults of a container's environment variables (`ValidateEnv`). */
export function envFaults(container: JsonObject, path: Path): readonly Cause[] {
  return objectsAt(container, "env").flatMap((variable, index) => {
    const at = [...path, "env", index];
    const name = stringAt(variable, "name");
    const naming =
      name === "" ? required([...at, "name"]) : invalid([...at, "name"], name, ...envNameFaults(name));
    return [...naming, ...valueFromFaults(variable, [...at, "valueFrom"])];
  });
}

/** Faults of the ConfigMaps and Secrets whose keys become variables (`ValidateEnvFrom`). */
export function envFromFaults(container: JsonObject, path: Path): readonly Cause[] {
  return objectsAt(container, "envFrom").flatMap((source, index) => {
    const at = [...path, "envFrom", index];
    const prefix = stringAt(source, "prefix");
    const refs = ["configMapRef", "secretRef"].flatMap((key) => {
      const ref = objectAt(source, key);
      return ref === undefined ? [] : [[key, stringAt(ref, "name")] as const];
    });
    return [
      ...(prefix === "" ? [] : invalid([...at, "prefix"], prefix, ...envNameFaults(prefix))),
      ...refs.flatMap(([key, name]) =>
        name === ""
          ? required([...at, key, "name"])
          : invalid([...at, key, "name"], name, ...subdomainPrefixFaults(name)),
      ),
      ...(refs.length === 0 ? invalid(at, "", "must specify one of: `configMapRef` or `secretRef`") : []),
      ...(refs.length > 1 ? invalid(at, "", "may not have more than one field specified at a time") : []),
    ];
  });
}

const fields =
  `metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName status.hostIP
  status.hostIPs status.podIP status.podIPs`.split(/\s+/);

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"] as const;

function valueFromFaults(variable: JsonObject, path: Path): readonly Cause[] {
  const from = objectAt(variable, "valueFrom");
  if (from === undefined) return [];
  const found = sources.flatMap((key) => {
    const ref = objectAt(from, key);
    return ref === undefined ? [] : [[key, ref] as const];
  });
  // An unknown source may belong to a newer Kubernetes.
  const isNewer = Object.keys(from).some((key) => !sources.some((each) => each === key));
  const sourceFaults = found.flatMap(([key, ref]) => {
    const at = [...path, key];
    if (key === "fieldRef") return fieldRefFaults(ref, fields, at);
    return key === "resourceFieldRef" ? resourceRefFaults(ref, at, "env") : keyRefFaults(ref, at);
  });
  return [...sourceFaults, ...countFaults(found.length, stringAt(variable, "value"), path, isNewer)];
}

function countFaults(count: number, value: string, path: Path, isNewer: boolean): readonly Cause[] {
  if (count === 0) {
    const choice = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    return isNewer ? [] : invalid(path, "", `must specify one of: ${choice}`);
  }
  if (value !== "") return invalid(path, "", "may not be specified when `value` is not empty");
  return count > 1 ? invalid(path, "", "may not have more than one field specified at a time") : [];
}

function keyRefFaults(ref: JsonObject, path: Path): readonly Cause[] {
  const [name, key] = [stringAt(ref, "name"), stringAt(ref, "key")];
  return [
    ...invalid([...path, "name"], name, ...dnsSubdomainFaults(name)),
    ...(key === "" ? required([...path, "key"]) : invalid([...path, "key"], key, ...configKeyFaults(key))),
  ];
}
