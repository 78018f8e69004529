import { compareBytes } from "antechamber/go";
import { escapedForGo, goString } from "../../kruise/shared/go-json.ts";

/** The merged text, or the message with which OpenKruise rejects the pod. */
type Merged = { readonly text: string } | { readonly fault: string };

/**
 * Merges a JSON text into another (RFC 7396), with the exact output of the library that OpenKruise uses
 * (evanphx/json-patch v5.6.0+incompatible, merge.go, MergePatch): merged objects come out with their keys sorted by
 * bytes; what the patch does not touch keeps its key order and its spelling of numbers.
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

/** Parsed JSON that remembers its spelling: scalars keep their text, objects their key order until they are merged. */
type Written =
  | { readonly kind: "scalar"; readonly text: string }
  | { readonly kind: "array"; readonly items: readonly Written[] }
  | {
      readonly kind: "object";
      /** In their order, with duplicates, and with keys as they are spelled. */
      readonly pairs: readonly (readonly [spelling: string, value: Written])[];
      /** The merged members, which are printed sorted; absent if the object was not merged. */
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

/**
 * A value that replaces an object is taken as it is, nulls included; one that replaces anything else loses its nulls.
 */
function merge(here: Written, patch: Written): Written {
  if (here.kind !== "object") return withoutNulls(patch);
  return patch.kind === "object" ? mergeObjects(here, patch) : patch;
}

/** Removes null members at any depth; null items of lists stay. */
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

/** The members by key; of a duplicate key the last one counts. */
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
  if (value.kind === "scalar") return escapedForGo(value.text);
  if (value.kind === "array") return `[${value.items.map(print).join(",")}]`;
  if (value.members === undefined) {
    return `{${value.pairs.map(([spelling, each]) => `${escapedForGo(spelling)}:${print(each)}`).join(",")}}`;
  }
  const sorted = [...value.members].sort(([a], [b]) => compareBytes(a, b));
  return `{${sorted.map(([key, each]) => `${goString(key)}:${print(each)}`).join(",")}}`;
}

// Deeper than any real annotation; it bounds the recursion.
const mostDepth = 500;

/** Undefined if the text is not JSON or is nested too deep. */
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

/** Parses a text that is known to be valid JSON. */
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

  // With a loop: a regular expression with an alternation in a repetition overflows the stack on a long string.
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

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}
