import {
  afterBlank,
  closeList,
  closeObject,
  colon,
  comma,
  endOfString,
  openList,
  openObject,
  quote,
  skipValue,
} from "./brackets.ts";

/** Where the items of `request.objects` are in the text of a review. Each end is the index after the last byte. */
export interface Spans {
  /** The whole list, brackets included. */
  readonly from: number;
  readonly to: number;
  /** Each item. Two lists of numbers take less memory than objects: there may be half a million items. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** How many items one review may have; 128 MiB of real objects have fewer. */
export const mostItems = 500_000;

/** The result of a scan. */
export type Scan =
  | { readonly found: "list"; readonly spans: Spans }
  /** There is no list `request.objects`. */
  | { readonly found: "nothing" }
  /** This member occurs twice. */
  | { readonly found: "duplicate"; readonly member: string }
  /** There is too much text around the list, or there are too many items in it. */
  | { readonly found: "excess"; readonly of: "text" | "items" }
  /** The text is not JSON at this index. */
  | { readonly found: "fault"; readonly at: number };

/**
 * Finds the items of `request.objects` without parsing the review; yields after each item, since many take long. Checks only
 * the structure around the items: the text is JSON if the text around the list and each item are JSON. The text around the
 * list may have `maxAround` bytes.
 */
export function* scanReview(bytes: Buffer, maxAround: number): Generator<undefined, Scan> {
  try {
    return yield* new Scanner(bytes, maxAround).scan();
  } catch (error) {
    if (error instanceof Stop) return error.scan;
    throw error;
  }
}

const tooMuchText: Scan = { found: "excess", of: "text" };

/** Ends a scan early. */
class Stop extends Error {
  readonly scan: Scan;

  constructor(scan: Scan) {
    super(scan.found);
    this.scan = scan;
  }
}

/** Gives the index after the value of a member, which begins at `start`. */
type Member = (key: string, start: number) => Generator<undefined, number>;

class Scanner {
  readonly #bytes: Buffer;
  readonly #maxAround: number;
  #requests = 0;
  #members = 0;
  #list: Spans | undefined;

  constructor(bytes: Buffer, maxAround: number) {
    this.#bytes = bytes;
    this.#maxAround = maxAround;
  }

  *scan(): Generator<undefined, Scan> {
    const bytes = this.#bytes;
    const start = afterBlank(bytes, 0);
    if (bytes[start] !== openObject) {
      const isFault = !/[[{"\-0-9tfn]/.test(String.fromCharCode(bytes[start] ?? 0));
      if (isFault) return { found: "fault", at: start };
      return bytes.length > this.#maxAround ? tooMuchText : { found: "nothing" };
    }
    const end = yield* this.#afterMembers(start, this.#review);
    const rest = afterBlank(bytes, end);
    if (rest < bytes.length) return { found: "fault", at: rest };
    if (this.#requests > 1) return { found: "duplicate", member: "request" };
    if (this.#members > 1) return { found: "duplicate", member: "request.objects" };
    return this.#list === undefined ? { found: "nothing" } : { found: "list", spans: this.#list };
  }

  readonly #review: Member = function* (this: Scanner, key: string, start: number) {
    if (key === "request") this.#requests++;
    const isRequest = key === "request" && this.#bytes[start] === openObject;
    return isRequest ? yield* this.#afterMembers(start, this.#request) : this.#afterValue(start);
  }.bind(this);

  readonly #request: Member = function* (this: Scanner, key: string, start: number) {
    if (key === "objects") this.#members++;
    if (key !== "objects" || this.#bytes[start] !== openList) return this.#afterValue(start);
    const spans = yield* this.#spans(start);
    this.#list = spans;
    return spans.to;
  }.bind(this);

  /** The index after the object that begins at an index; `member` scans each of its members. */
  *#afterMembers(start: number, member: Member): Generator<undefined, number> {
    const bytes = this.#bytes;
    let at = afterBlank(bytes, start + 1);
    if (bytes[at] === closeObject) return at + 1;
    for (;;) {
      if (bytes[at] !== quote) this.#fault(at);
      const keyEnd = endOfString(bytes, at);
      const key = this.#key(at, keyEnd);
      const after = afterBlank(bytes, keyEnd + 1);
      if (bytes[after] !== colon) this.#fault(after);
      at = afterBlank(bytes, yield* member(key, afterBlank(bytes, after + 1)));
      this.#limit(at);
      if (bytes[at] === closeObject) return at + 1;
      if (bytes[at] !== comma) this.#fault(at);
      at = afterBlank(bytes, at + 1);
    }
  }

  /** A key, unescaped; empty if it is too long to be one of those that a scan looks for. */
  #key(start: number, end: number): string {
    if (end - start > longestKey) return "";
    const text = this.#bytes.toString("latin1", start, end + 1);
    if (!text.includes("\\")) return text.slice(1, -1);
    try {
      return JSON.parse(text) as string;
    } catch {
      return this.#fault(start + text.indexOf("\\"));
    }
  }

  *#spans(start: number): Generator<undefined, Spans> {
    const bytes = this.#bytes;
    const [starts, ends]: [number[], number[]] = [[], []];
    let at = afterBlank(bytes, start + 1);
    if (bytes[at] === closeList) return { from: start, to: at + 1, starts, ends };
    for (;;) {
      const end = this.#afterValue(at);
      if (starts.length === mostItems) throw new Stop({ found: "excess", of: "items" });
      starts.push(at);
      ends.push(end);
      at = afterBlank(bytes, end);
      if (bytes[at] === closeList) return { from: start, to: at + 1, starts, ends };
      if (bytes[at] !== comma) this.#fault(at);
      at = afterBlank(bytes, at + 1);
      yield undefined;
    }
  }

  #afterValue(start: number): number {
    const end = skipValue(this.#bytes, start);
    if (end !== undefined) return end;
    const first = this.#bytes[start];
    // If a bracket or quote is not closed, the text ends too early.
    const isOpen = first === openList || first === openObject || first === quote;
    return this.#fault(isOpen ? this.#bytes.length : start);
  }

  #limit(at: number): void {
    const list = this.#list === undefined ? 0 : this.#list.to - this.#list.from;
    if (at - list > this.#maxAround) throw new Stop(tooMuchText);
  }

  #fault(at: number): never {
    throw new Stop({ found: "fault", at: Math.min(at, this.#bytes.length) });
  }
}

/** Bytes: the opening quote, and `objects` with each character written as an escape. */
const longestKey = 43;
