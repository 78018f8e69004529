import { isSince, type KubernetesVersion } from "../../model/kubernetes-version.ts";
import { type Entry, type Expr, nameOf, type StructField } from "./ast.ts";
import { reserved } from "./identifiers.ts";
import type { Issue } from "./issue.ts";
import { type Token, tokensOf } from "./lexer.ts";
import { readLiteral } from "./literal.ts";
import { expandMacro, MacroFault } from "./macros.ts";
import { isFollow, isMemberStart, isStart, Stop, TokenReader } from "./token-reader.ts";
import { boolType, nullType, stringType } from "./types.ts";

// cel-go parser/options.go
const maxDepth = 250;
const maxCharacters = 100_000;

/** An expression, or what is wrong with its syntax. The grammar is cel-go's (parser/gen/CEL.g4). */
export function parse(
  source: string,
  kubernetes: KubernetesVersion,
): { readonly expr: Expr } | { readonly issues: readonly Issue[] } {
  const size = source.length > maxCharacters ? [...source].length : source.length;
  if (size > maxCharacters) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCharacters}`;
    return { issues: [{ at: -1, message }] };
  }
  const { tokens, issues } = tokensOf(source);
  const reader = new TokenReader(source, tokens);
  const expr = new Parser(reader, kubernetes).parse();
  const all = [...issues, ...reader.issues];
  return expr === undefined || all.length > 0 ? { issues: all } : { expr };
}

// Binary operators, by precedence, with the names of their functions.
const relations = new Map([
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">=", "_>=_"],
  [">", "_>_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["in", "@in"],
]);
const products = new Map([
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
]);
const sums = new Map([
  ["+", "_+_"],
  ["-", "_-_"],
]);

/** The same token once or several times. */
type Repeated = readonly [Token, ...Token[]];

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
class Parser {
  readonly #in: TokenReader;
  readonly #kubernetes: KubernetesVersion;
  #nesting = 0;
  readonly #depths = new WeakMap<Expr, number>();

  constructor(tokens: TokenReader, kubernetes: KubernetesVersion) {
    this.#in = tokens;
    this.#kubernetes = kubernetes;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      if (this.#in.token.kind !== "end") this.#in.trailing();
      return expr;
    } catch (error) {
      if (error instanceof Stop) return undefined;
      throw error;
    }
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

  /** An expression that adds no depth is as deep as its parts. */
  #flat<T extends Expr>(expr: T, parts: readonly Expr[]): T {
    this.#depths.set(expr, this.#depthOf(parts));
    return expr;
  }

  #depthOf(exprs: readonly Expr[]): number {
    return exprs.reduce((depth, expr) => Math.max(depth, this.#depths.get(expr) ?? 0), 0);
  }

  #tooDeep(message: string): never {
    return this.#in.stop(message);
  }

  #expr(): Expr {
    this.#nest();
    const condition = this.#logical("||", () => this.#logical("&&", () => this.#relation()));
    const op = this.#in.takeIf("?");
    if (op === undefined) {
      this.#nesting--;
      return condition;
    }
    const yes = this.#logical("||", () => this.#logical("&&", () => this.#relation()));
    this.#in.expect(":", isStart);
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
    const first = part();
    const args = [first];
    let at = -1;
    for (let op = this.#in.takeIf(text); op !== undefined; op = this.#in.takeIf(text)) {
      at = op.at;
      args.push(part());
    }
    return args.length === 1 ? first : this.#flat({ kind: "call", at, fn: `_${text}_`, args }, args);
  }

  #relation(): Expr {
    return this.#binary(() => this.#sum(), relations);
  }

  #sum(): Expr {
    return this.#binary(() => this.#product(), sums);
  }

  #product(): Expr {
    return this.#binary(() => this.#unary(), products);
  }

  #binary(part: () => Expr, operators: ReadonlyMap<string, string>): Expr {
    let left = part();
    for (;;) {
      const { kind, text } = this.#in.token;
      const fn = kind === "operator" ? operators.get(text) : undefined;
      if (fn === undefined) return left;
      const { at } = this.#in.take();
      const args = [left, part()];
      left = this.#deep({ kind: "call", at, fn, args }, ...args);
    }
  }

  #unary(): Expr {
    this.#in.begin(isStart, this.#expected());
    const not = this.#repeated("!");
    if (not !== undefined) this.#in.begin(isMemberStart, startOfMember);
    if (not !== undefined) return this.#prefixed("!_", not, this.#member());
    // A single minus before a number belongs to the number: only so can the least int64 be written.
    const after = this.#in.after;
    const isNumber = after?.kind === "int" || after?.kind === "float";
    const minus = isNumber ? undefined : this.#repeated("-");
    if (minus === undefined) return this.#member();
    if (!isMemberStart(this.#in.token))
      this.#in.fail(`no viable alternative at input '${this.#in.text(minus[0])}'`);
    return this.#prefixed("-_", minus, this.#member());
  }

  #repeated(text: string): Repeated | undefined {
    const first = this.#in.takeIf(text);
    if (first === undefined) return undefined;
    const tokens: [Token, ...Token[]] = [first];
    for (let token = this.#in.takeIf(text); token !== undefined; token = this.#in.takeIf(text))
      tokens.push(token);
    return tokens;
  }

  #prefixed(fn: string, tokens: Repeated, operand: Expr): Expr {
    if (tokens.length % 2 === 0) return operand;
    return this.#flat({ kind: "call", at: tokens[0].at, fn, args: [operand] }, [operand]);
  }

  #member(): Expr {
    const first = this.#in.token;
    let expr = this.#primary();
    // Only a name can be followed by the braces of a message, not `(a.b){}`.
    let name = first.kind === "identifier" || first.text === "." ? nameOf(expr) : undefined;
    for (;;) {
      if (this.#in.is("{") && name !== undefined) expr = this.#struct(name);
      else if (this.#in.is(".")) expr = this.#select(expr);
      else if (this.#in.is("[")) expr = this.#index(expr);
      else break;
      name = name === undefined ? undefined : nameOf(expr);
    }
    return expr;
  }

  #select(operand: Expr): Expr {
    const dot = this.#in.take();
    const optional = this.#in.takeIf("?") !== undefined;
    const token = this.#in.token;
    const isQuoted = token.kind === "escaped";
    if (isQuoted && !isSince(this.#kubernetes, "1.37")) {
      this.#in.take();
      this.#in.note(token.at, "unsupported syntax: '`'");
      return operand;
    }
    if (token.kind !== "identifier" && !isQuoted) return this.#noName(token, dot, optional);
    this.#in.take();
    if (!optional && !isQuoted && this.#in.is("(")) return this.#call(token.text, operand);
    const name = isQuoted ? token.text.slice(1, -1) : token.text;
    if (!optional)
      return this.#deep({ kind: "select", at: dot.at, operand, field: name, test: false }, operand);
    const field: Expr = { kind: "literal", at: token.at, value: name, type: stringType };
    return this.#deep({ kind: "call", at: dot.at, fn: "_?._", args: [operand, field] }, operand);
  }

  #noName(token: Token, dot: Token, optional: boolean): never {
    if (optional) return this.#in.mismatch("{IDENTIFIER, ESC_IDENTIFIER}");
    if (/^(?:true|false|null)$/.test(token.text)) return this.#in.mismatch("IDENTIFIER");
    return this.#in.fail(`no viable alternative at input '${this.#in.text(dot)}'`);
  }

  #index(target: Expr): Expr {
    const { at } = this.#in.take();
    const optional = this.#in.takeIf("?") !== undefined;
    const index = this.#expr();
    this.#in.expect("]", isFollow);
    const args = [target, index];
    return this.#deep({ kind: "call", at, fn: optional ? "_[?_]" : "_[_]", args }, ...args);
  }

  #call(fn: string, target: Expr | undefined): Expr {
    const { at } = this.#in.take();
    const args = this.#arguments();
    const expanded = expandMacro(at, fn, target, args);
    if (expanded instanceof MacroFault) {
      this.#in.note(expanded.at, expanded.message);
      return { kind: "literal", at, value: null, type: nullType };
    }
    const made = expanded ?? { kind: "call", at, fn, ...(target && { target }), args };
    return target === undefined ? this.#flat(made, args) : this.#deep(made, target, ...args);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#in.takeIf(")")) return args;
    this.#in.begin(isStart, startOfArgument);
    do args.push(this.#expr());
    while (this.#in.takeIf(","));
    this.#in.expect(")", isFollow);
    return args;
  }

  #primary(): Expr {
    const token = this.#in.token;
    switch (token.kind) {
      case "identifier":
        return this.#name("");
      case "operator":
        return this.#punctuated(token);
      case "end":
      case "escaped":
        return this.#in.mismatch(this.#expected());
      default:
        return this.#literal("");
    }
  }

  #expected(): string {
    const before = this.#in.before;
    return before?.text === "!" ? startOfMember : startOfExpr;
  }

  #punctuated({ text }: Token): Expr {
    switch (text) {
      case "(": {
        this.#in.take();
        const expr = this.#expr();
        this.#in.expect(")", isFollow);
        return expr;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
        this.#in.take();
        return this.#in.token.kind === "identifier" ? this.#name(".") : this.#in.mismatch("IDENTIFIER");
      case "-":
        return this.#literal("-");
      case "true":
      case "false":
        return { kind: "literal", at: this.#in.take().at, value: text === "true", type: boolType };
      case "null":
        return { kind: "literal", at: this.#in.take().at, value: null, type: nullType };
    }
    return this.#in.mismatch(this.#expected());
  }

  #name(dot: string): Expr {
    const { text, at } = this.#in.take();
    if (reserved.has(text) && !this.#in.is("{"))
      this.#in.note(dot === "" ? at : at - 1, `reserved identifier: ${text}`);
    if (this.#in.is("(")) return this.#call(dot + text, undefined);
    return { kind: "ident", at, name: dot + text };
  }

  #list(): Expr {
    const { at } = this.#in.take();
    const elements: Expr[] = [];
    const optional: boolean[] = [];
    while (isStart(this.#in.token) || this.#in.is("?")) {
      optional.push(this.#in.takeIf("?") !== undefined);
      elements.push(this.#expr());
      if (!(isStart(this.#in.after) || this.#in.after.text === "?") || !this.#in.takeIf(",")) break;
    }
    this.#in.takeIf(",");
    this.#close("]", elements.length);
    return this.#flat({ kind: "list", at, elements, optional }, elements);
  }

  #map(): Expr {
    const { at } = this.#in.take();
    const entries: Entry[] = [];
    while (isStart(this.#in.token) || this.#in.is("?")) {
      const optional = this.#in.takeIf("?") !== undefined;
      const key = this.#expr();
      const colon = this.#in.expect(":", isStart);
      entries.push({ at: colon.at, key, value: this.#expr(), optional });
      if (!(isStart(this.#in.after) || this.#in.after.text === "?") || !this.#in.takeIf(",")) break;
    }
    this.#in.takeIf(",");
    this.#close("}", entries.length);
    return this.#flat(
      { kind: "map", at, entries },
      entries.flatMap(({ key, value }) => [key, value]),
    );
  }

  #close(text: "]" | "}", count: number): void {
    const before = this.#in.before;
    const isWhole = before?.kind === "operator" && before.text === ",";
    if (count > 0 && !isWhole)
      this.#in.begin((token) => token.kind === "operator" && token.text === text, `{'${text}', ','}`);
    if (count > 0 || isWhole) this.#in.expect(text, isFollow);
    else if (!this.#in.takeIf(text)) this.#in.mismatch(text === "]" ? startOfItem : startOfEntry);
  }

  #struct(name: string): Expr {
    const { at } = this.#in.take();
    const fields: StructField[] = [];
    while (!this.#in.is("}")) {
      if (fields.length > 0) this.#in.expect(",", () => false);
      if (this.#in.is("}")) break;
      const optional = this.#in.takeIf("?") !== undefined;
      if (this.#in.token.kind !== "identifier")
        this.#in.mismatch("{'}', '?', ',', IDENTIFIER, ESC_IDENTIFIER}");
      const { text } = this.#in.take();
      const colon = this.#in.expect(":", isStart);
      fields.push({ at: colon.at, name: text, value: this.#expr(), optional });
    }
    this.#in.take();
    return this.#flat(
      { kind: "struct", at, name, fields },
      fields.map(({ value }) => value),
    );
  }

  #literal(sign: "" | "-"): Expr {
    const { at } = sign === "-" ? this.#in.take() : this.#in.token;
    const { kind, text } = this.#in.token;
    if (sign === "-" && kind !== "int" && kind !== "float") return this.#in.mismatch("{NUM_FLOAT, NUM_INT}");
    this.#in.take();
    const { value, type, fault } = readLiteral(kind, sign + text);
    if (fault !== undefined) this.#in.note(at, fault);
    return { kind: "literal", at, value, type };
  }
}
