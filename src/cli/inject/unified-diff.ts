import { relative } from "node:path";
import { structuredPatch } from "diff";
import { painted } from "../../offline/lines.ts";

/** The change of a file, as `patch -p1` and `git apply` read it; empty if there is none. */
export function unifiedDiff(name: string, before: string, after: string, coloured: boolean): string {
  if (before === after) return "";
  const file = fromHere(name).replace(/^(?:\.?\/)+/, "");
  const limits = { context: 3, maxEditLength: mostChanges };
  const isSearched = loneLines(before, after) <= mostChanges;
  const patch = isSearched ? structuredPatch(file, file, before, after, "", "", limits) : undefined;
  const hunks = patch?.hunks ?? [wholeHunk(before, after)];
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: body }) => [
    `@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`,
    ...body,
  ]);
  return [`--- a/${file}`, `+++ b/${file}`, ...lines].map((line) => `${shown(line, coloured)}\n`).join("");
}

/** `patch -p1` looks for files below the working directory: those are named by their path from there. */
function fromHere(name: string): string {
  const path = relative("", name);
  return path.startsWith("..") ? name : path;
}

/** Beyond this many changed lines the search for common ones takes seconds; then the whole text is replaced. */
const mostChanges = 5_000;

/** How many lines of two texts have no equal one in the other, wherever it stands: at least as many change. */
function loneLines(before: string, after: string): number {
  const more = new Map<string, number>();
  for (const [text, step] of [
    [before, 1],
    [after, -1],
  ] as const)
    for (const line of text.match(/[^\n]*\n|[^\n]+/g) ?? []) more.set(line, (more.get(line) ?? 0) + step);
  return more.values().reduce((sum, count) => sum + Math.abs(count), 0);
}

function wholeHunk(before: string, after: string) {
  const [old, young] = [before, after].map((text) => text.replace(/\n$/, "").split("\n"));
  const marked = (mark: string, lines: readonly string[] = [], text: string) => [
    ...lines.map((line) => mark + line),
    ...(text.endsWith("\n") ? [] : ["\\ No newline at end of file"]),
  ];
  return {
    oldStart: 1,
    oldLines: old?.length ?? 0,
    newStart: 1,
    newLines: young?.length ?? 0,
    lines: [...marked("-", old, before), ...marked("+", young, after)],
  };
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
