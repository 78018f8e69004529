import type { Json } from "./json.ts";

/** One document of a text: its value, and the line (from 1) where it starts. */
export interface Document {
  readonly value: Json;
  readonly line: number;
}

/** A syntax error at a place of a text. Line and column count from 1; the message does not contain them. */
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

/** The limit of one text, in characters: more than any list that an API server returns in one response. */
export const mostText = 64 * 1024 * 1024;

/** How deep maps and lists may be nested. All code that visits a value may recurse so far. */
export const mostDepth = 1000;

/** The message for maps and lists that are nested too deeply. */
export function tooDeep(most: number): string {
  return `maps and lists are nested more than ${most} levels deep`;
}

/** A fault at an offset of a text. */
export function faultAt(text: string, offset: number, message: string): SyntaxFault {
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  return new SyntaxFault(message, 1 + newlines(text, 0, lineStart), 1 + offset - lineStart);
}

/** The number of line feeds between two offsets of a text. */
export function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The message for a map that has a key twice. */
export function twice(key: string): string {
  return `duplicate key ${JSON.stringify(key.length > 100 ? `${key.slice(0, 100)}…` : key)} in a map`;
}
