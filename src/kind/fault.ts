import path from "node:path";
import type { Position } from "../yaml/places.ts";

/** A reason why a kind cannot be served: the file, and a sentence that continues its name. */
export interface Fault {
  /** Absolute path of a file or folder. */
  readonly file: string;
  /** Where in the file; absent where the fault is about the whole file. */
  readonly place?: Position;
  readonly sentence: string;
  /** The lines of the file around the place, with a mark below the column. */
  readonly frame?: string;
}

/** A fault as `file:line:column: sentence`, the file relative to the working directory if it is inside. */
export function printFault({ file, place, sentence, frame }: Fault): string {
  const at = place === undefined ? "" : `:${place.line}:${place.column}`;
  return `${shownPath(file)}${at}: ${sentence}${frame === undefined ? "" : `\n${frame}`}`;
}

/** Faults in the order of their files and places, each once. */
export function sortFaults(faults: readonly Fault[]): readonly Fault[] {
  const unique = new Map(faults.map((fault) => [printFault(fault), fault]));
  return [...unique.values()].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A file relative to the working directory, if it is inside. */
export function shownPath(file: string): string {
  const relative = path.relative("", file);
  return relative.startsWith("..") ? file : relative || ".";
}
