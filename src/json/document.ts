import type { Json } from "./json.ts";

/** One document of a text: its value, and the line (from 1) where it starts. */
export interface Document {
  readonly value: Json;
  readonly line: number;
}

/** The first place where a text is not what it should be. Line and column count from 1; the message is without them. */
export class SyntaxFault extends Error {
  override readonly name = "SyntaxFault";
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** The most that is read as one text, in characters: more than any list that an API server hands out in one piece. */
export const mostText = 64 * 1024 * 1024;

/** How deep maps and lists may stand in each other. Everything that walks a value may recurse so far. */
export const mostDepth = 1000;

/** Says that maps and lists stand too deep in each other. */
export function tooDeep(most: number): string {
  return `maps and lists stand more than ${most} deep in each other`;
}

/** A fault at an offset of a text. */
export function faultAt(text: string, offset: number, message: string): SyntaxFault {
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  return new SyntaxFault(message, 1 + newlines(text, 0, lineStart), 1 + offset - lineStart);
}

/** How many line feeds stand between two offsets of a text. */
export function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Says that a map has a key twice. */
export function twice(key: string): string {
  return `the key ${JSON.stringify(key.length > 100 ? `${key.slice(0, 100)}…` : key)} stands twice in the same map`;
}
