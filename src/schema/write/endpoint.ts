import { type JsonObject, objectAt, own, set, textAt } from "../../json/json.ts";

/** What an endpoint knows of its kind: whether status has one of its own, and whether objects live in namespaces. */
interface Endpoint {
  readonly hasStatus: boolean;
  readonly scope: "Namespaced" | "Cluster";
}

/** A new object without what a client may not set: status where that has an endpoint, and what the server sets. */
export function prepareCreate(object: JsonObject, { hasStatus, scope }: Endpoint): JsonObject {
  return withMetadata(hasStatus ? set(object, "status", undefined) : object, (metadata) => {
    const cleared = given.reduce((result, key) => set(result, key, undefined), inScope(metadata, scope));
    const prefix = textAt(cleared, "generateName");
    // The server appends five random characters.
    const isNamed = prefix === "" || textAt(cleared, "name") !== "";
    return isNamed ? cleared : set(cleared, "name", `${prefix.slice(0, 58)}xxxxx`);
  });
}

/** An updated object with the old status where that has an endpoint, and the old values of what the server sets. */
export function prepareUpdate(
  object: JsonObject,
  old: JsonObject,
  { hasStatus, scope }: Endpoint,
): JsonObject {
  const whole = hasStatus ? set(object, "status", own(old, "status")) : object;
  const before = own(old, "metadata");
  return withMetadata(whole, (metadata) => {
    let kept = inScope(metadata, scope);
    for (const key of ["generation", "managedFields"]) kept = set(kept, key, own(before, key));
    for (const key of ["creationTimestamp", "deletionTimestamp"])
      kept = set(kept, key, own(before, key) ?? own(kept, key));
    for (const key of ["uid", "deletionGracePeriodSeconds"])
      kept = set(kept, key, own(kept, key) ?? own(before, key));
    return kept;
  });
}

/** An object whose status was written: nothing else of the write is taken. */
export function prepareStatus(object: JsonObject, old: JsonObject): JsonObject {
  return set(old, "status", own(object, "status"));
}

/** What the server sets in a new object. */
const given = [
  "uid",
  "selfLink",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "generation",
  "managedFields",
] as const;

/** A namespace on a cluster-scoped object is ignored. */
function inScope(metadata: JsonObject, scope: Endpoint["scope"]): JsonObject {
  return scope === "Cluster" ? set(metadata, "namespace", undefined) : metadata;
}

function withMetadata(object: JsonObject, change: (metadata: JsonObject) => JsonObject): JsonObject {
  return set(object, "metadata", change(objectAt(object, "metadata")));
}
