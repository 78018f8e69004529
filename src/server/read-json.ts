import { isUtf8 } from "node:buffer";
import { mostDepth } from "../json/document.ts";
import { parseJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";
import { bracketsOf, cutBelow, deepestParsed, glanceAt } from "./brackets.ts";
import { badRequest, type Rejection, tooLarge } from "./rejection.ts";
import { endOfJson } from "./syntax.ts";

/** The value of a JSON text, or why there is none. */
export type JsonReading =
  | {
      readonly value: Json;
      /** Whether some value may be nested more than `mostDepth` deep. Below `deepestParsed` values are replaced by null. */
      readonly isDeep: boolean;
    }
  /** The index of the first byte that is not JSON; the length of the text if it ends too early. */
  | { readonly fault: number }
  /** Which limit it exceeds. */
  | { readonly excess: string };

/** The review in a body, or the rejection of a body that cannot be read. */
export type Reading = { readonly review: Json; readonly isDeep: boolean } | { readonly rejection: Rejection };

/** Reads a body as JSON in UTF-8. */
export function readReview(bytes: Buffer): Reading {
  const unreadable = rejectionOfBytes(bytes);
  if (unreadable !== undefined) return { rejection: unreadable };
  const text = afterMark(bytes);
  const reading = readJson(text);
  if ("fault" in reading) return { rejection: notJson(text, reading.fault) };
  if ("excess" in reading) return { rejection: tooMuch(reading.excess) };
  return { review: reading.value, isDeep: reading.isDeep };
}

/** Rejects a body that is empty or not UTF-8. Decoding alone would replace a wrong byte by U+FFFD, and so change the object. */
export function rejectionOfBytes(bytes: Buffer): Rejection | undefined {
  if (bytes.length === 0) return badRequest("the body is empty; send a review as JSON");
  return isUtf8(bytes) ? undefined : badRequest("the body is not UTF-8");
}

/** The body without a byte order mark, which RFC 8259 (8.1) lets a reader ignore. */
export function afterMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Reads a JSON text that is known to be UTF-8. */
export function readJson(bytes: Buffer): JsonReading {
  const { hasFewBrackets, mayHaveLongDigits } = glanceAt(bytes);
  if (hasFewBrackets) {
    const text = bytes.toString("utf8");
    return parsed(text, () => parseJson(text, "by value", mayHaveLongDigits), false);
  }
  const brackets = bracketsOf(bytes);
  if ("fault" in brackets) return { excess: brackets.fault };
  const { depth } = brackets;
  const text = bytes.toString("utf8");
  return parsed(text, () => parseJson(shallow(text, bytes, depth)), depth > mostDepth);
}

function parsed(text: string, parse: () => Json, isDeep: boolean): JsonReading {
  try {
    return { value: parse(), isDeep };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { fault: Buffer.byteLength(text.slice(0, endOfJson(text))) };
  }
}

/** The text without values that are nested too deeply to be parsed. Throws a SyntaxError unless the whole text is JSON. */
function shallow(text: string, bytes: Buffer, depth: number): string {
  if (depth <= deepestParsed) return text;
  // Checks the syntax of what is cut off too. V8's parser does not recurse.
  JSON.parse(text);
  return cutBelow(bytes, deepestParsed).toString("utf8");
}

/** Rejects a body that is not JSON at a byte. The message does not quote the body, which may hold a Secret. */
export function notJson(bytes: Buffer, at: number): Rejection {
  const { line, column, characters } = positionOf(bytes, at);
  return badRequest(
    at >= bytes.length
      ? `the body is not JSON: unexpected end after ${characters} characters`
      : `the body is not JSON: unexpected character at line ${line}, column ${column}`,
  );
}

/** Rejects a body that exceeds a limit. */
export function tooMuch(excess: string): Rejection {
  return tooLarge(`the body exceeds a limit: ${excess}`);
}

interface Position {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** How many precede it, in UTF-16 units. */
  readonly characters: number;
}

function positionOf(bytes: Buffer, end: number): Position {
  let [line, column, characters] = [1, 1, 0];
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number;
    // Continuation bytes are not counted. A character of four bytes is two units.
    if ((byte & 0xc0) === 0x80) continue;
    const units = byte >= 0xf0 ? 2 : 1;
    characters += units;
    column += units;
    if (byte !== 0x0a) continue;
    line++;
    column = 1;
  }
  return { line, column, characters };
}
