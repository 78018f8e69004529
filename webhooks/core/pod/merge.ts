import { compareBytes } from "../../../src/go/text.ts";
import { escaped, goText } from "./json-text.ts";

/** What a merge of two JSON texts gives, or the sentence that OpenKruise refuses with. */
export type Merged = { readonly text: string } | { readonly fault: string };

/**
 * Merges a JSON text into another (RFC 7396) and gives the text that OpenKruise's library would
 * (evanphx/json-patch v5.6.0+incompatible; sidecarset.md 2.4 and 7): what is merged comes out sorted by its keys'
 * bytes, what the patch leaves alone keeps its order and its spelling of numbers.
 */
export function mergeTexts(original: string, patch: string): Merged {
  const doc = parse(original);
  const change = parse(patch);
  if (doc === undefined || isNull(doc)) return { fault: "Invalid JSON Document" };
  if (change === undefined || isNull(change)) return { fault: "Invalid JSON Patch" };
  if (change.kind === "scalar") return { fault: "Invalid JSON Patch" };
  if (doc.kind === "object" && change.kind === "object") return { text: print(mergeObjects(doc, change)) };
  return { text: print(withoutNulls(change)) };
}

/** JSON as it was written: scalars keep their text, objects their order until they are merged. */
type Written =
  | { readonly kind: "scalar"; readonly text: string }
  | { readonly kind: "array"; readonly items: readonly Written[] }
  | {
      readonly kind: "object";
      /** As written, doubles included, keys as they were spelled. */
      readonly pairs: readonly (readonly [spelling: string, value: Written])[];
      /** What is sorted and written anew; absent where the text is kept. */
      readonly members?: ReadonlyMap<string, Written>;
    };

type WrittenObject = Extract<Written, { kind: "object" }>;

function mergeObjects(doc: WrittenObject, patch: WrittenObject): WrittenObject {
  const members = new Map(membersOf(doc));
  for (const [key, value] of membersOf(patch)) {
    const here = members.get(key);
    if (isNull(value)) members.delete(key);
    else members.set(key, here === undefined || isNull(here) ? withoutNulls(value) : merge(here, value));
  }
  return { kind: "object", pairs: [], members };
}

/** What replaces an object is taken as it is written, nulls and all; what replaces anything else is cleaned of them. */
function merge(here: Written, patch: Written): Written {
  if (here.kind !== "object") return withoutNulls(patch);
  return patch.kind === "object" ? mergeObjects(here, patch) : patch;
}

/** Members that are null go, at any depth; items of lists that are null stay. */
function withoutNulls(value: Written): Written {
  if (value.kind === "scalar") return value;
  if (value.kind === "array") {
    return { kind: "array", items: value.items.map(withoutNulls) };
  }
  const kept = [...membersOf(value)].filter(([, each]) => !isNull(each));
  return {
    kind: "object",
    pairs: [],
    members: new Map(kept.map(([key, each]) => [key, withoutNulls(each)])),
  };
}

/** By key; of a key that is there twice the last counts. */
function membersOf(object: WrittenObject): ReadonlyMap<string, Written> {
  return (
    object.members ?? new Map(object.pairs.map(([spelling, value]) => [keyOf(spelling), value] as const))
  );
}

function keyOf(spelling: string): string {
  return spelling.includes("\\") ? (JSON.parse(spelling) as string) : spelling.slice(1, -1);
}

function isNull(value: Written): boolean {
  return value.kind === "scalar" && value.text === "null";
}

function print(value: Written): string {
  if (value.kind === "scalar") return escaped(value.text);
  if (value.kind === "array") return `[${value.items.map(print).join(",")}]`;
  if (value.members === undefined) {
    return `{${value.pairs.map(([spelling, each]) => `${escaped(spelling)}:${print(each)}`).join(",")}}`;
  }
  const sorted = [...value.members].sort(([a], [b]) => compareBytes(a, b));
  return `{${sorted.map(([key, each]) => `${goText(key)}:${print(each)}`).join(",")}}`;
}

// Nobody nests an annotation so deep; the walk over it is bounded by this.
const mostDepth = 500;

/** Undefined where the text is no JSON, or nested too deep. */
function parse(text: string): Written | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return new Reader(text.toWellFormed()).value(0);
}

const space = /[ \t\n\r]*/y;
const plain = /[^{}[\],:" \t\n\r]+/y;

/** Reads a text that is known to be JSON. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Written | undefined {
    if (depth > mostDepth) return undefined;
    const first = this.#next();
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    return { kind: "scalar", text: first };
  }

  #object(depth: number): Written | undefined {
    const pairs: (readonly [string, Written])[] = [];
    for (let spelling = this.#next(); spelling !== "}"; spelling = this.#next()) {
      if (spelling === ",") continue;
      this.#next();
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      pairs.push([spelling, value]);
    }
    return { kind: "object", pairs };
  }

  #array(depth: number): Written | undefined {
    const items: Written[] = [];
    for (;;) {
      const before = this.#at;
      const first = this.#next();
      if (first === "]") return { kind: "array", items };
      if (first === ",") continue;
      this.#at = before;
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
    }
  }

  #next(): string {
    const start = this.#end(space, this.#at);
    const first = this.#text[start] ?? "";
    this.#at =
      first === '"' ? this.#stringEnd(start) : "{}[],:".includes(first) ? start + 1 : this.#end(plain, start);
    return this.#text.slice(start, this.#at);
  }

  // Step by step: a pattern with a choice in a loop runs out of stack on a long string.
  #stringEnd(start: number): number {
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
    } while (end >= 0 && isEscaped(this.#text, end));
    return end + 1;
  }

  #end(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    pattern.test(this.#text);
    return pattern.lastIndex;
  }
}

/** Whether an odd number of backslashes stands in front. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}
