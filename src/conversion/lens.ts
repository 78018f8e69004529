import type { JsonObject } from "../json/json.ts";

/**
 * How a version meets its next newer neighbour: two plain functions over whole objects. Neither throws, neither
 * changes its argument, neither invents: what one side cannot say is absent from the other.
 */
export interface Lens {
  /** Toward the newer version. */
  readonly up: (older: JsonObject) => JsonObject;
  /** Toward the older version. */
  readonly down: (newer: JsonObject) => JsonObject;
  /**
   * Newer fields that share one older word with others, as dotted names that lead through lists:
   * `spec.lights.brightness`. They are remembered also where they would come back by themselves, so that nothing
   * that somebody owns is lost when server-side apply takes another part of that word away.
   */
  readonly shared?: readonly string[];
  /**
   * Older words that are spread over several newer fields, such as one brightness for all lights. They are remembered
   * also where they would come back by themselves, so that server-side apply still finds the word where some of those
   * fields belong to nobody and it looks at the object without them.
   */
  readonly spread?: readonly string[];
  /** Where a field of the older version stands in the newer one, for fields named in `shared` by older lenses. */
  readonly follow?: (field: string) => readonly string[];
  /**
   * The older object without words that the newer one contradicts. A word that comes back where nothing is shown in its
   * place, then and now, has no guard of its own: a namespace that is shown as a selector must not be said again where
   * other namespaces are selected by now.
   */
  readonly settle?: (older: JsonObject, newer: JsonObject) => JsonObject;
  /**
   * Labels that stand for a field in one of the versions: the lens finds and leaves those that are there, as texts,
   * below `metadata.labels`. It sees nothing else of metadata.
   */
  readonly labels?: readonly string[];
}
