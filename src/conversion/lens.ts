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
   * Newer fields that share one older field with others, as dotted names that lead through lists:
   * `spec.lights.brightness`. They are stored even where they would come back by themselves, so that they survive when
   * server-side apply removes the older field because the manager of another newer field gave that up.
   */
  readonly shared?: readonly string[];
  /**
   * Older fields that are spread over several newer ones, such as one brightness for all lights. They are stored even
   * where they would come back by themselves, so that server-side apply still finds the older field when it converts the
   * object without those newer fields that no manager owns.
   */
  readonly spread?: readonly string[];
  /** Where a field of the older version stands in the newer one, for fields named in `shared` by older lenses. */
  readonly follow?: (field: string) => readonly string[];
  /**
   * The older object without fields that the newer one contradicts. A field that is restored where the lens shows nothing,
   * then and now, has no shown value to compare: a namespace that the newer version says as a selector must not come back
   * when the selector selects other namespaces by now.
   */
  readonly settle?: (older: JsonObject, newer: JsonObject) => JsonObject;
  /**
   * Names of labels that are a field in one of the versions. The lens reads and writes them as strings below
   * `metadata.labels`; it sees nothing else of metadata.
   */
  readonly labels?: readonly string[];
}
