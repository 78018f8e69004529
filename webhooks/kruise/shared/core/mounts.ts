import type { Cause, JsonObject, Path } from "antechamber";
import { forbidden, invalid, notFound, notSupported, required } from "../fault.ts";
import { isTrue, objectAt, objectsAt, optionalStringAt, stringAt } from "../read.ts";
import { descending, withoutBacksteps } from "./paths.ts";

/** The volumes without faults, by name. */
export type Volumes = ReadonlyMap<string, JsonObject>;

/** Faults of a container's mounts (`ValidateVolumeMounts`). */
export function mountFaults(container: JsonObject, volumes: Volumes, path: Path): readonly Cause[] {
  const devices = objectsAt(container, "volumeDevices");
  const byName = pathsByName(devices, "devicePath");
  const devicePaths = new Set(byName.values());
  const taken = new Set<string>();
  return objectsAt(container, "volumeMounts").flatMap((mount, index) => {
    const at = [...path, "volumeMounts", index];
    const [name, mountPath] = [stringAt(mount, "name"), stringAt(mount, "mountPath")];
    const isTaken = taken.has(mountPath);
    taken.add(mountPath);
    return [
      ...(name === "" ? required([...at, "name"]) : []),
      ...(volumes.has(name) ? [] : notFound([...at, "name"], name)),
      ...(mountPath === "" ? required([...at, "mountPath"]) : []),
      ...(isTaken ? invalid([...at, "mountPath"], mountPath, "must be unique") : []),
      ...(byName.has(name) ? invalid([...at, "name"], name, "must not already exist in volumeDevices") : []),
      ...(devicePaths.has(mountPath)
        ? invalid([...at, "mountPath"], mountPath, "must not already exist as a path in volumeDevices")
        : []),
      ...imageFaults(mount, volumes.get(name), at),
      ...subPathFaults(mount, at),
      ...propagationFaults(mount, container, [...at, "mountPropagation"]),
      ...recursiveFaults(mount, [...at, "recursiveReadOnly"]),
    ];
  });
}

/** Faults of a container's block devices (`ValidateVolumeDevices`). */
export function deviceFaults(container: JsonObject, volumes: Volumes, path: Path): readonly Cause[] {
  const mounts = objectsAt(container, "volumeMounts");
  const mounted = pathsByName(mounts, "mountPath");
  const mountPaths = new Set(mounted.values());
  const [names, paths] = [new Set<string>(), new Set<string>()];
  return objectsAt(container, "volumeDevices").flatMap((device, index) => {
    const at = [...path, "volumeDevices", index];
    const [name, devicePath] = [stringAt(device, "name"), stringAt(device, "devicePath")];
    const hasBacksteps = withoutBacksteps(devicePath, at).length > 0;
    const faults = [
      ...(name === "" ? required([...at, "name"]) : []),
      ...(names.has(name) ? invalid([...at, "name"], name, "must be unique") : []),
      ...blockFaults(volumes.get(name), name, [...at, "name"]),
      ...(devicePath === "" ? required([...at, "devicePath"]) : []),
      ...(paths.has(devicePath) ? invalid([...at, "devicePath"], devicePath, "must be unique") : []),
      ...(hasBacksteps ? invalid([...at, "devicePath"], devicePath, "can not contain backsteps ('..')") : []),
      ...(mounted.has(name) ? invalid([...at, "name"], name, "must not already exist in volumeMounts") : []),
      ...(mountPaths.has(devicePath)
        ? invalid([...at, "devicePath"], devicePath, "must not already exist as a path in volumeMounts")
        : []),
    ];
    if (!hasBacksteps) paths.add(devicePath);
    if (name !== "") names.add(name);
    return faults;
  });
}

/** Paths by the name of the volume; of several with one name the last, as in Kubernetes. */
function pathsByName(items: readonly JsonObject[], key: string): ReadonlyMap<string, string> {
  return new Map(items.map((each) => [stringAt(each, "name"), stringAt(each, key)] as const));
}

function blockFaults(volume: JsonObject | undefined, name: string, path: Path): readonly Cause[] {
  if (volume === undefined) return notFound(path, name);
  const isClaim = ["persistentVolumeClaim", "ephemeral"].some((key) => objectAt(volume, key) !== undefined);
  const only = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
  return isClaim ? [] : invalid(path, name, only);
}

/** An image volume is mounted as a whole. */
function imageFaults(mount: JsonObject, volume: JsonObject | undefined, path: Path): readonly Cause[] {
  if (objectAt(volume, "image") === undefined) return [];
  return ["subPath", "subPathExpr"].flatMap((key) => {
    const value = stringAt(mount, key);
    return value === "" ? [] : invalid([...path, key], value, "not allowed in image volume sources");
  });
}

function subPathFaults(mount: JsonObject, path: Path): readonly Cause[] {
  const [plain, expression] = [stringAt(mount, "subPath"), stringAt(mount, "subPathExpr")];
  const at = [...path, "subPathExpr"];
  return [
    ...(plain === "" ? [] : descending(plain, [...path, "subPath"])),
    ...(plain !== "" && expression !== ""
      ? invalid(at, expression, "subPathExpr and subPath are mutually exclusive")
      : []),
    ...(expression === "" ? [] : descending(expression, at)),
  ];
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function propagationFaults(mount: JsonObject, container: JsonObject, path: Path): readonly Cause[] {
  const propagation = optionalStringAt(mount, "mountPropagation");
  if (propagation === undefined) return [];
  const isPrivileged = isTrue(objectAt(container, "securityContext"), "privileged");
  return [
    ...(propagations.includes(propagation) ? [] : notSupported(path, propagation, propagations)),
    ...(propagation === "Bidirectional" && !isPrivileged
      ? forbidden(path, "Bidirectional mount propagation is available only to privileged containers")
      : []),
  ];
}

const recursions = ["Disabled", "Enabled", "IfPossible"];

function recursiveFaults(mount: JsonObject, path: Path): readonly Cause[] {
  const recursive = optionalStringAt(mount, "recursiveReadOnly");
  if (recursive === undefined || recursive === "Disabled") return [];
  if (!recursions.includes(recursive)) return notSupported(path, recursive, recursions);
  const propagation = optionalStringAt(mount, "mountPropagation") ?? "None";
  return [
    ...(isTrue(mount, "readOnly") ? [] : forbidden(path, "may only be specified when readOnly is true")),
    ...(propagation === "None"
      ? []
      : forbidden(path, "may only be specified when mountPropagation is None or not specified")),
  ];
}
