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
}
