/** How deep lists and objects may be nested; an API server's own decoder stops there too (Go `encoding/json`). */
export const deepest = 10_000;

/**
 * How many lists and objects one text may hold. `[],` takes 3 bytes on the wire and 75 in memory: 128 MiB of it would
 * take the process down, where a review of 10,000 objects of 10 kB has about two million.
 */
export const most = 4 * 1024 * 1024;

/**
 * Why a JSON text is not to be parsed, seen from its brackets alone; undefined where nothing stands against it. The
 * parser itself takes gigabytes for a hundred MiB of `[`. About a nanosecond a byte.
 */
export function faultOfBrackets(bytes: Uint8Array): string | undefined {
  // Too short to open and close so many.
  if (bytes.length < 2 * deepest) return undefined;
  let depth = 0;
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openList || byte === openObject) {
      depth++;
      count++;
      if (depth > deepest) return `lists and objects are nested more than ${deepest} deep`;
      if (count > most) return `there are more than ${most} lists and objects`;
    } else if (byte === closeList || byte === closeObject) depth--;
  }
  return undefined;
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Where the string that begins at an index has its closing quote; the end of the text where it has none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
