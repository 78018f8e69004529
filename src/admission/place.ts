import { type Path, tokenOf } from "../json/path.ts";

/**
 * Where a walk is. It costs one step to go on from, however long the way was, and is written out as a path only
 * where a path is needed: a hundred thousand places under a key of a megabyte fit into memory, their paths do not.
 */
export interface Place {
  readonly above: Place | undefined;
  readonly step: string | number;
  readonly depth: number;
  /** About how long its JSON pointer is. */
  readonly length: number;
}

/** Where every walk begins. */
export const root: Place = { above: undefined, step: "", depth: 0, length: 0 };

/** The place one step below. */
export function below(place: Place, step: string | number): Place {
  const length = place.length + 1 + String(step).length;
  return { above: place, step, depth: place.depth + 1, length };
}

/** The path to a place, from the root. */
export function pathOf(place: Place): Path {
  const path: (string | number)[] = [];
  for (let here = place; here.above !== undefined; here = here.above) path.push(here.step);
  return path.reverse();
}

/** A place as a JSON pointer (RFC 6901): `/metadata/annotations/a~1b`. */
export function pointerTo(place: Place): string {
  let pointer = "";
  for (let here = place; here.above !== undefined; here = here.above) {
    pointer = `/${tokenOf(here.step)}${pointer}`;
  }
  return pointer;
}
