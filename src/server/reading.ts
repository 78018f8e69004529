import { isUtf8 } from "node:buffer";
import { mostDepth } from "../json/document.ts";
import { parseJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";
import { bracketsOf, cutBelow, deepestParsed, hasFewBrackets } from "./brackets.ts";
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
  if (bytes.length <= shortBody) {
    const text = textOf(bytes);
    if (hasFewBrackets(text)) return parsed(text, () => parseJson(text), false);
  }
  const brackets = bracketsOf(bytes);
  if ("fault" in brackets) return { refusal: tooLarge(`the body is too much to take in: ${brackets.fault}`) };
  const { depth } = brackets;
  const text = textOf(bytes);
  return parsed(text, () => parseJson(shallow(text, bytes, depth)), depth > mostDepth);
}

/** Nearly every review of one object is shorter: to search it takes a fifth of a look at each byte. */
const shortBody = 64 * 1024;

function parsed(text: string, parse: () => Json, isDeep: boolean): Reading {
  try {
    return { review: parse(), isDeep };
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
  return textOf(cutBelow(bytes, deepestParsed));
}

function refused(message: string): Reading {
  return { refusal: badRequest(message) };
}

/** Editors on Windows put a byte order mark before a file; RFC 8259 8.1 lets a reader pass over it. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function sentenceOf(text: string): string {
  const end = endOfJson(text);
  return end === text.length
    ? `the body is not JSON: it ends too early, after ${text.length} characters`
    : `the body is not JSON: what stands at ${placeOf(text, end)} cannot stand there`;
}
