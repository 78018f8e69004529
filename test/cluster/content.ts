import { equal } from "../../src/json/equal.ts";
import { writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { fieldOf, type Path } from "../../src/json/path.ts";

// Does not use the engine on purpose: what checks it must not share its bugs.

/** Whether a key of annotations is a carrier of the conversion. */
export function isCarrier(key: string): boolean {
  return key.startsWith("antechamber.dev/conversion-data");
}

/** The object without our carriers: as a client of the version means it. */
export function withoutCarriers(object: JsonObject): JsonObject {
  const { status } = object;
  const bare = set(object, "metadata", withoutAnnotations(get(object, "metadata"), isCarrier) ?? {});
  const field = get(status, "conversionData");
  if (!isObject(status) || field === undefined) return bare;
  const rest = set(status, "conversionData", undefined);
  return set(bare, "status", Object.keys(rest).length > 0 ? rest : get(field, "was"));
}

/** What people wrote into an object: labels, their own annotations, and everything beside metadata. */
export function contentOf(object: JsonObject): JsonObject {
  const { metadata, apiVersion: _, kind: __, ...content } = withoutCarriers(object);
  const isTool = (key: string) => key === "kubectl.kubernetes.io/last-applied-configuration";
  const annotations = get(withoutAnnotations(metadata, isTool), "annotations");
  const labels = get(metadata, "labels");
  return {
    ...content,
    ...(isObject(labels) ? { labels } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
  };
}

/** One line for each field in which two values differ; lists are compared by place. */
export function differences(expected: Json | undefined, actual: Json | undefined, at: Path = []): string[] {
  if (equal(expected, actual)) return [];
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => differences(get(expected, key), get(actual, key), [...at, key]));
  }
  if (isArray(expected) && isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => differences(item, actual[index], [...at, index]));
  }
  const field = fieldOf(at);
  if (actual === undefined) return [`${field} is lost`];
  if (expected === undefined) return [`${field} appears: ${writeJson(actual)}`];
  return [`${field} is ${writeJson(actual)} instead of ${writeJson(expected)}`];
}

/** The value with one field set, or taken out where the new value is undefined; parents are made. */
export function withField(value: JsonObject, path: readonly string[], field: Json | undefined): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (rest.length === 0) return set(value, key, field);
  const inner = get(value, key);
  return set(value, key, withField(isObject(inner) ? inner : {}, rest, field));
}

function withoutAnnotations(
  metadata: Json | undefined,
  dropped: (key: string) => boolean,
): JsonObject | undefined {
  if (!isObject(metadata)) return undefined;
  const { annotations } = metadata;
  if (!isObject(annotations)) return metadata;
  const kept = Object.entries(annotations).filter(([key]) => !dropped(key));
  if (kept.length === Object.keys(annotations).length) return metadata;
  return set(metadata, "annotations", kept.length > 0 ? Object.fromEntries(kept) : undefined);
}
