import { faultOfQuantity, parseQuantity, type Quantity } from "antechamber/apimachinery";
import { positionOf, type Token, toBytes, tokenAt } from "./tokens.ts";

/** A parsed resource expression: instructions for a stack machine, and the fault at which parsing stopped, if any. */
export interface Expression {
  readonly instructions: readonly Instruction[];
  readonly fault?: string;
}

/** A plain number, or a quantity. */
export type Value = { readonly number: number } | { readonly quantity: Quantity };

/** An operation on the stack. */
type Instruction =
  | { readonly push: Value }
  | { readonly fail: string }
  | { readonly variable: string }
  | { readonly binary: "+" | "-" | "*" | "/" }
  | { readonly negate: true }
  | { readonly call: string; readonly count: 1 | 2 };

/**
 * Parses a resource expression (`max(cpu * 50%, 50m)`) in the language of OpenKruise's calculator, with its limitations
 * (pkg/util/calculator, calculator.y and lexer.go). Never throws; an invalid expression has a fault.
 */
export function parseExpression(text: string): Expression {
  const bytes = toBytes(text);
  if (bytes.length > longest)
    return { instructions: [], fault: `an expression may have at most ${longest} bytes` };
  return new Parser(bytes).read();
}

const longest = 4096;
const deepest = 200;

/** Stops the parser; the instructions parsed so far are still evaluated. */
class Stop extends Error {}

/** Usual precedence, left associative; instructions in the order in which OpenKruise's parser reduces. */
class Parser {
  readonly #bytes: string;
  readonly #instructions: Instruction[] = [];
  #token: Token;

  constructor(bytes: string) {
    this.#bytes = bytes;
    this.#token = tokenAt(bytes, 0);
  }

  read(): Expression {
    try {
      this.#sum(0);
      this.#expect("$");
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      return { instructions: this.#instructions, fault: error.message };
    }
    return { instructions: this.#instructions };
  }

  #sum(depth: number): void {
    if (depth > deepest) throw new Stop(`an expression may be nested at most ${deepest} levels deep`);
    this.#product(depth);
    while (this.#token.kind === "+" || this.#token.kind === "-") {
      const binary = this.#token.kind;
      this.#next();
      this.#product(depth);
      this.#instructions.push({ binary });
    }
  }

  #product(depth: number): void {
    this.#factor(depth);
    while (this.#token.kind === "*" || this.#token.kind === "/") {
      const binary = this.#token.kind;
      this.#next();
      this.#factor(depth);
      this.#instructions.push({ binary });
    }
  }

  #factor(depth: number): void {
    const { kind, text } = this.#token;
    if (kind === "-") {
      this.#negation(depth);
      return;
    }
    this.#expect("0", "q", "i", "(");
    if (kind === "0") this.#instructions.push({ push: { number: numberOf(text) } });
    else if (kind === "q") this.#instructions.push(quantityInstruction(text));
    else if (kind === "i") this.#name(text, depth);
    else {
      this.#sum(depth + 1);
      this.#expect(")");
    }
  }

  /** Signs in a row are counted instead of parsed recursively. */
  #negation(depth: number): void {
    let signs = 0;
    for (; this.#token.kind === "-"; this.#next()) signs++;
    this.#factor(depth);
    while (signs-- > 0) this.#instructions.push({ negate: true });
  }

  #name(text: string, depth: number): void {
    if (!this.#takes("(")) {
      this.#instructions.push({ variable: text.toLowerCase() });
      return;
    }
    this.#sum(depth + 1);
    const count = this.#takes(",") ? 2 : 1;
    if (count === 2) this.#sum(depth + 1);
    this.#expect(")");
    this.#instructions.push({ call: text, count });
  }

  #expect(...kinds: readonly string[]): void {
    if (!kinds.includes(this.#token.kind)) {
      throw new Stop(`parse error: syntax error at ${positionOf(this.#bytes, this.#token.end)}`);
    }
    if (this.#token.kind !== "$") this.#next();
  }

  #takes(kind: string): boolean {
    const isThere = this.#token.kind === kind;
    if (isThere) this.#next();
    return isThere;
  }

  #next(): void {
    this.#token = tokenAt(this.#bytes, this.#token.end);
  }
}

/** A malformed number such as `5abc` or `1e` counts as 0: a defect of OpenKruise on which SidecarSets may rely. */
function numberOf(text: string): number {
  const isPercent = text.endsWith("%");
  const value = Number(isPercent ? text.slice(0, -1) : text);
  if (Number.isNaN(value) || (isPercent && !Number.isFinite(value))) return 0;
  return isPercent ? value / 100 : value;
}

function quantityInstruction(text: string): Instruction {
  const parsed = parseQuantity(text);
  return parsed === undefined
    ? { fail: faultOfQuantity(text) ?? "not a quantity" }
    : { push: { quantity: parsed } };
}
