import { type Path, tokenOf } from "../json/path.ts";

/**
 * Where a value stands, as a linked list from the value up to the root. Going one level deeper takes constant time and
 * memory; a path is made only where one is needed: a hundred thousand pointers below a key of a megabyte fit into memory,
 * their paths do not.
 */
export interface Pointer {
  readonly parent: Pointer | undefined;
  readonly step: string | number;
  readonly depth: number;
  /** About how many characters it has as text. */
  readonly length: number;
}

/** The pointer to the whole value. */
export const root: Pointer = { parent: undefined, step: "", depth: 0, length: 0 };

/** The pointer one step below. */
export function below(pointer: Pointer, step: string | number): Pointer {
  const length = pointer.length + 1 + String(step).length;
  return { parent: pointer, step, depth: pointer.depth + 1, length };
}

/** A pointer as a path from the root. */
export function pathOf(pointer: Pointer): Path {
  const path: (string | number)[] = [];
  for (let here = pointer; here.parent !== undefined; here = here.parent) path.push(here.step);
  return path.reverse();
}

/** A pointer as text (RFC 6901): `/metadata/annotations/a~1b`. */
export function writePointer(pointer: Pointer): string {
  let text = "";
  for (let here = pointer; here.parent !== undefined; here = here.parent)
    text = `/${tokenOf(here.step)}${text}`;
  return text;
}
