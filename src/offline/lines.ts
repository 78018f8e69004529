/** A line of text, with a tone if it is to be coloured. */
export interface Line {
  readonly text: string;
  readonly tone?: "good" | "bad";
  /** A line to copy, such as one of YAML or a command, is not wrapped. */
  readonly isVerbatim?: true;
}

/** How lines are printed. */
export interface Style {
  readonly coloured: boolean;
  /** The columns of the terminal; absent where the output is not one, and lines stay as they are. */
  readonly width?: number | undefined;
}

/** Lines as they are printed, wrapped at the width of the terminal. */
export function printed(lines: readonly Line[], { coloured, width }: Style): string {
  return lines
    .map((line) => ({ ...line, text: printable(line.text) }))
    .flatMap((line) => (width === undefined ? [line] : wrapped(line, width)))
    .map((line) => painted(line, coloured))
    .join("\n");
}

/** The narrowest terminal at which lines are wrapped. */
const narrowest = 40;

/** A line as several that fit, broken between words. The rest stands below the last column of the line. */
function wrapped(line: Line, width: number): readonly Line[] {
  const { text } = line;
  if (line.isVerbatim || width < narrowest || text.length <= width) return [line];
  const indent = " ".repeat(columnOf(text, width));
  const made: Line[] = [];
  let here = text;
  while (here.length > width) {
    const least = made.length === 0 ? indent.length : indent.length + 1;
    const space = here.lastIndexOf(" ", width);
    // A word that fits nowhere stays whole.
    const at = space > least ? space : here.indexOf(" ", Math.max(least, width));
    if (at < 0) break;
    made.push({ ...line, text: here.slice(0, at).trimEnd() });
    here = `${indent}${here.slice(at).trimStart()}`;
  }
  return [...made, { ...line, text: here }];
}

/** Where the last column of a line of a table begins; without one, two more than its indent. */
function columnOf(text: string, width: number): number {
  const indent = text.length - text.trimStart().length;
  const gaps = [...text.matchAll(/(?<=\S) {2,}/g)].map(({ 0: gap, index }) => index + gap.length);
  return gaps.findLast((column) => column <= width / 2) ?? Math.min(indent + 2, Math.floor(width / 2));
}

/** A line as it is printed, in colour only if `coloured`. */
export function painted({ text, tone }: Line, coloured: boolean): string {
  const plain = printable(text);
  if (!coloured || tone === undefined) return plain;
  return `\u001b[${tone === "good" ? 32 : 31}m${plain}\u001b[39m`;
}

/** Escapes characters that could move the cursor, hide text or change its direction: keys and values may hold them. */
function printable(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
