import { labelValueFaults } from "../apimachinery/names.ts";
import type { Json } from "../json/json.ts";
import type { FieldPath } from "./field-types.ts";

/** The names of labels and annotations that are fields in one of the versions. */
export interface MappedMetadata {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/**
 * Whether a lens may map a value as a label or annotation: a string. For an invalid label the API server would reject the
 * whole response.
 */
export function isMappable(value: Json | undefined, sort: keyof MappedMetadata): value is string {
  return typeof value === "string" && (sort === "annotations" || labelValueFaults(value).length === 0);
}

/** The place of a label of the object in a row: `move(label("example.org/team"), "spec.team")`. Its value is a string. */
export function label(name: string): readonly string[] {
  return ["metadata", "labels", name];
}

/** The place of an annotation of the object in a row, likewise. */
export function annotation(name: string): readonly string[] {
  return ["metadata", "annotations", name];
}

/** Whether a path is that of a label or an annotation; undefined for any other. */
export function markOf(path: FieldPath): keyof MappedMetadata | undefined {
  if (typeof path === "string" || path.length !== 3 || path[0] !== "metadata") return undefined;
  return path[1] === "labels" || path[1] === "annotations" ? path[1] : undefined;
}

/** The names of the labels or annotations among paths. */
export function namesOfMarks(sort: keyof MappedMetadata, paths: readonly FieldPath[]): readonly string[] {
  return paths.flatMap((path) => (markOf(path) === sort ? path.slice(2) : []));
}
