/** A line of text, with a tone if it is to be coloured. */
export interface Line {
  readonly text: string;
  readonly tone?: "good" | "bad";
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
