import { isObject, type JsonObject, set } from "../json/json.ts";

/** What only the API server sets: an object with it cannot be created. */
const given = ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink"];

/** An object that was read from a cluster, as a client would create it again. */
export function asCreated(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  return set(
    object,
    "metadata",
    given.reduce((rest, key) => set(rest, key, undefined), metadata),
  );
}
