import { type Document, faultAt, mostDepth, newlines, tooDeep, twice } from "./document.ts";
import { type Numbers, parseJson } from "./exact.ts";

/** Why a text is not JSON, and where. */
interface Fault {
  readonly offset: number;
  readonly message: string;
}

/** A piece of JSON: a bracket, comma or colon; `"` is a string, `0` a number or literal, `?` nothing of JSON. */
interface Token {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a text of JSON objects and lists, one after another, JSON lines too. Undefined if the text is not meant as JSON:
 * it begins with no bracket, or only its brackets are JSON (`{a: b}`), or something else stands between the values (`---`).
 */
export function readJsonText(text: string, numbers?: Numbers): readonly Document[] | undefined {
  const documents: Document[] = [];
  let line = 1;
  let counted = 0;
  for (let start = spaceEnd(text, 0); start < text.length; ) {
    if (text[start] !== "{" && text[start] !== "[") return undefined;
    const end = valueEnd(text, start);
    if (typeof end !== "number") {
      if (/^[\s{[]*$/.test(text.slice(0, end.offset))) return undefined;
      throw faultAt(text, end.offset, end.message);
    }
    line += newlines(text, counted, start);
    counted = start;
    documents.push({ value: parseJson(text.slice(start, end), numbers), line });
    start = spaceEnd(text, end);
  }
  return documents.length === 0 ? undefined : documents;
}

/** Which tokens may stand at a place, and how a message calls them. */
interface Allowed {
  readonly kinds: string;
  readonly words: string;
}

type Expectation = "value" | "firstItem" | "firstKey" | "key" | "colon" | "afterItem" | "afterField";

const expectations: Readonly<Record<Expectation, Allowed>> = {
  value: { kinds: '{["0', words: "a value" },
  firstItem: { kinds: '{["0]', words: "a value or ]" },
  firstKey: { kinds: '"}', words: "a key in double quotes or }" },
  key: { kinds: '"', words: "a key in double quotes" },
  colon: { kinds: ":", words: "a colon" },
  afterItem: { kinds: ",]", words: "a comma or ]" },
  afterField: { kinds: ",}", words: "a comma or }" },
};

/** Where the value that begins at an offset ends. Finds all that JSON.parse would, and what it would not: depth, keys twice. */
function valueEnd(text: string, start: number): number | Fault {
  // An entry for each map or list that is open: the keys of a map so far, null for a list.
  const open: (Set<string> | null)[] = [];
  let expected: Expectation = "value";
  let at = start;
  do {
    const token = tokenAt(text, at);
    if ("message" in token) return token;
    const allowed: Allowed = expectations[expected];
    if (!allowed.kinds.includes(token.kind)) return unexpected(text, token, allowed);
    const keys = open.at(-1);
    if (token.kind === '"' && keys && expected !== "value") {
      const key = JSON.parse(text.slice(token.start, token.end)) as string;
      if (keys.has(key)) return { offset: token.start, message: twice(key) };
      keys.add(key);
      expected = "colon";
    } else if (token.kind === "{" || token.kind === "[") {
      if (open.length === mostDepth) return { offset: token.start, message: tooDeep(mostDepth) };
      open.push(token.kind === "{" ? new Set() : null);
      expected = token.kind === "{" ? "firstKey" : "firstItem";
    } else if (token.kind === ",") expected = keys ? "key" : "value";
    else if (token.kind === ":") expected = "value";
    else {
      if (token.kind === "}" || token.kind === "]") open.pop();
      expected = open.at(-1) ? "afterField" : "afterItem";
    }
    at = token.end;
  } while (open.length > 0);
  return at;
}

const space = /[ \t\n\r]*/y;
const literal = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.])/y;

/** The next token at or after an offset, or why there is none. */
function tokenAt(text: string, offset: number): Token | Fault {
  const start = spaceEnd(text, offset);
  const kind = text[start] ?? "?";
  if ("{}[],:".includes(kind)) return { kind, start, end: start + 1 };
  if (kind === '"') return stringAt(text, start);
  literal.lastIndex = start;
  return literal.test(text) ? { kind: "0", start, end: literal.lastIndex } : { kind: "?", start, end: start };
}

// All but quotes, backslashes and the control characters below the space.
const plain = /[ !#-[\]-\uffff]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The string that begins at an offset. In steps, since one pattern for it all would run out of stack on a long string. */
function stringAt(text: string, start: number): Token | Fault {
  for (let at = start + 1; ; at = escapeSequence.lastIndex) {
    plain.lastIndex = at;
    plain.test(text);
    const offset = plain.lastIndex;
    if (text[offset] === '"') return { kind: '"', start, end: offset + 1 };
    if (text[offset] === undefined) return { offset: start, message: "this string has no end" };
    escapeSequence.lastIndex = offset;
    if (escapeSequence.test(text)) continue;
    if (text[offset] === "\\") return { offset, message: "JSON knows no such escape" };
    return { offset, message: "a line end or control character in a string must be written as an escape" };
  }
}

/** The first offset from the given one on where no white space stands. */
function spaceEnd(text: string, offset: number): number {
  space.lastIndex = offset;
  space.test(text);
  return space.lastIndex;
}

function unexpected(text: string, { start }: Token, { words }: Allowed): Fault {
  if (start >= text.length) return { offset: start, message: `the text ends where ${words} should stand` };
  const found = String.fromCodePoint(text.codePointAt(start) ?? 0);
  return { offset: start, message: `${words} should stand here, not ${JSON.stringify(found)}` };
}
