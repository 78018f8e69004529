import { parseFloatText } from "../../../go/numbers.ts";
import type { Entry, Expr, StructField } from "./ast.ts";
import { reserved } from "./identifiers.ts";
import type { Issue } from "./issue.ts";
import { type Token, tokensOf } from "./lexer.ts";
import { bytesOf, intOf, textOf, uintOf } from "./literal.ts";
import { expandMacro, MacroFault } from "./macros.ts";
import { boolType, bytesType, doubleType, intType, nullType, stringType, uintType } from "./types.ts";
import { Uint } from "./values.ts";

// cel-go parser/options.go
const maxDepth = 250;
const maxCharacters = 100_000;

/** An expression, or what is wrong with its syntax. The grammar is cel-go's (parser/gen/CEL.g4). */
export function parse(source: string): { readonly expr: Expr } | { readonly issues: readonly Issue[] } {
  const size = source.length > maxCharacters ? [...source].length : source.length;
  if (size > maxCharacters) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCharacters}`;
    return { issues: [{ at: -1, message }] };
  }
  const { tokens, issues } = tokensOf(source);
  const parser = new Parser(source, tokens);
  const expr = parser.parse();
  const all = [...issues, ...parser.issues];
  return expr === undefined || all.length > 0 ? { issues: all } : { expr };
}

const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const operators = new Map([
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">=", "_>=_"],
  [">", "_>_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["in", "@in"],
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
  ["+", "_+_"],
  ["-", "_-_"],
]);
const startOfExpr =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const startOfMember =
  "{'[', '{', '(', '.', '-', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const startOfItem =
  "{'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const startOfEntry =
  "{'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const startOfArgument =
  "{'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const starts = new Set(["[", "{", "(", ".", "-", "!", "true", "false", "null"]);
const ends = new Set([
  ...relations,
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
const isMemberStart = (token: Token): boolean => isStart(token) && token.text !== "!";
const isStart = ({ kind, text }: Token): boolean =>
  kind === "operator" ? starts.has(text) : kind !== "end" && kind !== "escaped";
const isFollow = ({ kind, text }: Token): boolean =>
  kind === "end" || (kind === "operator" && ends.has(text));

/** Ends the parsing: one syntax error is told, not what would follow from it. */
class Stop extends Error {}

class Parser {
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #nesting = 0;
  readonly #depths = new WeakMap<Expr, number>();

  constructor(source: string, tokens: readonly Token[]) {
    this.#source = source;
    this.#tokens = tokens;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      if (this.#token.kind !== "end") this.#trailing();
      return expr;
    } catch (error) {
      if (error instanceof Stop) return undefined;
      throw error;
    }
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #is(text: string): boolean {
    const { kind, text: found } = this.#token;
    return kind === "operator" && found === text;
  }

  #take(): Token {
    const token = this.#token;
    this.#next++;
    return token;
  }

  #takeIf(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  /** The token that must stand here. As ANTLR does, one that is too much is passed over, one that is missing is taken as said. */
  #expect(text: string, follows: (token: Token) => boolean, expected = `'${text}'`): Token {
    const token = this.#takeIf(text);
    if (token !== undefined) return token;
    const { at, text: found } = this.#token;
    if (this.#after.kind === "operator" && this.#after.text === text) {
      this.#note(at, `Syntax error: extraneous input '${found}' expecting ${expected}`);
      this.#next++;
      return this.#take();
    }
    if (!follows(this.#token)) return this.#mismatch(expected);
    this.#note(at, `Syntax error: missing '${text}' at '${found}'`);
    return { kind: "operator", text, at };
  }

  /** Passes over one token where an expression must begin and the next one begins it. */
  #begin(starts: (token: Token) => boolean, expected: string): void {
    const token = this.#token;
    if (starts(token)) return;
    if (token.kind === "end" || !starts(this.#after)) this.#mismatch(expected);
    this.#note(token.at, `Syntax error: extraneous input '${token.text}' expecting ${expected}`);
    this.#next++;
  }

  #trailing(): void {
    const word = this.#after.kind === "end" ? "extraneous" : "mismatched";
    this.#note(this.#token.at, `Syntax error: ${word} input '${this.#token.text}' expecting <EOF>`);
  }

  get #after(): Token {
    return this.#tokens[this.#next + 1] ?? (this.#tokens.at(-1) as Token);
  }

  #mismatch(expected: string): never {
    return this.#fail(`mismatched input '${this.#token.text}' expecting ${expected}`);
  }

  #fail(message: string): never {
    this.issues.push({ at: this.#token.at, message: `Syntax error: ${message}` });
    throw new Stop();
  }

  /** The source from a token to the end of the one that stands here. */
  #text(from: Token): string {
    const characters = [...this.#source];
    const end =
      this.#token.kind === "end" ? characters.length : this.#token.at + [...this.#token.text].length;
    return characters.slice(from.at, end).join("");
  }

  #note(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  /** Expressions within expressions, in parentheses or as arguments (cel-go parser.go, recursionListener). */
  #nest(): void {
    if (++this.#nesting > maxDepth) this.#tooDeep(`expression recursion limit exceeded: ${maxDepth}`);
  }

  /** An operation and what it is done on: a chain of them may be so long (cel-go parser.go, checkAndIncrementRecursionDepth). */
  #deep<T extends Expr>(expr: T, ...operands: readonly Expr[]): T {
    const depth = 1 + this.#depthOf(operands);
    if (depth > maxDepth) this.#tooDeep("max recursion depth exceeded");
    this.#depths.set(expr, depth);
    return expr;
  }

  /** What counts for nothing itself is as deep as what it is made of. */
  #flat<T extends Expr>(expr: T, parts: readonly Expr[]): T {
    this.#depths.set(expr, this.#depthOf(parts));
    return expr;
  }

  #depthOf(exprs: readonly Expr[]): number {
    return exprs.reduce((depth, expr) => Math.max(depth, this.#depths.get(expr) ?? 0), 0);
  }

  #tooDeep(message: string): never {
    this.issues.length = 0;
    this.#note(-1, message);
    throw new Stop();
  }

  #expr(): Expr {
    this.#nest();
    const condition = this.#logical("||", () => this.#logical("&&", () => this.#relation()));
    const op = this.#takeIf("?");
    if (op === undefined) {
      this.#nesting--;
      return condition;
    }
    const yes = this.#logical("||", () => this.#logical("&&", () => this.#relation()));
    this.#expect(":", isStart);
    const no = this.#expr();
    this.#nesting--;
    return this.#deep(
      { kind: "call", at: op.at, fn: "_?_:_", args: [condition, yes, no] },
      condition,
      yes,
      no,
    );
  }

  /** `a && b && c` is one call: however long it is, it is not deep. */
  #logical(text: "||" | "&&", part: () => Expr): Expr {
    const args = [part()];
    let at = -1;
    for (let op = this.#takeIf(text); op !== undefined; op = this.#takeIf(text)) {
      at = op.at;
      args.push(part());
    }
    return args.length === 1
      ? (args[0] as Expr)
      : this.#flat({ kind: "call", at, fn: `_${text}_`, args }, args);
  }

  #relation(): Expr {
    return this.#binary(
      () => this.#sum(),
      (token) => relations.has(token.text),
    );
  }

  #sum(): Expr {
    return this.#binary(
      () => this.#product(),
      ({ text }) => text === "+" || text === "-",
    );
  }

  #product(): Expr {
    return this.#binary(
      () => this.#unary(),
      ({ text }) => text === "*" || text === "/" || text === "%",
    );
  }

  #binary(part: () => Expr, matches: (token: Token) => boolean): Expr {
    let left = part();
    while (this.#token.kind === "operator" && matches(this.#token)) {
      const { text, at } = this.#take();
      const args = [left, part()];
      left = this.#deep({ kind: "call", at, fn: operators.get(text) as string, args }, ...args);
    }
    return left;
  }

  #unary(): Expr {
    this.#begin(isStart, this.#expected());
    const not = this.#repeated("!");
    if (not !== undefined) this.#begin(isMemberStart, startOfMember);
    if (not !== undefined) return this.#prefixed("!_", not, this.#member());
    if (!this.#is("-")) return this.#member();
    // A single minus before a number belongs to the number: only so can the least int64 be written.
    const after = this.#tokens[this.#next + 1];
    if (after?.kind === "int" || after?.kind === "float") return this.#member();
    const minus = this.#repeated("-") as readonly Token[];
    if (!isMemberStart(this.#token))
      this.#fail(`no viable alternative at input '${this.#text(minus[0] as Token)}'`);
    return this.#prefixed("-_", minus, this.#member());
  }

  #repeated(text: string): readonly Token[] | undefined {
    const tokens: Token[] = [];
    for (let token = this.#takeIf(text); token !== undefined; token = this.#takeIf(text)) tokens.push(token);
    return tokens.length === 0 ? undefined : tokens;
  }

  #prefixed(fn: string, tokens: readonly Token[], operand: Expr): Expr {
    if (tokens.length % 2 === 0) return operand;
    return this.#flat({ kind: "call", at: (tokens[0] as Token).at, fn, args: [operand] }, [operand]);
  }

  #member(): Expr {
    const first = this.#token;
    let expr = this.#primary();
    // Only a name can be followed by the braces of a message, not `(a.b){}`.
    let name = first.kind === "identifier" || first.text === "." ? nameOf(expr) : undefined;
    for (;;) {
      if (this.#is("{") && name !== undefined) expr = this.#struct(name);
      else if (this.#is(".")) expr = this.#select(expr);
      else if (this.#is("[")) expr = this.#index(expr);
      else break;
      name = name === undefined ? undefined : nameOf(expr);
    }
    return expr;
  }

  #select(operand: Expr): Expr {
    const dot = this.#take();
    const optional = this.#takeIf("?") !== undefined;
    const token = this.#token;
    if (token.kind === "escaped") {
      this.#take();
      this.#note(token.at, "unsupported syntax: '`'");
      return operand;
    }
    if (token.kind !== "identifier") return this.#noName(token, optional);
    this.#take();
    if (!optional && this.#is("(")) return this.#call(token.text, operand);
    if (!optional)
      return this.#deep({ kind: "select", at: dot.at, operand, field: token.text, test: false }, operand);
    const field: Expr = { kind: "literal", at: token.at, value: token.text, type: stringType };
    return this.#deep({ kind: "call", at: dot.at, fn: "_?._", args: [operand, field] }, operand);
  }

  #noName(token: Token, optional: boolean): never {
    if (optional) return this.#mismatch("{IDENTIFIER, ESC_IDENTIFIER}");
    if (/^(?:true|false|null)$/.test(token.text)) return this.#mismatch("IDENTIFIER");
    return this.#fail(
      `no viable alternative at input '${this.#text(this.#tokens[this.#next - 1] as Token)}'`,
    );
  }

  #index(target: Expr): Expr {
    const { at } = this.#take();
    const optional = this.#takeIf("?") !== undefined;
    const index = this.#expr();
    this.#expect("]", isFollow);
    const args = [target, index];
    return this.#deep({ kind: "call", at, fn: optional ? "_[?_]" : "_[_]", args }, ...args);
  }

  #call(fn: string, target: Expr | undefined): Expr {
    const { at } = this.#take();
    const args = this.#arguments();
    const expanded = expandMacro(at, fn, target, args);
    if (expanded instanceof MacroFault) {
      this.#note(expanded.at, expanded.message);
      return { kind: "literal", at, value: null, type: nullType };
    }
    const made = expanded ?? { kind: "call", at, fn, ...(target && { target }), args };
    return target === undefined ? this.#flat(made, args) : this.#deep(made, target, ...args);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#takeIf(")")) return args;
    this.#begin(isStart, startOfArgument);
    do args.push(this.#expr());
    while (this.#takeIf(","));
    this.#expect(")", isFollow);
    return args;
  }

  #primary(): Expr {
    const token = this.#token;
    switch (token.kind) {
      case "identifier":
        return this.#name("");
      case "operator":
        return this.#punctuated(token);
      case "end":
      case "escaped":
        return this.#mismatch(this.#expected());
      default:
        return this.#literal("");
    }
  }

  #expected(): string {
    const before = this.#tokens[this.#next - 1];
    return before?.text === "!" ? startOfMember : startOfExpr;
  }

  #punctuated({ text }: Token): Expr {
    switch (text) {
      case "(": {
        this.#take();
        const expr = this.#expr();
        this.#expect(")", isFollow);
        return expr;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
        this.#take();
        return this.#token.kind === "identifier" ? this.#name(".") : this.#mismatch("IDENTIFIER");
      case "-":
        return this.#literal("-");
      case "true":
      case "false":
        return { kind: "literal", at: this.#take().at, value: text === "true", type: boolType };
      case "null":
        return { kind: "literal", at: this.#take().at, value: null, type: nullType };
    }
    return this.#mismatch(this.#expected());
  }

  #name(dot: string): Expr {
    const { text, at } = this.#take();
    if (reserved.has(text) && !this.#is("{"))
      this.#note(dot === "" ? at : at - 1, `reserved identifier: ${text}`);
    if (this.#is("(")) return this.#call(dot + text, undefined);
    return { kind: "ident", at, name: dot + text };
  }

  #list(): Expr {
    const { at } = this.#take();
    const elements: Expr[] = [];
    const optional: boolean[] = [];
    while (isStart(this.#token) || this.#is("?")) {
      optional.push(this.#takeIf("?") !== undefined);
      elements.push(this.#expr());
      if (!(isStart(this.#after) || this.#after.text === "?") || !this.#takeIf(",")) break;
    }
    this.#takeIf(",");
    this.#close("]", elements.length);
    return this.#flat({ kind: "list", at, elements, optional }, elements);
  }

  #map(): Expr {
    const { at } = this.#take();
    const entries: Entry[] = [];
    while (isStart(this.#token) || this.#is("?")) {
      const optional = this.#takeIf("?") !== undefined;
      const key = this.#expr();
      const colon = this.#expect(":", isStart);
      entries.push({ at: colon.at, key, value: this.#expr(), optional });
      if (!(isStart(this.#after) || this.#after.text === "?") || !this.#takeIf(",")) break;
    }
    this.#takeIf(",");
    this.#close("}", entries.length);
    return this.#flat(
      { kind: "map", at, entries },
      entries.flatMap(({ key, value }) => [key, value]),
    );
  }

  #close(text: "]" | "}", count: number): void {
    const before = this.#tokens[this.#next - 1];
    const isWhole = before?.kind === "operator" && before.text === ",";
    if (count > 0 && !isWhole)
      this.#begin((token) => token.kind === "operator" && token.text === text, `{'${text}', ','}`);
    if (count > 0 || isWhole) this.#expect(text, isFollow);
    else if (!this.#takeIf(text)) this.#mismatch(text === "]" ? startOfItem : startOfEntry);
  }

  #struct(name: string): Expr {
    const { at } = this.#take();
    const fields: StructField[] = [];
    while (!this.#is("}")) {
      if (fields.length > 0) this.#expect(",", () => false);
      if (this.#is("}")) break;
      const optional = this.#takeIf("?") !== undefined;
      if (this.#token.kind !== "identifier") this.#mismatch("{'}', '?', ',', IDENTIFIER, ESC_IDENTIFIER}");
      const { text } = this.#take();
      const colon = this.#expect(":", isStart);
      fields.push({ at: colon.at, name: text, value: this.#expr(), optional });
    }
    this.#take();
    return this.#flat(
      { kind: "struct", at, name, fields },
      fields.map(({ value }) => value),
    );
  }

  #literal(sign: "" | "-"): Expr {
    const { at } = sign === "-" ? this.#take() : this.#token;
    const { kind, text } = this.#token;
    switch (kind) {
      case "int":
        return this.#checked(at, intOf(sign + text), intType, "invalid int literal");
      case "float":
        return this.#checked(at, parseFloatText(sign + text), doubleType, "invalid double literal");
    }
    if (sign === "-") return this.#mismatch("{NUM_FLOAT, NUM_INT}");
    if (kind === "uint") {
      const value = uintOf(text);
      return this.#checked(
        at,
        value === undefined ? undefined : new Uint(value),
        uintType,
        "invalid uint literal",
      );
    }
    if (kind === "bytes") {
      const read = bytesOf(text);
      return "fault" in read
        ? this.#checked(at, undefined, bytesType, read.fault)
        : this.#checked(at, read.bytes, bytesType, "");
    }
    const read = textOf(text);
    return "fault" in read
      ? this.#checked(at, undefined, stringType, read.fault)
      : this.#checked(at, read.text, stringType, "");
  }

  #checked(
    at: number,
    value: bigint | number | string | Uint | Uint8Array | undefined,
    type: typeof intType,
    fault: string,
  ): Expr {
    this.#take();
    if (value === undefined) this.#note(at, fault);
    return { kind: "literal", at, value: value ?? null, type };
  }
}

/** `a.b.c` as a name; undefined for anything else. */
export function nameOf(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const prefix = nameOf(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
