/** A line of text, and what it tells if that is worth a colour. */
export interface Line {
  readonly text: string;
  readonly tone?: "good" | "bad";
}

/** A line as it is printed; with colours only where they can be seen. */
export function painted({ text, tone }: Line, coloured: boolean): string {
  const plain = printable(text);
  if (!coloured || tone === undefined) return plain;
  return `\u001b[${tone === "good" ? 32 : 31}m${plain}\u001b[39m`;
}

/** A line that cannot move the cursor, hide text or turn its direction: such characters come from keys and values. */
function printable(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
