import { mostDepth } from "../json/document.ts";

/** How deep lists and objects may be nested; an API server's own decoder stops there too (Go `encoding/json`). */
export const deepest = 10_000;

/**
 * How many lists and objects one text may hold. `[],` takes 3 bytes on the wire and 75 in memory: 128 MiB of it would
 * take the process down, where a review of 10,000 objects of 10 kB has about two million.
 */
export const most = 1024 * 1024;

/** How many values one text may hold, whatever they are: the parser takes 20 bytes for the 2 of `1,`. */
export const mostValues = 16 * 1024 * 1024;

/** Deeper than this a text is not parsed: what is nested `mostDepth` deep in a review still is, and little more. */
export const deepestParsed = mostDepth + 16;

/** What a look at the brackets of a JSON text tells: how deep they go, or why it is not to be parsed. */
export type Brackets = { readonly depth: number } | { readonly fault: string };

/** Whether a text has no more brackets than may be nested, those in strings counted too: nothing in it is too deep then. */
export function hasFewBrackets(text: string): boolean {
  let left = mostDepth;
  for (const bracket of "{[") {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      left--;
      if (left < 0) return false;
    }
  }
  return true;
}

/**
 * Looks at the brackets of a JSON text alone. The parser itself takes gigabytes for a hundred MiB of `[`. About a
 * nanosecond a byte.
 */
export function bracketsOf(bytes: Uint8Array): Brackets {
  const { length } = bytes;
  let depth = 0;
  let reached = 0;
  let count = 0;
  for (let at = 0; at < length; at++) {
    const sort = sorts[bytes[at] as number];
    if (sort === ordinary) continue;
    if (sort === string) {
      // Not endOfString: every review comes through here, and the call costs as much as all else.
      for (at++; at < length; at++) {
        const byte = bytes[at];
        if (byte === quote) break;
        if (byte === backslash) at++;
      }
    } else if (sort === closing) depth--;
    else {
      depth++;
      count++;
      if (depth > reached) reached = depth;
      if (depth > deepest) return { fault: `lists and objects are nested more than ${deepest} deep` };
      if (count > most) return { fault: `there are more than ${most} lists and objects` };
    }
  }
  return hasTooMany(bytes) ? { fault: `there are more than ${mostValues} values` } : { depth: reached };
}

function hasTooMany(bytes: Uint8Array): boolean {
  // Each but the first takes a comma, and itself.
  if (bytes.length < 2 * mostValues) return false;
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === quote) at = endOfString(bytes, at);
    else if (bytes[at] === comma) count++;
  }
  return count >= mostValues;
}

/** The text with `null` in place of every list and object that is nested more than so many deep. */
export function cutBelow(bytes: Buffer, levels: number): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const sort = sorts[bytes[at] as number];
    if (sort === string) at = endOfString(bytes, at);
    else if (sort === opening) {
      depth++;
      if (depth === levels + 1) kept.push(bytes.subarray(from, at), Buffer.from("null"));
    } else if (sort === closing) {
      depth--;
      if (depth === levels) from = at + 1;
    }
  }
  if (depth <= levels) kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

/**
 * Where the value that begins at an index ends: behind its last bracket or quote, or before what a number or literal
 * cannot hold. Undefined where it has no end. Only parsing shows whether it is JSON.
 */
export function skipValue(bytes: Uint8Array, start: number): number | undefined {
  const first = bytes[start];
  if (first === quote) return behind(bytes, endOfString(bytes, start));
  if (first !== openList && first !== openObject) return endOfWord(bytes, start);
  const { length } = bytes;
  let depth = 0;
  for (let at = start; at < length; at++) {
    const sort = sorts[bytes[at] as number];
    if (sort === ordinary) continue;
    if (sort === string) {
      for (at++; at < length; at++) {
        const byte = bytes[at];
        if (byte === quote) break;
        if (byte === backslash) at++;
      }
    } else if (sort === opening) depth++;
    else if (sort === closing) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The first index from a given one on where no white space stands. */
export function afterBlank(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isBlank(bytes[at])) at++;
  return at;
}

export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openList = 0x5b;
export const closeList = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

// What a byte means outside a string; a look into a table is half the price of comparing.
const ordinary = 0;
const string = 1;
const opening = 2;
const closing = 3;
const sorts = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === quote) return string;
  if (byte === openList || byte === openObject) return opening;
  return byte === closeList || byte === closeObject ? closing : ordinary;
});

/** Where the string that begins at an index has its closing quote; the end of the text where it has none. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return bytes.length;
}

function behind(bytes: Uint8Array, at: number): number | undefined {
  return at < bytes.length ? at + 1 : undefined;
}

function endOfWord(bytes: Uint8Array, start: number): number | undefined {
  let at = start;
  while (at < bytes.length && !isBlank(bytes[at]) && !endsWord.has(bytes[at])) at++;
  return at > start && at < bytes.length ? at : undefined;
}

const endsWord = new Set<number | undefined>([
  comma,
  colon,
  closeList,
  closeObject,
  openList,
  openObject,
  quote,
]);

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
