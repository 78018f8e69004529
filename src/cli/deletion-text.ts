import type { DeletedPlace } from "../checks/index.ts";
import type { Deleted } from "../cluster/lifecycle/deletions.ts";
import { counted } from "../words.ts";

/** What a rewrite deletes, a line for each field with the names of some objects. `how` says what deletes it. */
export function deletedLines(crd: string, how: string, deleted: readonly Deleted[]): readonly string[] {
  return deleted.flatMap(({ stored, objects, places }) => [
    `${crd}: ${how} deletes values of ${counted(objects, "object")} stored as ${stored}:`,
    ...placeLines(places).map((line) => `  ${line}`),
  ]);
}

/** `spec.old  of 3 objects: default/a, default/b, default/c`. */
export function placeLines(places: readonly DeletedPlace[]): readonly string[] {
  return places.map(({ place, objects, names }) => {
    const more = objects > names.length ? ", …" : "";
    return `${place}  of ${counted(objects, "object")}: ${names.join(", ")}${more}`;
  });
}

/** Why nothing is known of the objects that are stored as a version, and what would do. */
export function unseenSentence(version: string): string {
  return `objects may be stored as ${version}, whose fields differ and which is not served, so that what they would lose cannot be seen; set served: true for ${version} while you count`;
}
