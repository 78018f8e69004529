import type { JsonObject } from "./json/json.ts";

/** A read-only view of cluster objects of one kind, in its hub version: a cache in a cluster, files offline. */
export interface Lister {
  /**
   * All objects of a namespace; of a cluster-scoped kind all there are, with an empty namespace.
   * Throws NotKnownYet where not all of them were seen yet, as `get` does.
   */
  readonly list: (namespace: string) => readonly JsonObject[];
  /** The object of a name, in a namespace that is empty for a cluster-scoped kind; undefined where there is none. */
  readonly get: (namespace: string, name: string) => JsonObject | undefined;
  /**
   * Tells of every object that comes, changes or goes, beginning with those that are there: what is costly to prepare
   * is prepared then, not when a review comes. Nothing is told of what was never seen whole.
   */
  readonly onChange: (listener: (change: ObjectChange) => void) => void;
}

/** An object that came (no `before`), changed, or went (no `after`). Objects are never changed in place. */
export interface ObjectChange {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** What a kind asks to be listed for its functions. */
export interface ListerNeed {
  readonly group: string;
  readonly kind: string;
  /** The one namespace to list, of a kind that has them; all without it. */
  readonly namespace?: string;
  /** The one object to list; all without it. */
  readonly name?: string;
  /** Whether apiVersion, kind and metadata are enough: what is not needed is then not held. */
  readonly metadataOnly?: boolean;
}

/** Names the kind that a lister must hold, and how much of it. */
export function lister(
  group: string,
  kind: string,
  more: Pick<ListerNeed, "namespace" | "name" | "metadataOnly"> = {},
): ListerNeed {
  return { group, kind, ...more };
}

/** Thrown where an answer depends on objects that were not seen yet: the API server is told to ask again (503). */
export class NotKnownYet extends Error {
  override readonly name = "NotKnownYet";
}
