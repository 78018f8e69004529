import { type Cause, get, type JsonObject, type Path } from "antechamber";
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelKeyFaults,
  labelValueFaults,
  printQuantity,
  quantityOf,
  selectorFaults,
  signOfQuantity,
} from "antechamber/apimachinery";
import { forbidden, invalid, notSupported, required } from "../fault.ts";
import { entriesAt, objectAt, optionalStringAt, stringAt, stringsAt } from "../read.ts";

/** Faults of the claim of an ephemeral volume (`ValidatePersistentVolumeClaimTemplate`). */
export function claimTemplateFaults(template: JsonObject, path: Path): readonly Cause[] {
  return [
    ...metadataFaults(objectAt(template, "metadata"), [...path, "metadata"]),
    ...specFaults(objectAt(template, "spec") ?? {}, [...path, "spec"]),
  ];
}

function metadataFaults(metadata: JsonObject | undefined, path: Path): readonly Cause[] {
  const others = Object.entries(metadata ?? {}).filter(
    ([key, value]) => key !== "annotations" && key !== "labels" && value !== null,
  );
  return [
    ...annotationFaults(metadata, [...path, "annotations"]),
    ...entriesAt(metadata, "labels").flatMap(([key, value]) => [
      ...invalid([...path, "labels"], key, ...labelKeyFaults(key)),
      ...invalid([...path, "labels"], value, ...labelValueFaults(String(value))),
    ]),
    ...others.flatMap(([key]) => forbidden([...path, key], "cannot be set")),
  ];
}

/** Faults of the keys of annotations (`ValidateAnnotations`); their size is not checked. */
export function annotationFaults(metadata: JsonObject | undefined, path: Path): readonly Cause[] {
  return entriesAt(metadata, "annotations").flatMap(([key]) =>
    invalid(path, key, ...labelKeyFaults(key.toLowerCase())),
  );
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];

function specFaults(spec: JsonObject, path: Path): readonly Cause[] {
  const [className, mode, attributes] = ["storageClassName", "volumeMode", "volumeAttributesClassName"].map(
    (key) => optionalStringAt(spec, key),
  );
  return [
    ...accessFaults(stringsAt(spec, "accessModes"), [...path, "accessModes"]),
    ...selectorFaults(spec.selector, [...path, "selector"]),
    ...storageFaults(spec, [...path, "resources", "requests", "storage"]),
    ...classFaults(className, [...path, "storageClassName"]),
    ...(mode === undefined || volumeModes.includes(mode)
      ? []
      : notSupported([...path, "volumeMode"], mode, volumeModes)),
    ...sourceFaults(spec, path),
    ...classFaults(attributes, [...path, "volumeAttributesClassName"]),
  ];
}

function accessFaults(modes: readonly string[], path: Path): readonly Cause[] {
  const isMixed =
    modes.includes("ReadWriteOncePod") &&
    modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return [
    ...(modes.length === 0 ? required(path, "at least 1 access mode is required") : []),
    ...modes.flatMap((mode, index) =>
      accessModes.includes(mode) ? [] : notSupported([...path, index], mode, accessModes),
    ),
    ...(isMixed ? forbidden(path, "may not use ReadWriteOncePod with other access modes") : []),
  ];
}

function storageFaults(spec: JsonObject, path: Path): readonly Cause[] {
  const amount = quantityOf(get(spec, "resources", "requests", "storage"));
  if (amount === undefined) return required(path);
  return signOfQuantity(amount) > 0 ? [] : invalid(path, printQuantity(amount), "must be greater than zero");
}

function classFaults(name: string | undefined, path: Path): readonly Cause[] {
  return name === undefined || name === "" ? [] : invalid(path, name, ...dnsSubdomainFaults(name));
}

function sourceFaults(spec: JsonObject, path: Path): readonly Cause[] {
  const [source, ref] = [objectAt(spec, "dataSource"), objectAt(spec, "dataSourceRef")];
  const at = [...path, "dataSource"];
  const isOtherNamespace = stringAt(ref, "namespace") !== "";
  const isSame = ["apiGroup", "kind", "name"].every((key) => stringAt(source, key) === stringAt(ref, key));
  const both =
    source === undefined || ref === undefined
      ? []
      : isOtherNamespace
        ? invalid(at, source, "may not be specified when dataSourceRef.namespace is specified")
        : isSame
          ? []
          : invalid(at, source, "must match dataSourceRef");
  return [...referenceFaults(source, at), ...referenceFaults(ref, [...path, "dataSourceRef"]), ...both];
}

function referenceFaults(reference: JsonObject | undefined, path: Path): readonly Cause[] {
  if (reference === undefined) return [];
  const [group, kind, namespace] = ["apiGroup", "kind", "namespace"].map((key) => stringAt(reference, key));
  const claims = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(stringAt(reference, "name") === "" ? required([...path, "name"]) : []),
    ...(kind === "" ? required([...path, "kind"]) : []),
    ...(group === "" && kind !== "PersistentVolumeClaim" ? invalid(path, kind, claims) : []),
    ...(group ? invalid([...path, "apiGroup"], group, ...dnsSubdomainFaults(group)) : []),
    ...(namespace ? invalid([...path, "namespace"], namespace, ...dnsLabelFaults(namespace)) : []),
  ];
}
