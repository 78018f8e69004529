import { faultOfQuantity, parseQuantity, type Quantity } from "antechamber";
import { placeOf, type Token, toBytes, tokenAt } from "./tokens.ts";

/** A resource expression, read once: what to do, in order, on a stack; and where it stops being one. */
export interface Expression {
  readonly steps: readonly Step[];
  readonly fault?: string;
}

/** A plain number, or a quantity. */
export type Value = { readonly number: number } | { readonly quantity: Quantity };

/** What is done to the stack. */
export type Step =
  | { readonly push: Value }
  | { readonly fail: string }
  | { readonly variable: string }
  | { readonly binary: "+" | "-" | "*" | "/" }
  | { readonly negate: true }
  | { readonly call: string; readonly count: 1 | 2 };

/**
 * Reads a resource expression (`max(cpu * 50%, 50m)`): the language of OpenKruise's calculator, its limits included
 * (sidecarset.md 2.8 and 7). Never throws; what is no expression has a fault.
 */
export function parseExpression(text: string): Expression {
  const bytes = toBytes(text);
  if (bytes.length > longest) return { steps: [], fault: `an expression has ${longest} bytes at most` };
  return new Parser(bytes).read();
}

const longest = 4096;
const deepest = 200;

/** Stops the parser: what was read so far is still evaluated. */
class Stop extends Error {}

/** Precedence as usual, operators of one sort from the left; steps in the order in which OpenKruise's parser reduces. */
class Parser {
  readonly #bytes: string;
  readonly #steps: Step[] = [];
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
      return { steps: this.#steps, fault: error.message };
    }
    return { steps: this.#steps };
  }

  #sum(depth: number): void {
    if (depth > deepest) throw new Stop(`an expression is nested ${deepest} deep at most`);
    this.#product(depth);
    while (this.#token.kind === "+" || this.#token.kind === "-") {
      const binary = this.#token.kind;
      this.#next();
      this.#product(depth);
      this.#steps.push({ binary });
    }
  }

  #product(depth: number): void {
    this.#factor(depth);
    while (this.#token.kind === "*" || this.#token.kind === "/") {
      const binary = this.#token.kind;
      this.#next();
      this.#factor(depth);
      this.#steps.push({ binary });
    }
  }

  #factor(depth: number): void {
    const { kind, text } = this.#token;
    if (kind === "-") {
      this.#negation(depth);
      return;
    }
    this.#expect("0", "q", "i", "(");
    if (kind === "0") this.#steps.push({ push: { number: numberOf(text) } });
    else if (kind === "q") this.#steps.push(quantityStep(text));
    else if (kind === "i") this.#name(text, depth);
    else {
      this.#sum(depth + 1);
      this.#expect(")");
    }
  }

  /** Signs in a row are counted, not descended into. */
  #negation(depth: number): void {
    let signs = 0;
    for (; this.#token.kind === "-"; this.#next()) signs++;
    this.#factor(depth);
    while (signs-- > 0) this.#steps.push({ negate: true });
  }

  #name(text: string, depth: number): void {
    if (!this.#takes("(")) {
      this.#steps.push({ variable: text.toLowerCase() });
      return;
    }
    this.#sum(depth + 1);
    const count = this.#takes(",") ? 2 : 1;
    if (count === 2) this.#sum(depth + 1);
    this.#expect(")");
    this.#steps.push({ call: text, count });
  }

  #expect(...kinds: readonly string[]): void {
    if (!kinds.includes(this.#token.kind)) {
      throw new Stop(`parse error: syntax error at ${placeOf(this.#bytes, this.#token.end)}`);
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

/** What is no number is 0, and nobody is told: `5abc`, `1e` (a defect of OpenKruise that others rely on by now). */
function numberOf(text: string): number {
  const isPercent = text.endsWith("%");
  const value = Number(isPercent ? text.slice(0, -1) : text);
  if (Number.isNaN(value) || (isPercent && !Number.isFinite(value))) return 0;
  return isPercent ? value / 100 : value;
}

function quantityStep(text: string): Step {
  const read = parseQuantity(text);
  return read === undefined ? { fail: faultOfQuantity(text) ?? "no quantity" } : { push: { quantity: read } };
}
