import type { Cause, JsonObject, Path } from "antechamber";
import { dnsSubdomainFaults, selectorFaults } from "antechamber/apimachinery";
import { forbidden, invalid, required } from "../fault.ts";
import { integerAt, objectAt, objectsAt, optionalIntegerAt, optionalStringAt, stringAt } from "../read.ts";
import { fieldRefFaults, resourceRefFaults } from "./field-refs.ts";
import { ordinaryFile } from "./paths.ts";
import { signerFaults } from "./signer.ts";

/** Faults of a projected volume (`validateProjectedVolumeSource`). */
export function projectedFaults(source: JsonObject, path: Path): readonly Cause[] {
  const taken = new Set<string>();
  return [
    ...modeFaults(source, "defaultMode", path),
    ...objectsAt(source, "sources").flatMap((each, index) =>
      projectionFaults(each, [...path, "sources", index], taken),
    ),
  ];
}

/** Faults of a file from a key of a ConfigMap or a Secret. */
export function fileFaults(item: JsonObject, path: Path): readonly Cause[] {
  return [
    ...(stringAt(item, "key") === "" ? required([...path, "key"]) : []),
    ...pathFaults(item, path),
    ...modeFaults(item, "mode", path),
  ];
}

/** Faults of a file from a field of the pod or from a container's resources. */
export function downwardFileFaults(file: JsonObject, path: Path): readonly Cause[] {
  const [field, resource] = [objectAt(file, "fieldRef"), objectAt(file, "resourceFieldRef")];
  const both = "fieldRef and resourceFieldRef can not be specified simultaneously";
  const refs =
    field !== undefined
      ? [
          ...fieldRefFaults(field, podFields, [...path, "fieldRef"]),
          ...(resource === undefined ? [] : invalid(path, "resource", both)),
        ]
      : resource !== undefined
        ? resourceRefFaults(resource, [...path, "resourceFieldRef"], "volume")
        : required(path, "one of fieldRef and resourceFieldRef is required");
  return [...pathFaults(file, path), ...refs, ...modeFaults(file, "mode", path)];
}

/** Faults of file permissions. */
export function modeFaults(holder: JsonObject, key: string, path: Path): readonly Cause[] {
  const mode = optionalIntegerAt(holder, key);
  return mode !== undefined && (mode < 0n || mode > 0o777n)
    ? invalid([...path, key], holder[key], "must be a number between 0 and 0777 (octal), both inclusive")
    : [];
}

const podFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "metadata.uid",
];

function pathFaults(item: JsonObject, path: Path): readonly Cause[] {
  const file = stringAt(item, "path");
  return [...(file === "" ? required([...path, "path"]) : []), ...ordinaryFile(file, [...path, "path"])];
}

function projectionFaults(source: JsonObject, path: Path, taken: Set<string>): readonly Cause[] {
  const found = Object.entries(projections).flatMap(([name, rule]) => {
    const projection = objectAt(source, name);
    return projection === undefined ? [] : [rule(projection, [...path, name], taken)];
  });
  const several =
    found.length > 1 ? forbidden(path, "may not specify more than 1 volume type per source") : [];
  return [...found.flat(), ...several];
}

type Rule = (source: JsonObject, path: Path, taken: Set<string>) => readonly Cause[];

const projections: Readonly<Record<string, Rule>> = {
  secret: filesOf,
  configMap: filesOf,
  downwardAPI: (source, path, taken) =>
    objectsAt(source, "items").flatMap((file, index) => {
      const at = [...path, "items", index];
      return [
        ...downwardFileFaults(file, at),
        ...takenFaults(stringAt(file, "path"), taken, [...at, "path"]),
      ];
    }),
  serviceAccountToken: tokenFaults,
  clusterTrustBundle: trustFaults,
};

function filesOf(source: JsonObject, path: Path, taken: Set<string>): readonly Cause[] {
  return [
    ...(stringAt(source, "name") === "" ? required([...path, "name"]) : []),
    ...objectsAt(source, "items").flatMap((item, index) => {
      const at = [...path, "items", index];
      return [...fileFaults(item, at), ...takenFaults(stringAt(item, "path"), taken, [...at, "path"])];
    }),
  ];
}

function takenFaults(file: string, taken: Set<string>, path: Path): readonly Cause[] {
  const isTaken = file !== "" && taken.has(file);
  taken.add(file);
  return isTaken ? invalid(path, file, "conflicting duplicate paths") : [];
}

function tokenFaults(source: JsonObject, path: Path): readonly Cause[] {
  const [seconds, file] = [integerAt(source, "expirationSeconds"), stringAt(source, "path")];
  const at = [...path, "expirationSeconds"];
  return [
    ...(seconds < 600n
      ? invalid(at, source.expirationSeconds, "may not specify a duration less than 10 minutes")
      : []),
    ...(seconds > 2n ** 32n
      ? invalid(at, source.expirationSeconds, "may not specify a duration larger than 2^32 seconds")
      : []),
    ...(file === "" ? required([...path, "path"]) : ordinaryFile(file, [...path, "path"])),
  ];
}

function trustFaults(source: JsonObject, path: Path, taken: Set<string>): readonly Cause[] {
  const [name, signer, file] = [
    optionalStringAt(source, "name"),
    optionalStringAt(source, "signerName"),
    stringAt(source, "path"),
  ];
  const selector = objectAt(source, "labelSelector");
  const naming =
    name !== undefined && signer !== undefined
      ? invalid(path, source, "only one of name and signerName may be used")
      : name !== undefined
        ? [
            ...bundleNameFaults(name, [...path, "name"]),
            ...(selector === undefined
              ? []
              : invalid(
                  [...path, "labelSelector"],
                  selector,
                  "labelSelector must be unset if name is specified",
                )),
          ]
        : signer !== undefined
          ? [
              ...(signer === "" ? required([...path, "signerName"], "must be a valid signer name") : []),
              ...signerFaults(signer, [...path, "signerName"]),
              ...selectorFaults(source.labelSelector, [...path, "labelSelector"]),
            ]
          : required(path, "either name or signerName must be specified");
  return [
    ...naming,
    ...(file === "" ? required([...path, "path"]) : []),
    ...ordinaryFile(file, [...path, "path"]),
    ...takenFaults(file, taken, [...path, "path"]),
  ];
}

function bundleNameFaults(name: string, path: Path): readonly Cause[] {
  if (name === "") return required(path, "must be a valid object name");
  // In `example.com:signer:name` the first parts name a signer.
  const own = name.split(":").at(-1) ?? "";
  const details = dnsSubdomainFaults(own).map((detail) => `not a valid clustertrustbundlename: ${detail}`);
  return invalid(path, name, ...details);
}
