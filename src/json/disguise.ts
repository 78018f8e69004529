import { define, fieldAt, isArray, type Json, type JsonObject } from "./json.ts";

/** A text with which no string of a JSON text begins, neither as it is nor escaped. */
type Mark = string;

/**
 * A mark for a text. The longer mark has about a hundred random bits, so that no client can send a string that begins with
 * it; marks are removed again, so that no result depends on them. This module also runs where node:crypto does not exist.
 */
export function markFor(text: string): Mark {
  const isFree = !text.includes("\ue000") && !/\\u[eE]000/.test(text);
  return isFree ? "\ue000" : `\ue000${Math.random()}${Math.random()}`;
}

/** Whether a text has a key that is written with an escape. */
export function hasEscapedKey(text: string): boolean {
  return escapedKeyFrom(text, 0) !== undefined;
}

/** The keys of a text: those with an escape, or all. */
export type Keys = "escaped" | "all";

/** The text with a mark at both ends of keys, so that each begins and ends like no other key. */
export function withMarkedKeys(text: string, mark: Mark, keys: Keys): string {
  const next = keys === "all" ? keyFrom : escapedKeyFrom;
  const parts: string[] = [];
  let from = 0;
  for (let key = next(text, 0); key !== undefined; key = next(text, key.end + 1)) {
    parts.push(text.slice(from, key.start), mark, text.slice(key.start, key.end), mark);
    from = key.end;
  }
  return parts.join("") + text.slice(from);
}

/** Where a key stands in a text: from its first character to its closing quote. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** The next key, from an offset on that is not within a string. */
function keyFrom(text: string, from: number): Place | undefined {
  for (let at = text.indexOf('"', from); at >= 0; ) {
    const end = stringEnd(text, at + 1);
    if (isKeyEnd(text, end)) return { start: at + 1, end };
    at = text.indexOf('"', end + 1);
  }
  return undefined;
}

/** The next key with an escape. Most texts have few escapes, if any. */
function escapedKeyFrom(text: string, from: number): Place | undefined {
  for (let at = text.indexOf("\\", from); at >= 0; ) {
    const end = stringEnd(text, at);
    if (isKeyEnd(text, end)) return { start: text.lastIndexOf('"', at) + 1, end };
    at = text.indexOf("\\", end);
  }
  return undefined;
}

/** The offset of the closing quote of the string around an offset that is not within an escape; the text's length if none. */
function stringEnd(text: string, place: number): number {
  for (let end = place; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) return end;
    if (code === backslash) end++;
  }
  return text.length;
}

const quote = 0x22;
const backslash = 0x5c;

function isKeyEnd(text: string, end: number): boolean {
  keyEnd.lastIndex = end;
  return keyEnd.test(text);
}

const keyEnd = /"\s*:/y;

/** The text with all numbers that an expression finds from an offset on put into strings behind a mark. */
export function withMarkedNumbers(text: string, mark: Mark, numbers: RegExp, first: number): string {
  const strings = new Strings(text);
  const parts: string[] = [];
  let from = 0;
  numbers.lastIndex = first;
  while (numbers.test(text)) {
    const end = numbers.lastIndex;
    const start = numberStart(text, end);
    if (strings.hold(start)) continue;
    parts.push(text.slice(from, start), `"${mark}${text.slice(start, end)}"`);
    from = end;
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

function numberStart(text: string, end: number): number {
  let start = end - 1;
  while (start > 0 && isOfNumber(text.charCodeAt(start - 1))) start--;
  return start;
}

/** Digits, and `+`, `-`, `.`, `E`, `e`. */
function isOfNumber(code: number): boolean {
  if (code >= 0x30 && code <= 0x39) return true;
  return code === 0x2b || code === 0x2d || code === 0x2e || code === 0x45 || code === 0x65;
}

/** Tells whether offsets of a text, in ascending order, are within a string. */
class Strings {
  readonly #text: string;
  #start: number;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
    this.#start = text.indexOf('"');
  }

  /** Whether an offset is within a string. */
  hold(place: number): boolean {
    while (this.#start >= 0 && this.#start < place) {
      if (this.#end <= this.#start) this.#end = stringEnd(this.#text, this.#start + 1);
      if (place < this.#end) return true;
      this.#start = this.#text.indexOf('"', this.#end + 1);
    }
    return false;
  }
}

/** What a text has behind marks: keys, if `hidesKeys`, and numbers, which `numberOf` reads. */
interface Disguise {
  readonly mark: Mark;
  readonly hidesKeys: boolean;
  readonly numberOf: (source: string) => Json;
}

/**
 * Removes the marks of a value that was just parsed, in place: keys lose them, strings behind a mark become numbers. Undefined
 * where a key stands in one object with a mark and without: then all keys have to be marked, to tell which of them came last.
 */
export function revealed(value: Json, { mark, hidesKeys, numberOf }: Disguise): Json | undefined {
  let isTwice = false;
  const root = [value];
  const open: (Json[] | Record<string, Json>)[] = [root];
  const reveal = (before: Json): Json => {
    if (typeof before === "string") {
      return before.startsWith(mark) ? numberOf(before.slice(mark.length)) : before;
    }
    if (typeof before !== "object" || before === null) return before;
    const after = !hidesKeys || isArray(before) ? before : withoutMarks(before as JsonObject, mark);
    if (after === undefined) {
      isTwice = true;
      return before;
    }
    open.push(after as Json[] | Record<string, Json>);
    return after;
  };
  // Without recursion, since a value may be nested to any depth.
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (Array.isArray(here)) revealItems(here, reveal);
    else revealFields(here, reveal);
    if (isTwice) return undefined;
  }
  return root[0];
}

function revealItems(items: Json[], reveal: (value: Json) => Json): void {
  for (let at = 0; at < items.length; at++) {
    const before = items[at] as Json;
    const after = reveal(before);
    if (after !== before) items[at] = after;
  }
}

function revealFields(object: Record<string, Json>, reveal: (value: Json) => Json): void {
  for (const key in object) {
    const before = fieldAt(object, key);
    const after = reveal(before);
    if (after !== before) object[key] = after;
  }
}

/** The object with its keys unmarked; the same where none is marked, and undefined where two become one. */
function withoutMarks(object: JsonObject, mark: Mark): JsonObject | undefined {
  let isMarked = false;
  for (const key in object) {
    isMarked = key.startsWith(mark);
    if (isMarked) break;
  }
  if (!isMarked) return object;
  const unmarked: Record<string, Json> = {};
  for (const key in object) {
    const name = key.startsWith(mark) ? key.slice(mark.length, -mark.length) : key;
    if (Object.hasOwn(unmarked, name)) return undefined;
    define(unmarked, name, fieldAt(object, key));
  }
  return unmarked;
}
