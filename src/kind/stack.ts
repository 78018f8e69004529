import { fileURLToPath } from "node:url";
import type { Position } from "../yaml/places.ts";

/** A place in a source file. */
export interface SourcePlace {
  /** Absolute path. */
  readonly file: string;
  readonly place: Position;
}

const engine = fileURLToPath(new URL("../", import.meta.url));

/** The frames of a stack that are in an author's own files: neither in the engine nor in another package nor in Node.js. */
export function authorFrames(stack: string): readonly SourcePlace[] {
  return stack
    .split("\n")
    .flatMap((line) => placeOfFrame(line) ?? [])
    .filter(({ file }) => !file.startsWith(engine) && !/[\\/]node_modules[\\/]/.test(file));
}

function placeOfFrame(frame: string): SourcePlace | undefined {
  const [, where = "", line, column] =
    /^\s*at (?:async |.*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*):(\d+):(\d+)\)?$/.exec(frame) ?? [];
  if (where === "") return undefined;
  return { file: fileOf(where), place: { line: Number(line), column: Number(column) } };
}

/**
 * The place that Node.js writes above the message of a syntax error: `file:///kind.ts:4`, the line itself, and a mark below
 * its column. `stdin` is the file that was checked as standard input.
 */
export function placeAbove(stack: string, stdin?: string): SourcePlace | undefined {
  const [head = ""] = stack.split("\n");
  const [, where = "", line] = /^(\[stdin\]|(?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+)$/.exec(head) ?? [];
  const file = where === "[stdin]" ? stdin : where && fileOf(where);
  if (file === undefined || file === "") return undefined;
  const mark = stack.split("\n").find((each) => /^\s*\^+\s*$/.test(each));
  return { file, place: { line: Number(line), column: (mark?.indexOf("^") ?? 0) + 1 } };
}

/** A query, as watchers add it, does not belong to the path. */
function fileOf(where: string): string {
  return where.startsWith("file://") ? fileURLToPath(new URL(where.replace(/[?#].*$/, ""))) : where;
}
