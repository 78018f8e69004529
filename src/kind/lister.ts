import type { JsonObject } from "../json/json.ts";

/** A read-only view of cluster objects of one kind, in its hub version: a cache in a cluster, files offline. */
export interface Lister {
  /**
   * All objects of a namespace; of a cluster-scoped kind all objects, with an empty namespace.
   * @throws {NotSynced} until the first list is complete, as `get` does
   */
  readonly list: (namespace: string) => readonly JsonObject[];
  /** The object of a name, in a namespace that is empty for a cluster-scoped kind; undefined if there is none. */
  readonly get: (namespace: string, name: string) => JsonObject | undefined;
  /**
   * Calls the listener for every object that is added, changed or removed, beginning with the existing ones, so that costly
   * preparation does not delay a review. It is not called before the first list is complete.
   */
  readonly onChange: (listener: (change: ObjectChange) => void) => void;
}

/** An object that was added (no `before`), changed, or removed (no `after`). Objects are never changed in place. */
export interface ObjectChange {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** The objects that a kind needs for its functions. */
export interface ListerNeed {
  readonly group: string;
  readonly kind: string;
  /** The only namespace to list, for a namespaced kind; all namespaces without it. */
  readonly namespace?: string;
  /** The only object to list; all objects without it. */
  readonly name?: string;
  /** Whether apiVersion, kind and metadata are enough; the rest is then not kept in memory. */
  readonly metadataOnly?: boolean;
  /** Whether an API server may lack the kind: there are no objects then, instead of reviews that wait for them. */
  readonly optional?: boolean;
  /** Whether there are no objects unless this service serves the kind: where another one does, they are none of ours. */
  readonly ifServed?: boolean;
}

/** Declares a lister: the kind, and which of its objects. */
export function lister(
  group: string,
  kind: string,
  more: Pick<ListerNeed, "namespace" | "name" | "metadataOnly" | "optional" | "ifServed"> = {},
): ListerNeed {
  return { group, kind, ...more };
}

/** A lister of no objects. */
export const noObjects: Lister = { list: () => [], get: () => undefined, onChange: () => {} };

/** Thrown while objects are not listed yet; the service responds with 503, and the API server retries. */
export class NotSynced extends Error {
  override readonly name = "NotSynced";
}
