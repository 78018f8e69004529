import { isUtf8 } from "node:buffer";
import { mostDepth } from "../json/document.ts";
import { parseJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";
import { bracketsOf, cutBelow, deepestParsed } from "./brackets.ts";
import { badRequest, type Refusal, tooLarge } from "./refusal.ts";
import { endOfJson, placeOf } from "./syntax.ts";

/** What a body says, or why it cannot be read. */
export type Reading =
  | {
      readonly review: Json;
      /** Whether something in it may be nested more than `mostDepth` deep; a little deeper it is cut off. */
      readonly isDeep: boolean;
    }
  | { readonly refusal: Refusal };

/** Reads a body as JSON in UTF-8. No sentence quotes it: it may hold a Secret. */
export function readReview(bytes: Buffer): Reading {
  if (bytes.length === 0) return refused("the body is empty; send a review as JSON");
  // Decoding alone would put U+FFFD where a byte is wrong, and the object would come back changed.
  if (!isUtf8(bytes)) return refused("the body is not UTF-8");
  const brackets = bracketsOf(bytes);
  if ("fault" in brackets) return { refusal: tooLarge(`the body is too much to take in: ${brackets.fault}`) };
  const { depth, isNarrow } = brackets;
  const text = withoutMark(bytes.toString("utf8"));
  try {
    return { review: parseJson(shallow(text, bytes, depth), { isNarrow }), isDeep: depth > mostDepth };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refused(sentenceOf(text));
  }
}

/** The part of a text that is looked at, where all of it is JSON; else a SyntaxError. */
function shallow(text: string, bytes: Buffer, depth: number): string {
  if (depth <= deepestParsed) return text;
  // What is cut off is looked at by nobody else. V8's parser goes down without recursion.
  JSON.parse(text);
  return withoutMark(cutBelow(bytes, deepestParsed).toString("utf8"));
}

function refused(message: string): Reading {
  return { refusal: badRequest(message) };
}

/** Editors on Windows put a byte order mark before a file; RFC 8259 8.1 lets a reader pass over it. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function sentenceOf(text: string): string {
  const end = endOfJson(text);
  return end === text.length
    ? `the body is not JSON: it ends too early, after ${text.length} characters`
    : `the body is not JSON: what stands at ${placeOf(text, end)} cannot stand there`;
}
