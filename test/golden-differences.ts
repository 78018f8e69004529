import { parseJson } from "../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../src/json/json.ts";
import type { Path } from "../src/json/path.ts";
import { type GoType, typeFaults, writeGo } from "../webhooks/kruise/sidecarset/go-type.ts";
import { recordedFields } from "../webhooks/kruise/sidecarset/recorded-types.ts";

// Where our answer about a SidecarSet is meant to be another one than Kruise's. Each difference is told by what is in
// the input, so that it holds for cases that nobody has seen.

/** Members of containers and volumes that Kruise's Go types do not know: it takes them out, we keep them. */
export function unknownMembers(object: JsonObject): readonly Path[] {
  return Object.entries(recordedFields).flatMap(([field, type]) =>
    unknownBelow(type, get(object, "spec", field), ["spec", field]),
  );
}

/** Whether Kruise cannot even read the object, and its mutating webhook refuses it: ours leaves that to the validating one. */
export function isUnreadable(object: JsonObject): boolean {
  return Object.entries(recordedFields).some(
    ([field, type]) => typeFaults(type, get(object, "spec", field), []).length > 0,
  );
}

/** Whether Kruise's mutating webhook panics: a container is to be named by nothing. Ours leaves it to the validating one. */
export function namesNoSource(object: JsonObject): boolean {
  const containers = ["containers", "initContainers"].flatMap((list) => itemsOf(get(object, "spec", list)));
  return containers
    .flatMap((container) => itemsOf(get(container, "transferEnv")))
    .some((item) => {
      const from = get(item, "sourceContainerNameFrom");
      return isObject(from) && (get(from, "fieldRef") ?? null) === null;
    });
}

/** What Kruise knows of an object: containers, volumes and the like without members that its types do not have. */
export function knownPart(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isObject(spec)) return object;
  const known = Object.entries(recordedFields).reduce<JsonObject>((here, [field, type]) => {
    const value = get(spec, field);
    return value === undefined ? here : set(here, field, parseJson(writeGo(type, value)));
  }, spec);
  return set(object, "spec", known);
}

/**
 * Kruise takes a volume whose source it does not know for one without a source, and makes it an empty directory: of two
 * sources. We leave it alone.
 */
export function withoutSecondSource(answer: JsonObject, input: JsonObject): JsonObject {
  const { spec } = answer;
  const before = itemsOf(get(input, "spec", "volumes"));
  const volumes = isObject(spec) ? get(spec, "volumes") : undefined;
  if (!isObject(spec) || !isArray(volumes)) return answer;
  const own = volumes.map((volume, index) =>
    isObject(volume) &&
    isObject(before[index]) &&
    Object.keys(before[index]).length > 1 &&
    !("emptyDir" in before[index])
      ? set(volume, "emptyDir", undefined)
      : volume,
  );
  return set(answer, "spec", set(spec, "volumes", own));
}

function unknownBelow(type: GoType, value: Json | undefined, path: Path): readonly Path[] {
  if (typeof type === "string" || value === undefined || value === null) return [];
  if ("list" in type) {
    return itemsOf(value).flatMap((item, index) => unknownBelow(type.list, item, [...path, index]));
  }
  if ("map" in type || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, below]) => {
    const field = type.struct.get(name);
    return field === undefined ? [[...path, name]] : unknownBelow(field.type, below, [...path, name]);
  });
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}
