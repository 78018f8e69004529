/** How a line of a text ends. */
export type LineEnd = "\n" | "\r\n";

/** A text with LF line ends, and where its lines and ends are in the original. */
interface PlainLines {
  readonly text: string;
  /** The offset in the original of an offset in the text with LF line ends. */
  readonly originalOffset: (offset: number) => number;
}

/** A text with LF line ends. */
export function plainLines(original: string): PlainLines {
  // The offsets in the plain text before which a carriage return was taken out.
  const taken: number[] = [];
  for (let at = original.indexOf("\r\n"); at >= 0; at = original.indexOf("\r\n", at + 2)) {
    taken.push(at - taken.length);
  }
  const text = taken.length === 0 ? original : original.replaceAll("\r\n", "\n");
  return { text, originalOffset: (offset) => offset + countBelow(taken, offset) };
}

/** How many of some ascending numbers are below a number. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** How the line at an offset of a text ends; the last line, without an end of its own, as the line before it would. */
export function lineEndAt(text: string, offset: number): LineEnd {
  const next = text.indexOf("\n", offset);
  const at = next < 0 ? text.lastIndexOf("\n") : next;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** A text with LF line ends, with other ones. */
export function withLineEnds(text: string, end: LineEnd): string {
  return end === "\n" ? text : text.replaceAll("\n", end);
}
