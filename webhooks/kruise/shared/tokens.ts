/** A word of a resource expression; `end` is where reading stopped, in bytes. */
export interface Token {
  /** `0` a number, `q` a quantity, `i` a name, `$` the end; else the character itself. */
  readonly kind: string;
  readonly text: string;
  readonly end: number;
}

/**
 * Reads the next word of an expression, as OpenKruise's lexer does: byte by byte, each taken for a character of
 * Latin-1 (`toBytes`), so that places in sentences count bytes (sidecarset.md 2.8).
 */
export function tokenAt(bytes: string, from: number): Token {
  const start = endOf(space, bytes, from) ?? from;
  const first = bytes[start];
  if (first === undefined) return { kind: "$", text: "", end: start };
  // A zero byte ends the expression, after it was read.
  if (first === "\0") return { kind: "$", text: "", end: start + 1 };
  if (first === "." || isDigit(first)) return numberAt(bytes, start);
  const end = endOf(name, bytes, start);
  if (end !== undefined) return { kind: "i", text: toText(bytes.slice(start, end)), end };
  return { kind: first, text: first, end: start + 1 };
}

/** A text as its UTF-8 bytes, a character each. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Where reading stopped, as OpenKruise prints it: `line 1, col 4`. */
export function placeOf(bytes: string, end: number): string {
  const before = bytes.slice(0, end);
  return `line ${before.split("\n").length}, col ${end - before.lastIndexOf("\n")}`;
}

// What Go's unicode package says of the bytes 0x00 to 0xff.
const space = /[\t-\r \x85\xa0]+/y;
const letters = "A-Za-z\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\xff";
const name = new RegExp(`[${letters}][${letters}0-9_]*`, "y");
const number = /\d*(?:\.\d*)?([eE]([-+]\d*|\d+)?)?/y;
const unit = new RegExp(`[${letters}]+`, "y");
const unitAfterExponent = new RegExp(`(?![eE])[${letters}]+`, "y");
const percent = /%/y;

// An exponent sign without a digit still reads as one: `1e+Ki` is a quantity, and none that can be parsed.
const quantity = /^[0-9.eE+-]+(?:m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)$/;

function numberAt(bytes: string, start: number): Token {
  number.lastIndex = start;
  const [digits = "", exponent, power] = number.exec(bytes) ?? [];
  const after = start + digits.length;
  const end = endOf(percent, bytes, after) ?? unitEnd(bytes, after, exponent, power) ?? after;
  const text = bytes.slice(start, end);
  return { kind: quantity.test(text) ? "q" : "0", text, end };
}

function unitEnd(bytes: string, after: number, exponent?: string, power?: string): number | undefined {
  if (exponent === undefined) return endOf(unit, bytes, after);
  return power === undefined ? undefined : endOf(unitAfterExponent, bytes, after);
}

function endOf(pattern: RegExp, bytes: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(bytes) ? pattern.lastIndex : undefined;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
