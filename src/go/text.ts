// Strings as Go has them: sequences of UTF-8 bytes. Lone surrogates count as U+FFFD, which is what Go makes of them.

/** How many bytes a text has in UTF-8: Go's len. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // A pair of two units is four bytes.
    if (isPairAt(text, at)) at++;
  }
  return bytes;
}

/** How many code points a text has: utf8.RuneCountInString. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if (!isPairAt(text, at)) continue;
    count--;
    at++;
  }
  return count;
}

/** Whether a pair of surrogates begins at an index. */
function isPairAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** The order of two texts by their bytes, in which Go compares and sorts them: -1, 0 or 1. */
export function compareBytes(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rankOf(left) < rankOf(right) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Code points order as their UTF-8 does; UTF-16 puts surrogates before the last characters of the first plane. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** The UTF-8 bytes of a text: []byte(text). */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(byteLength(text));
  let at = 0;
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes[at++] = code;
    else {
      const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      bytes[at++] = ((0xff00 >> (more + 1)) & 0xff) | (code >> (6 * more));
      for (let left = more - 1; left >= 0; left--) bytes[at++] = 0x80 | ((code >> (6 * left)) & 0x3f);
    }
  }
  return bytes;
}

/** The text that bytes are in UTF-8; undefined where they are not valid UTF-8 (utf8.Valid). */
export function fromBytes(bytes: Iterable<number>): string | undefined {
  const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

const space = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** A text without the white space at its ends: strings.TrimSpace, to which U+0085 is space and U+FEFF is not. */
export function trimSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && space.test(text.charAt(start))) start++;
  while (end > start && space.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** What a backslash and a letter stand for in Go's and CEL's quoted texts. */
export const escapes: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
]);

const escaped = new Map([...escapes, ['"', '"']].map(([letter, character]) => [character, `\\${letter}`]));

/** The escape of a character within double quotes; undefined for one that needs no short escape. */
export function shortEscape(character: string): string | undefined {
  return escaped.get(character);
}

/** The first character that does not print (unicode.IsPrint), as an index; -1 where all do. */
export function unprintableAt(text: string): number {
  return text.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
}

/** A text as `%q` prints it: strconv.Quote. */
export function quote(text: string): string {
  if (/^[\w #$%&'()*+,./:;<=>?@[\]^{|}~!-]*$/.test(text)) return `"${text}"`;
  let quoted = "";
  for (const character of text.toWellFormed()) quoted += quotedCharacter(character);
  return `"${quoted}"`;
}

function quotedCharacter(character: string): string {
  const short = shortEscape(character);
  if (short !== undefined) return short;
  if (unprintableAt(character) < 0) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, "0");
}
