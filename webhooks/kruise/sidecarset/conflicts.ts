import { type Cause, equal, get, type JsonObject, own } from "antechamber";
import { volume as volumeType } from "../shared/core-types.ts";
import { invalid } from "../shared/fault.ts";
import { writeGo } from "../shared/go-type.ts";
import { entriesAt, objectAt, objectsAt, stringAt } from "../shared/read.ts";
import { mayOverlap } from "./overlap.ts";

/**
 * Containers, volumes and annotations that clash with those of another SidecarSet which may be injected into the same pod
 * (OpenKruise, sidecarset/validating, validateSidecarConflict). Of several others the last by name is reported.
 */
export function conflictFaults(sidecarSet: JsonObject, all: readonly JsonObject[]): readonly Cause[] {
  const others = all
    .filter((other) => nameOf(other) !== nameOf(sidecarSet) && mayMatchSamePod(sidecarSet, other))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? 1 : -1));
  if (others.length === 0) return [];
  return [
    ...containerConflicts("initContainers", sidecarSet, others),
    ...containerConflicts("containers", sidecarSet, others),
    ...volumeConflicts(sidecarSet, others),
    ...annotationConflicts(sidecarSet, others),
  ];
}

/** Whether a pod may match both SidecarSets. */
function mayMatchSamePod(a: JsonObject, b: JsonObject): boolean {
  const [here, there] = [objectAt(a.spec, "namespaceSelector"), objectAt(b.spec, "namespaceSelector")];
  const isAnyNamespace = here === undefined || there === undefined;
  return (
    (isAnyNamespace || mayOverlap(here, there)) &&
    mayOverlap(get(a, "spec", "selector"), get(b, "spec", "selector"))
  );
}

function containerConflicts(
  list: "containers" | "initContainers",
  sidecarSet: JsonObject,
  others: readonly JsonObject[],
): readonly Cause[] {
  return objectsAt(sidecarSet.spec, list).flatMap((container, index) => {
    const name = stringAt(container, "name");
    const other = others.find((each) =>
      objectsAt(each.spec, list).some((its) => stringAt(its, "name") === name),
    );
    const path = ["spec", list, index, "name"];
    return other === undefined
      ? []
      : invalid(path, name, `container ${name} already exist in ${nameOf(other)}`);
  });
}

function volumeConflicts(sidecarSet: JsonObject, others: readonly JsonObject[]): readonly Cause[] {
  return objectsAt(sidecarSet.spec, "volumes").flatMap((volume, index) => {
    const name = stringAt(volume, "name");
    const theirs = (each: JsonObject) =>
      objectsAt(each.spec, "volumes").find((its) => stringAt(its, "name") === name);
    const other = others.find((each) => theirs(each) !== undefined);
    const its = other && theirs(other);
    if (other === undefined || its === undefined || isSameVolume(volume, its)) return [];
    const detail = `volume ${name} is in conflict with sidecarset ${nameOf(other)}`;
    return invalid(["spec", "volumes", index, "name"], name, detail);
  });
}

/** Whether two volumes are equal: fields that Kubernetes v1.32 knows as Go decodes them, all others as JSON. */
function isSameVolume(a: JsonObject, b: JsonObject): boolean {
  const known = typeof volumeType !== "string" && "struct" in volumeType ? volumeType.struct : new Map();
  const others = [...Object.keys(a), ...Object.keys(b)].filter((key) => !known.has(key));
  return (
    writeGo(volumeType, a) === writeGo(volumeType, b) &&
    others.every((key) => equal(own(a, key), own(b, key)))
  );
}

function annotationConflicts(sidecarSet: JsonObject, others: readonly JsonObject[]): readonly Cause[] {
  return patchesOf(sidecarSet).flatMap(({ key, policy, index }) => {
    const other = others.flatMap((each) => {
      const last = patchesOf(each).findLast((its) => its.key === key);
      return last === undefined ? [] : [{ name: nameOf(each), policy: last.policy }];
    })[0];
    if (other === undefined || ![policy, other.policy].includes("Overwrite")) return [];
    const detail = `annotation ${key} is in conflict with sidecarset ${other.name}`;
    return invalid(["spec", "patchPodMetadata", index, "annotations", key], key, detail);
  });
}

/** The annotations that a SidecarSet may change on a pod that has them already. */
function patchesOf({ spec }: JsonObject) {
  return objectsAt(spec, "patchPodMetadata").flatMap((patch, index) => {
    const policy = stringAt(patch, "patchPolicy");
    return policy === "Retain"
      ? []
      : entriesAt(patch, "annotations").map(([key]) => ({ key, policy, index }));
  });
}

function nameOf(sidecarSet: JsonObject): string {
  return stringAt(sidecarSet.metadata, "name");
}
