import type { Issue } from "./issue.ts";

/** The kinds of tokens of the CEL grammar (cel-go parser/gen/CEL.g4); an operator is its own kind. */
export type TokenKind =
  | "end"
  | "identifier"
  | "escaped"
  | "int"
  | "uint"
  | "float"
  | "string"
  | "bytes"
  | "operator";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** In code points. */
  readonly at: number;
}

const escapeSequence = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[0-3][0-7][0-7]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`;
const strings = [
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"(?!"")[^"\n\r]*"`,
  String.raw`[rR]'(?!'')[^'\n\r]*'`,
  String.raw`"""(?:${escapeSequence}|[^\\])*?"""`,
  String.raw`'''(?:${escapeSequence}|[^\\])*?'''`,
  String.raw`"(?:${escapeSequence}|[^\\"\n\r])*"`,
  String.raw`'(?:${escapeSequence}|[^\\'\n\r])*'`,
].join("|");

const kinds: readonly (readonly [TokenKind | "blank", RegExp])[] = [
  ["blank", /[\t \r\n\f]+|\/\/[^\n]*/y],
  ["float", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["uint", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["int", /0x[\da-fA-F]+|\d+/y],
  ["bytes", new RegExp(`[bB](?:${strings})`, "y")],
  ["string", new RegExp(strings, "y")],
  ["identifier", /[A-Za-z_][A-Za-z\d_]*/y],
  ["escaped", /`[A-Za-z\d_.\-/ ]+`/y],
  ["operator", /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];

const words = new Set(["in", "true", "false", "null"]);

/** The tokens of an expression, the last of them `end`. What is not a token is an issue and is skipped. */
export function tokensOf(source: string): {
  readonly tokens: readonly Token[];
  readonly issues: readonly Issue[];
} {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let offset = 0;
  let at = 0;
  while (offset < source.length) {
    const [kind, text] = nextOf(source, offset);
    if (kind === "unknown")
      issues.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
    else if (kind !== "blank") tokens.push({ kind: words.has(text) ? "operator" : kind, text, at });
    offset += text.length;
    at += [...text].length;
  }
  tokens.push({ kind: "end", text: "<EOF>", at });
  return { tokens, issues };
}

function nextOf(source: string, offset: number): readonly [TokenKind | "blank" | "unknown", string] {
  let best: readonly [TokenKind | "blank", string] | undefined;
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = offset;
    const text = pattern.exec(source)?.[0];
    // The longest token wins, the first of several: `r"x"` is not an identifier, `1.5` not an integer.
    if (text !== undefined && text.length > (best?.[1].length ?? 0)) best = [kind, text];
  }
  return best ?? ["unknown", unknownAt(source, offset)];
}

const begun = new RegExp(
  String.raw`^(?:[bB]?[rR]"[^"\n\r]*|[bB]?[rR]'[^'\n\r]*|[bB]?"(?:${escapeSequence}|[^\\"\n\r])*|[bB]?'(?:${escapeSequence}|[^\\'\n\r])*|[=&|])`,
);
const begunEscape = /^\\(?:[0-3][0-7]?|[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})?/;

/** ANTLR reports what it had read when it gave up and the character at which it did; it continues after that. */
function unknownAt(source: string, offset: number): string {
  const rest = source.slice(offset);
  const string = begun.exec(rest)?.[0] ?? "";
  const isRaw = /^[bB]?[rR]/.test(string);
  const partial = isRaw || string === "" ? "" : (begunEscape.exec(rest.slice(string.length))?.[0] ?? "");
  const read = string + partial;
  const next = rest.codePointAt(read.length);
  return next === undefined ? read : read + String.fromCodePoint(next);
}
