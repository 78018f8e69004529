import { carrierField, carrierPrefix } from "../conversion/carriers.ts";
import { get, isObject, type JsonObject, objectAt, set } from "../json/json.ts";

/** An object with the carriers that its client read, and did not touch. */
export function withCarriersOf(object: JsonObject, before: JsonObject): JsonObject {
  const annotations = get(before, "metadata", "annotations");
  const carriers = isObject(annotations)
    ? Object.entries(annotations).filter(([key]) => key.startsWith(carrierPrefix))
    : [];
  const inStatus = get(before, "status", carrierField);
  const metadata = objectAt(object.metadata);
  const annotated =
    carriers.length === 0
      ? object
      : set(
          object,
          "metadata",
          set(metadata, "annotations", {
            ...objectAt(metadata.annotations),
            ...Object.fromEntries(carriers),
          }),
        );
  if (inStatus === undefined) return annotated;
  return set(annotated, "status", set(objectAt(object.status), carrierField, inStatus));
}
