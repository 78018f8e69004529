import type { Issue } from "./issue.ts";
import type { Token } from "./lexer.ts";

const starts = new Set(["[", "{", "(", ".", "-", "!", "true", "false", "null"]);
const ends = new Set([
  "<",
  "<=",
  ">=",
  ">",
  "==",
  "!=",
  "in",
  ".",
  "[",
  "]",
  "}",
  ")",
  "*",
  "/",
  "%",
  "+",
  "-",
  "&&",
  "||",
  "?",
  ":",
  ",",
]);

/** Whether a token can begin an expression, its unary operators aside, or follow one. */
export const isMemberStart = (token: Token): boolean => isStart(token) && token.text !== "!";
export const isStart = ({ kind, text }: Token): boolean =>
  kind === "operator" ? starts.has(text) : kind !== "end" && kind !== "escaped";
export const isFollow = ({ kind, text }: Token): boolean =>
  kind === "end" || (kind === "operator" && ends.has(text));

/** Ends the parsing: only the first syntax error is reported, not what would follow from it. */
export class Stop extends Error {}

/** Reads tokens one after the other, and recovers from a single wrong one as ANTLR does. */
export class TokenReader {
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #next = 0;

  constructor(source: string, tokens: readonly Token[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.#end = tokens.at(-1) ?? { kind: "end", text: "<EOF>", at: 0 };
  }

  get token(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  is(text: string): boolean {
    const { kind, text: found } = this.token;
    return kind === "operator" && found === text;
  }

  take(): Token {
    const token = this.token;
    this.#next++;
    return token;
  }

  takeIf(text: string): Token | undefined {
    return this.is(text) ? this.take() : undefined;
  }

  /** The token that is required here. As ANTLR does, an extra token is skipped, and a missing one is assumed. */
  expect(text: string, follows: (token: Token) => boolean, expected = `'${text}'`): Token {
    const token = this.takeIf(text);
    if (token !== undefined) return token;
    const { at, text: found } = this.token;
    if (this.after.kind === "operator" && this.after.text === text) {
      this.note(at, `Syntax error: extraneous input '${found}' expecting ${expected}`);
      this.#next++;
      return this.take();
    }
    if (!follows(this.token)) return this.mismatch(expected);
    this.note(at, `Syntax error: missing '${text}' at '${found}'`);
    return { kind: "operator", text, at };
  }

  /** Skips one token where an expression must begin and the next one begins it. */
  begin(starts: (token: Token) => boolean, expected: string): void {
    const token = this.token;
    if (starts(token)) return;
    if (token.kind === "end" || !starts(this.after)) this.mismatch(expected);
    this.note(token.at, `Syntax error: extraneous input '${token.text}' expecting ${expected}`);
    this.#next++;
  }

  trailing(): void {
    const word = this.after.kind === "end" ? "extraneous" : "mismatched";
    this.note(this.token.at, `Syntax error: ${word} input '${this.token.text}' expecting <EOF>`);
  }

  /** The token before the current one; undefined at the start. */
  get before(): Token | undefined {
    return this.#tokens[this.#next - 1];
  }

  get after(): Token {
    return this.#tokens[this.#next + 1] ?? this.#end;
  }

  mismatch(expected: string): never {
    return this.fail(`mismatched input '${this.token.text}' expecting ${expected}`);
  }

  fail(message: string): never {
    this.issues.push({ at: this.token.at, message: `Syntax error: ${message}` });
    throw new Stop();
  }

  /** Ends the parsing with one issue that replaces all others. */
  stop(message: string): never {
    this.issues.length = 0;
    this.note(-1, message);
    throw new Stop();
  }

  /** The source from a token to the end of the current one. */
  text(from: Token): string {
    const characters = [...this.#source];
    const end = this.token.kind === "end" ? characters.length : this.token.at + [...this.token.text].length;
    return characters.slice(from.at, end).join("");
  }

  note(at: number, message: string): void {
    this.issues.push({ at, message });
  }
}
