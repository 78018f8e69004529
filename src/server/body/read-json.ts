import { isUtf8 } from "node:buffer";
import { mostDepth } from "../../json/document.ts";
import { parseJson } from "../../json/exact.ts";
import type { Json } from "../../json/json.ts";
import { badRequest, type Rejection } from "../shared/rejection.ts";
import { cutBelow, deepestParsed, structureOf } from "./structure.ts";
import { endOfJson } from "./syntax.ts";

/** The review in a body, or the rejection of a body that cannot be read. */
type Reading =
  | {
      readonly review: Json;
      /** Whether some value may be nested more than `mostDepth` deep. Below `deepestParsed` values are replaced by null. */
      readonly isDeep: boolean;
    }
  | Rejected;

interface Rejected {
  readonly rejection: Rejection;
}

/** What is known of a body that may be parsed. */
interface Scanned {
  /** Without a byte order mark. */
  readonly bytes: Buffer;
  readonly depth: number;
  /** About as many as values. */
  readonly commas: number;
}

/** Reads a body as JSON in UTF-8. */
export function readReview(body: Buffer): Reading {
  const scanned = scanBody(body);
  return "rejection" in scanned ? scanned : parseScanned(scanned);
}

/** Looks at a body before it is parsed. */
export function scanBody(body: Buffer): Scanned | Rejected {
  if (body.length === 0) return { rejection: badRequest("the body is empty; send a review as JSON") };
  // Decoding alone would replace a wrong byte by U+FFFD, and so change the object.
  if (!isUtf8(body)) return { rejection: badRequest("the body is not UTF-8") };
  const bytes = afterMark(body);
  const structure = structureOf(bytes);
  return "rejection" in structure ? structure : { bytes, ...structure };
}

/** Parses a body that was looked at. */
export function parseScanned({ bytes, depth }: Scanned): Reading {
  const text = bytes.toString("utf8");
  try {
    const review = parseJson(shallow(text, bytes, depth));
    return { review, isDeep: depth > mostDepth };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { rejection: notJson(bytes, Buffer.byteLength(text.slice(0, endOfJson(text)))) };
  }
}

/** The body without a byte order mark, which RFC 8259 (8.1) lets a reader ignore. */
function afterMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** The text without values that are nested too deeply to be parsed. Throws a SyntaxError unless the whole text is JSON. */
function shallow(text: string, bytes: Buffer, depth: number): string {
  if (depth <= deepestParsed) return text;
  // Checks the syntax of what is cut off too. V8's parser does not recurse.
  JSON.parse(text);
  return cutBelow(bytes, deepestParsed).toString("utf8");
}

/** Rejects a body that is not JSON at a byte. The message does not quote the body, which may hold a Secret. */
function notJson(bytes: Buffer, at: number): Rejection {
  const { line, column, characters } = positionOf(bytes, at);
  return badRequest(
    at >= bytes.length
      ? `the body is not JSON: unexpected end after ${characters} characters`
      : `the body is not JSON: unexpected character at line ${line}, column ${column}`,
  );
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
