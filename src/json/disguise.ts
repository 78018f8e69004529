import { define, fieldAt, isArray, type Json, type JsonObject } from "./json.ts";

/** A text with which no string of a JSON text begins, neither as it is nor escaped. */
export type Mark = string;

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

/** The text with a mark at both ends of every key with an escape, so that it begins and ends like no other key. */
export function withMarkedKeys(text: string, mark: Mark): string {
  const parts: string[] = [];
  let from = 0;
  for (let key = escapedKeyFrom(text, 0); key !== undefined; key = escapedKeyFrom(text, key.end)) {
    parts.push(text.slice(from, key.start), mark, text.slice(key.start, key.end), mark);
    from = key.end;
  }
  return parts.join("") + text.slice(from);
}

/** The next key with an escape, from its first character to its closing quote. Most texts have few escapes, if any. */
function escapedKeyFrom(text: string, from: number): { start: number; end: number } | undefined {
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
export interface Disguise {
  readonly mark: Mark;
  readonly hidesKeys: boolean;
  readonly numberOf: (source: string) => Json;
}

/** Removes the marks of a value that was just parsed, in place: keys lose them, strings behind a mark become numbers. */
export function revealed(value: Json, { mark, hidesKeys, numberOf }: Disguise): Json {
  const root = [value];
  const open: (Json[] | Record<string, Json>)[] = [root];
  const reveal = (before: Json): Json => {
    if (typeof before === "string") {
      return before.startsWith(mark) ? numberOf(before.slice(mark.length)) : before;
    }
    if (typeof before !== "object" || before === null) return before;
    const after = !hidesKeys || isArray(before) ? before : withoutMarks(before as JsonObject, mark);
    open.push(after as Json[] | Record<string, Json>);
    return after;
  };
  // Without recursion, since a value may be nested to any depth.
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (Array.isArray(here)) revealItems(here, reveal);
    else revealFields(here, reveal);
  }
  return root[0] as Json;
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

/** The object with its keys unmarked; the same where none is marked. */
function withoutMarks(object: JsonObject, mark: Mark): JsonObject {
  let isMarked = false;
  for (const key in object) {
    isMarked = key.startsWith(mark);
    if (isMarked) break;
  }
  if (!isMarked) return object;
  const unmarked: Record<string, Json> = {};
  for (const key in object) {
    define(unmarked, key.startsWith(mark) ? key.slice(mark.length, -mark.length) : key, fieldAt(object, key));
  }
  return unmarked;
}
