import {
  get,
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  type Lister,
  set,
} from "antechamber";
import { parseJson } from "antechamber/json";
import { goMap, goString } from "./go-json.ts";
import { type GoType, writeGo } from "./go-type.ts";
import { hashOf, hashWithoutImageOf, safeEncoded } from "./hash.ts";
import {
  customVersionLabel,
  hashAnnotation,
  hashWithoutImageAnnotation,
  kruiseNamespace,
  sidecarSetNameLabel,
} from "./names.ts";
import { recordedFields } from "./recorded-types.ts";

/**
 * The ControllerRevision that Kruise's controller records for a SidecarSet, given its number and the count of name
 * collisions (pkg/control/sidecarcontrol/history_control.go, NewRevision).
 */
export function revisionOf(sidecarSet: JsonObject, revision: number, collisionCount: number): JsonObject {
  const name = stringOf(get(sidecarSet, "metadata", "name"));
  const customVersion = stringOf(get(sidecarSet, "spec", "customVersion"));
  const data = recordOf(sidecarSet);
  const hash = safeEncoded(String(fnv1(data + collisionCount)));
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace: kruiseNamespace,
      labels: {
        ...objectOf(get(sidecarSet, "metadata", "labels")),
        "controller.kubernetes.io/hash": hash,
        [sidecarSetNameLabel]: name,
        ...(customVersion === "" ? {} : { [customVersionLabel]: customVersion }),
      },
      annotations: objectOf(get(sidecarSet, "metadata", "annotations")),
      ownerReferences: [
        {
          apiVersion: "apps.kruise.io/v1beta1",
          kind: "SidecarSet",
          name,
          uid: stringOf(get(sidecarSet, "metadata", "uid")),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data: parseJson(data),
    revision,
  };
}

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

/** The recorded data as JSON text: a patch that replaces spec, with sorted keys (history_control.go, getPatch). */
function recordOf(sidecarSet: JsonObject): string {
  const fields = Object.entries(recordedFields).map(([name, type]) => {
    const value = get(sidecarSet, "spec", name);
    return [name, isEmpty(value) ? "null" : ordered(type, value)] as const;
  });
  return goMap([["spec", goMap([["$patch", goString("replace")], ...fields])]]);
}

function isEmpty(value: Json | undefined): boolean {
  return !isArray(value) || value.length === 0;
}

function ordered(type: GoType, value: Json | undefined): string {
  return inOrder(parseJson(writeGo(type, value)));
}

/** JSON text with the keys of all objects sorted, and numbers as doubles: Kruise passes it through a Go map. */
function inOrder(value: Json): string {
  if (isArray(value)) return `[${value.map(inOrder).join(",")}]`;
  if (isObject(value)) return goMap(Object.entries(value).map(([key, below]) => [key, inOrder(below)]));
  if (typeof value === "string") return goString(value);
  return String(isExactNumber(value) ? Number(value.rawJSON) : value);
}

/** The 32-bit FNV-1 hash of a string's UTF-8 bytes. */
function fnv1(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}

function stringOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
