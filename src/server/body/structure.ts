import { mostDepth } from "../../json/document.ts";
import type { Rejection } from "../shared/rejection.ts";
import { mostContainers, mostNesting, tooLarge } from "../shared/too-large.ts";

/** Values nested deeper than this are not parsed. Objects in a review may be `mostDepth` deep; the rest is for its envelope. */
export const deepestParsed = mostDepth + 16;

/** The nesting depth of a JSON text and its commas outside strings, about as many as values; or why it must not be parsed. */
type Structure = { readonly depth: number; readonly commas: number } | { readonly rejection: Rejection };

/**
 * Looks at the structure of a JSON text before it is parsed: V8's parser takes many times as much memory for brackets. Takes about
 * a nanosecond for each byte.
 */
export function structureOf(bytes: Uint8Array): Structure {
  const { length } = bytes;
  let depth = 0;
  let reached = 0;
  let count = 0;
  let commas = 0;
  for (let at = 0; at < length; at++) {
    const byteClass = classes[bytes[at] as number];
    if (byteClass === ordinary) continue;
    if (byteClass === string) {
      // Not endOfString: the call would double the time of this scan, which every longer review goes through.
      for (at++; at < length; at++) {
        const byte = bytes[at];
        if (byte === quote) break;
        if (byte === backslash) at++;
      }
    } else if (byteClass === comma) commas++;
    else if (byteClass === closing) depth--;
    else {
      depth++;
      count++;
      if (depth > reached) reached = depth;
      if (depth > mostNesting) return { rejection: tooLarge.nesting };
      if (count > mostContainers) return { rejection: tooLarge.containers };
    }
  }
  return { depth: reached, commas };
}

/** The text with `null` in place of every list and object below so many levels of nesting. */
export function cutBelow(bytes: Buffer, levels: number): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byteClass = classes[bytes[at] as number];
    if (byteClass === string) at = endOfString(bytes, at);
    else if (byteClass === opening) {
      depth++;
      if (depth === levels + 1) kept.push(bytes.subarray(from, at), Buffer.from("null"));
    } else if (byteClass === closing) {
      depth--;
      if (depth === levels) from = at + 1;
    }
  }
  if (depth <= levels) kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

const quote = 0x22;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

// What a byte means outside a string. A table takes half the time of comparisons.
const ordinary = 0;
const string = 1;
const opening = 2;
const closing = 3;
const comma = 4;
const classes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === quote) return string;
  if (byte === openList || byte === openObject) return opening;
  if (byte === 0x2c) return comma;
  return byte === closeList || byte === closeObject ? closing : ordinary;
});

/** The index of the closing quote of the string that begins at an index; the length of the text if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return bytes.length;
}
