import { carrierField, carrierPrefix } from "../conversion/carriers.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { define, get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";

/**
 * An object without what is reserved for the engine: the annotations with its prefix and its field of status. A
 * container that this emptied becomes what the model has there, if that is as empty: nothing, null or `{}`.
 * Written apart from the engine's own reading of carriers, to judge it.
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
 * What of an object a lens sees: no identity, of metadata only labels that it maps, nothing of the engine's. A status
 * that is empty or null is left out, since one beside a carrier cannot be told from none.
 */
export function contentOf(object: JsonObject, labels: readonly string[] = []): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...content } = bareOf(object);
  const mapped = labels.flatMap((name) => {
    const value = get(metadata, "labels", name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const seen = mapped.length > 0 ? { ...content, metadata: { labels: Object.fromEntries(mapped) } } : content;
  return emptyOf(content.status) === undefined ? seen : set(seen, "status", undefined);
}

/** An object as it arrives over the wire: read from text, the keys sorted as the API server does (kubernetes.md 8d). */
export function wired(object: JsonObject): JsonObject {
  return sortedKeys(parseJson(writeJson(object))) as JsonObject;
}

/** A value with the keys of its objects sorted. */
export function sortedKeys(value: Json): Json {
  if (isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) define(result, key, sortedKeys(value[key] as Json));
  return result;
}

function emptyOf(container: Json | undefined): Json | undefined {
  if (container === null) return null;
  return isObject(container) && Object.keys(container).length === 0 ? container : undefined;
}
