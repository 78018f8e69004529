import type { Position } from "../json/yaml-places.ts";

/** The lines around a place of a text, numbered, with a mark below the column. */
export function frameOf(text: string, { line, column }: Position): string {
  const lines = text.split("\n");
  const first = Math.max(1, line - 2);
  const last = Math.min(lines.length, line + 1);
  const width = String(last).length;
  const numbered = (number: number) =>
    `  ${String(number).padStart(width)} | ${short(lines[number - 1] ?? "")}`.trimEnd();
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .flatMap((number) =>
      number === line
        ? [numbered(number), `  ${" ".repeat(width)} | ${" ".repeat(column - 1)}^`]
        : [numbered(number)],
    )
    .join("\n");
}

// A minified line would fill the screen.
function short(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Where a string literal of this value stands in a source, at or after a line; else before it; undefined if nowhere. */
export function literalIn(source: string, value: string, fromLine = 1, nth = 0): Position | undefined {
  const places = ['"', "'", "`"].flatMap((quote) => placesOf(source, quote + value + quote));
  const sorted = places.sort((a, b) => a.line - b.line || a.column - b.column);
  const after = sorted.filter(({ line }) => line >= fromLine);
  return after[nth] ?? after.at(-1) ?? sorted[0];
}

/** Where the definition in a source sets a property; the definition itself if it does not. */
export function propertyIn(source: string, key: string): Position | undefined {
  const start = Math.max(0, source.search(/\bdefine(?:Native)?Kind\s*(?:<[^(]*>)?\(|\bexport\s+default\b/));
  if (key === "") return source === "" ? undefined : placeAt(source, start);
  const pattern = new RegExp(`(?<=[{,\\s]["']?)${escapeRegExp(key)}(?=["']?\\s*[:,}(])`, "g");
  pattern.lastIndex = start;
  const found = pattern.exec(source);
  return source === "" ? undefined : placeAt(source, found?.index ?? start);
}

function placesOf(source: string, text: string): Position[] {
  const places: Position[] = [];
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) {
    places.push(placeAt(source, at));
  }
  return places;
}

/** The place of an offset of a text. */
export function placeAt(source: string, offset: number): Position {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
