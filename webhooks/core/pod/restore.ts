import { get, type Json, type JsonObject, own } from "../../../src/json/json.ts";
import { hashKey, hashWithoutImageKey } from "./content.ts";

export function restoredFrom(revision: JsonObject, sidecarSet: JsonObject): JsonObject {
  const spec = get(revision, "data", "spec");
  const annotations = get(revision, "metadata", "annotations");
  const fields: Record<string, Json> = {};
  for (const key of ["volumes", "containers", "initContainers", "imagePullSecrets", "patchPodMetadata"])
    fields[key] = own(spec, key) ?? null;
  return {
    ...sidecarSet,
    metadata: {
      ...(own(sidecarSet, "metadata") as JsonObject),
      annotations: {
        [hashKey]: get(annotations, hashKey) ?? "",
        [hashWithoutImageKey]: get(annotations, hashWithoutImageKey) ?? "",
      },
    },
    spec: fields,
    status: { latestRevision: get(revision, "metadata", "name") ?? "" },
  };
}
