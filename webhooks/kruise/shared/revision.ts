import { get, isObject, type Json, type JsonObject, type Lister, set } from "antechamber";
import { hashOf, hashWithoutImageOf } from "./hash.ts";
import {
  customVersionLabel,
  hashAnnotation,
  hashWithoutImageAnnotation,
  kruiseNamespace,
  sidecarSetNameLabel,
} from "./names.ts";
import { recordedFields } from "./recorded-types.ts";

/**
 * The SidecarSet as a ControllerRevision recorded it: the recorded fields replace the whole spec, and the hashes are the
 * recorded ones, or computed from them if absent (history_control.go, restoreRevisionInfo).
 */
export function restoredFrom(controllerRevision: JsonObject, sidecarSet: JsonObject): JsonObject {
  const recorded = get(controllerRevision, "data", "spec");
  const spec = Object.fromEntries(
    Object.keys(recordedFields).flatMap((field) => {
      const value = get(recorded, field);
      return value === undefined || value === null ? [] : [[field, value] as const];
    }),
  );
  const { metadata, status } = sidecarSet;
  const restored = {
    ...sidecarSet,
    spec,
    status: { ...objectOf(status), latestRevision: stringOf(get(controllerRevision, "metadata", "name")) },
  };
  const hashes = {
    [hashAnnotation]: recordedText(controllerRevision, hashAnnotation) ?? hashOf(restored),
    [hashWithoutImageAnnotation]:
      recordedText(controllerRevision, hashWithoutImageAnnotation) ?? hashWithoutImageOf(restored),
  };
  const annotations = { ...objectOf(get(metadata, "annotations")), ...hashes };
  return { ...restored, metadata: set(objectOf(metadata), "annotations", annotations) };
}

/**
 * The ControllerRevision that a SidecarSet wants injected: the one that it names, else the newest with the custom version;
 * undefined if it asks for neither (history_control.go, getControllerRevision).
 */
export function recordedRevision(
  sidecarSet: JsonObject,
  controllerRevisions: Lister | undefined,
): { readonly revision: JsonObject } | { readonly fault: string } | undefined {
  const wanted = get(sidecarSet, "spec", "injectionStrategy", "revision");
  const [name, version] = [get(wanted, "revisionName"), get(wanted, "customVersion")];
  if (typeof name === "string") {
    const revision = controllerRevisions?.get(kruiseNamespace, name);
    return revision === undefined
      ? { fault: `controllerrevisions.apps ${JSON.stringify(name)} not found` }
      : { revision };
  }
  if (typeof version !== "string") return undefined;
  const set = stringOf(get(sidecarSet, "metadata", "name"));
  const found = (controllerRevisions?.list(kruiseNamespace) ?? []).filter(({ metadata }) => {
    const labels = get(metadata, "labels");
    return get(labels, sidecarSetNameLabel) === set && get(labels, customVersionLabel) === version;
  });
  const [revision] = found.sort((a, b) => Number(b.revision) - Number(a.revision));
  return revision === undefined
    ? { fault: `ControllerRevision.apps ${JSON.stringify(set)} not found` }
    : { revision };
}

function recordedText(controllerRevision: JsonObject, annotation: string): string | undefined {
  const text = stringOf(get(controllerRevision, "metadata", "annotations", annotation));
  return text === "" ? undefined : text;
}

function stringOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
