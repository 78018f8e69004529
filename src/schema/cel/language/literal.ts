import { fitsInt64, fitsUint64, parseFloatText } from "../../../go/numbers.ts";
import { escapes, toBytes } from "../../../go/text.ts";
import type { TokenKind } from "./lexer.ts";
import { bytesType, doubleType, intType, stringType, type Type, uintType } from "./types.ts";
import { Uint } from "./values.ts";

const plain = new Map([...escapes, ["'", "'"], ['"', '"'], ["`", "`"], ["?", "?"]]);
const sequences = /\\(?:([xX])([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7][0-7])|([\s\S]))/g;

/** The value of a literal token; null, with a fault, where it has none. */
interface LiteralValue {
  readonly value: bigint | number | string | Uint | Uint8Array | null;
  readonly type: Type;
  readonly fault?: string;
}

/** Reads a token of digits or of a quoted text. */
export function readLiteral(kind: TokenKind, text: string): LiteralValue {
  switch (kind) {
    case "int":
      return checked(intOf(text), intType, "invalid int literal");
    case "float":
      return checked(parseFloatText(text), doubleType, "invalid double literal");
    case "uint": {
      const value = uintOf(text);
      return checked(value === undefined ? value : new Uint(value), uintType, "invalid uint literal");
    }
    case "bytes": {
      const read = bytesOf(text);
      return "fault" in read
        ? { value: null, type: bytesType, ...read }
        : { value: read.bytes, type: bytesType };
    }
  }
  const read = textOf(text);
  return "fault" in read
    ? { value: null, type: stringType, ...read }
    : { value: read.text, type: stringType };
}

function checked(value: bigint | number | Uint | undefined, type: Type, fault: string): LiteralValue {
  return value === undefined ? { value: null, type, fault } : { value, type };
}

/** The text of a string literal, or why it has none (cel-go parser/unescape.go). */
function textOf(literal: string): { readonly text: string } | { readonly fault: string } {
  const { body, raw } = bodyOf(literal);
  if (raw || !body.includes("\\")) return { text: body };
  let fault: string | undefined;
  const text = body.replace(sequences, (_all, _x, hex, short, long, octal, character) => {
    if (character !== undefined) return plain.get(character) ?? "";
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) fault = "invalid unicode code point";
    return fault === undefined ? String.fromCodePoint(code) : "";
  });
  return fault === undefined ? { text } : { fault };
}

/** The bytes of a literal: escapes stand for bytes, other characters for their UTF-8. */
function bytesOf(literal: string): { readonly bytes: Uint8Array } | { readonly fault: string } {
  const { body, raw } = bodyOf(literal.slice(1));
  if (raw) return { bytes: toBytes(body) };
  const parts: number[] = [];
  let last = 0;
  for (const match of body.matchAll(sequences)) {
    const [all, , hex, short, long, octal, character] = match;
    if (short !== undefined || long !== undefined) return { fault: "unable to unescape string" };
    parts.push(...toBytes(body.slice(last, match.index)));
    if (character !== undefined) parts.push(...toBytes(plain.get(character) ?? ""));
    else parts.push(octal === undefined ? Number.parseInt(hex ?? "0", 16) : Number.parseInt(octal, 8));
    last = match.index + all.length;
  }
  parts.push(...toBytes(body.slice(last)));
  return { bytes: Uint8Array.from(parts) };
}

/** The integer of digits, if it fits an int64. */
function intOf(text: string): bigint | undefined {
  const value = text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  return fitsInt64(value) ? value : undefined;
}

/** The unsigned integer of a literal like `12u`, if it fits a uint64. */
function uintOf(text: string): bigint | undefined {
  const value = BigInt(text.slice(0, -1));
  return fitsUint64(value) ? value : undefined;
}

function bodyOf(literal: string): { readonly body: string; readonly raw: boolean } {
  const text = literal.replaceAll(/\r\n?/g, "\n");
  const raw = /^[rR]/.test(text);
  const quoted = raw ? text.slice(1) : text;
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(width, -width), raw };
}
