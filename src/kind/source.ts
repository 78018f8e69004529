import type { Position } from "../yaml/places.ts";

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
  const sorted = offsetsOfLiteral(source, value).map((at) => placeAt(source, at));
  const after = sorted.filter(({ line }) => line >= fromLine);
  return after[nth] ?? after.at(-1) ?? sorted[0];
}

/**
 * Where a string literal stands in a source, like `literalIn`; of several the one that another literal follows most closely, as
 * the path of the newer version follows that of the older one in a row.
 */
export function literalBefore(
  source: string,
  value: string,
  next: string,
  fromLine = 1,
): Position | undefined {
  const all = offsetsOfLiteral(source, value);
  const after = all.filter((at) => placeAt(source, at).line >= fromLine);
  const others = offsetsOfLiteral(source, next);
  const distance = (at: number) => (others.find((other) => other > at) ?? Number.MAX_SAFE_INTEGER) - at;
  const [found] = (after.length > 0 ? after : all).toSorted((a, b) => distance(a) - distance(b));
  return found === undefined ? undefined : placeAt(source, found);
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

/** The offsets of a string literal, in order. */
function offsetsOfLiteral(source: string, value: string): readonly number[] {
  const found = ['"', "'", "`"].flatMap((quote) => offsetsOf(source, quote + value + quote));
  return found.sort((a, b) => a - b);
}

function offsetsOf(source: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) offsets.push(at);
  return offsets;
}

/** The place of an offset of a text. */
function placeAt(source: string, offset: number): Position {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
