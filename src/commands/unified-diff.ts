import { structuredPatch } from "diff";
import { painted } from "./lines.ts";

/** The change of a file, as `patch -p1` and `git apply` read it; empty if there is none. */
export function unifiedDiff(name: string, before: string, after: string, coloured: boolean): string {
  if (before === after) return "";
  const file = name.replace(/^(?:\.?\/)+/, "");
  const { hunks } = structuredPatch(file, file, before, after, "", "", { context: 3 });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: body }) => [
    `@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`,
    ...body,
  ]);
  return [`--- a/${file}`, `+++ b/${file}`, ...lines].map((line) => `${shown(line, coloured)}\n`).join("");
}

function rangeOf(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${start},${lines}`;
}

/** A line in colour, with nothing that could change the terminal; without colours as it is, since it will be applied. */
function shown(line: string, coloured: boolean): string {
  if (!coloured) return line;
  const tone = line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : undefined;
  return painted(tone === undefined ? { text: line } : { text: line, tone }, coloured);
}
