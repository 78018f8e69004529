import { carrierField, carrierPrefix } from "../conversion/carriers.ts";
import type { MappedMetadata } from "../conversion/marks.ts";
import { mapFields, mapItems } from "../json/copy.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { define, get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";

/**
 * An object without the engine's reserved annotations and its reserved status field. A container that this empties becomes
 * what the model has there, if that is empty too: absent, null or `{}`. It does not use the engine's own code for carriers,
 * since the laws test that code.
 */
export function bareOf(object: JsonObject, model: JsonObject = {}): JsonObject {
  const { metadata, status } = object;
  const annotations = get(metadata, "annotations");
  let bare = object;
  if (isObject(metadata) && isObject(annotations)) {
    const rest = Object.entries(annotations).filter(([key]) => !key.startsWith(carrierPrefix));
    const kept = rest.length > 0 ? Object.fromEntries(rest) : emptyOf(get(model, "metadata", "annotations"));
    if (rest.length < Object.keys(annotations).length)
      bare = set(bare, "metadata", set(metadata, "annotations", kept));
  }
  if (isObject(status) && Object.hasOwn(status, carrierField)) {
    const rest = set(status, carrierField, undefined);
    bare = set(bare, "status", Object.keys(rest).length > 0 ? rest : emptyOf(model.status));
  }
  return bare;
}

/**
 * The part of an object that a lens sees: no identity, only the mapped labels and annotations of metadata, nothing reserved.
 * An empty or null status is left out, since beside a carrier it cannot be distinguished from an absent one.
 */
export function contentOf(object: JsonObject, mapped: Partial<MappedMetadata> = {}): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...content } = bareOf(object);
  const marks = (["labels", "annotations"] as const).flatMap((sort) => {
    const entries = (mapped[sort] ?? []).flatMap((name) => {
      const value = get(metadata, sort, name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return entries.length === 0 ? [] : [[sort, Object.fromEntries(entries)] as const];
  });
  const seen = marks.length > 0 ? { ...content, metadata: Object.fromEntries(marks) } : content;
  return emptyOf(content.status) === undefined ? seen : set(seen, "status", undefined);
}

/**
 * An object as it arrives over the wire: parsed from text, with sorted keys, since an API server encodes it from a Go
 * map.
 */
export function wired(object: JsonObject): JsonObject {
  return sortedKeys(parseJson(writeJson(object))) as JsonObject;
}

/** A value with the keys of its objects sorted: the very same value if they are. */
export function sortedKeys(value: Json): Json {
  if (isArray(value)) return mapItems(value, sortedKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key))
    return mapFields(value, sortedKeys);
  const result: Record<string, Json> = {};
  for (const key of keys.sort()) define(result, key, sortedKeys(value[key] as Json));
  return result;
}

function emptyOf(container: Json | undefined): Json | undefined {
  if (container === null) return null;
  return isObject(container) && Object.keys(container).length === 0 ? container : undefined;
}

/**
 * An object as it is after the first write at a spoke: one that was created at the hub from an export has the annotation
 * alone, since the API server drops status, and then gets the carrier in status too.
 */
export function completed(object: JsonObject, after: JsonObject): JsonObject {
  const annotations = get(object, "metadata", "annotations");
  const isAnnotated =
    isObject(annotations) && Object.keys(annotations).some((key) => key.startsWith(carrierPrefix));
  const field = get(after, "status", carrierField);
  if (!isAnnotated || field === undefined || get(object, "status", carrierField) !== undefined) return object;
  return set(object, "status", set(isObject(object.status) ? object.status : {}, carrierField, field));
}
