/** A token of a resource expression; `end` is the byte offset after it. */
export interface Token {
  /** `0` for a number, `q` a quantity, `i` a name, `$` the end; otherwise the character itself. */
  readonly kind: string;
  readonly text: string;
  readonly end: number;
}

/**
 * Reads the next token of an expression as OpenKruise's lexer does: byte by byte, each taken for a Latin-1 character
 * (`toBytes`), so that positions in messages count bytes (pkg/util/calculator/lexer.go, Lex).
 */
export function tokenAt(bytes: string, from: number): Token {
  const start = endOf(space, bytes, from) ?? from;
  const first = bytes[start];
  if (first === undefined) return { kind: "$", text: "", end: start };
  // A zero byte ends the expression, and is part of the end token.
  if (first === "\0") return { kind: "$", text: "", end: start + 1 };
  if (first === "." || isDigit(first)) return numberAt(bytes, start);
  const end = endOf(name, bytes, start);
  if (end !== undefined) return { kind: "i", text: toText(bytes.slice(start, end)), end };
  return { kind: first, text: first, end: start + 1 };
}

/** A string as its UTF-8 bytes, one character for each byte. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A byte offset as OpenKruise prints it: `line 1, col 4`. */
export function positionOf(bytes: string, end: number): string {
  const before = bytes.slice(0, end);
  return `line ${before.split("\n").length}, col ${end - before.lastIndexOf("\n")}`;
}

// The classes of Go's unicode package, for the bytes 0x00 to 0xff.
const space = /[\t-\r \x85\xa0]+/y;
const letters = "A-Za-z\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\xff";
const name = new RegExp(`[${letters}][${letters}0-9_]*`, "y");
const number = /\d*(?:\.\d*)?([eE]([-+]\d*|\d+)?)?/y;
const unit = new RegExp(`[${letters}]+`, "y");
const unitAfterExponent = new RegExp(`(?![eE])[${letters}]+`, "y");
const percent = /%/y;

// An exponent sign without a digit is accepted: `1e+Ki` is a quantity token, though it cannot be parsed.
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
