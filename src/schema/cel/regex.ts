import { RE2JS } from "re2js";
import { CelError, noSuchOverload, type Value } from "./values.ts";
import { spend } from "./work.ts";

/** A compiled pattern, or why it is none, in the words of Go's regexp package. */
export type Pattern = RE2JS | { readonly fault: string };

// A rule names few patterns, but may make as many as there are objects: only so many are remembered.
const most = 200;
const patterns = new Map<string, Pattern>();

/** The pattern that a text says. Patterns are remembered: what compiles one is its text alone. */
export function patternOf(text: string): Pattern {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const pattern = compile(text);
  if (patterns.size >= most) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
}

function compile(text: string): Pattern {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    // Go takes a name for two groups; nothing here asks for groups by name.
    if (isDuplicateName(error)) return compile(text.replaceAll(/(?<!\\)\(\?P?<\w+>/g, "("));
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function isDuplicateName(error: unknown): boolean {
  return error instanceof Error && /duplicate capture group name/i.test(error.message);
}

export const isPattern = (pattern: Pattern): pattern is RE2JS => pattern instanceof RE2JS;

/** Whether a pattern is found in a text. */
export function matches(text: Value, pattern: Value): Value {
  if (typeof text !== "string" || typeof pattern !== "string") return noSuchOverload;
  const compiled = patternOf(pattern);
  return isPattern(compiled) ? isFound(compiled, text) : new CelError(compiled.fault);
}

// Objects come again and again with the same words; to look one up costs a hundredth of what a match does.
const mostWords = 500;
const longestWord = 64;
const words = new WeakMap<RE2JS, Map<string, boolean>>();

function isFound(pattern: RE2JS, text: string): boolean {
  if (text.length > longestWord) return pattern.matcher(text).find();
  const known = words.get(pattern) ?? new Map<string, boolean>();
  const before = known.get(text);
  if (before !== undefined) return before;
  const found = pattern.matcher(text).find();
  if (known.size >= mostWords) known.clear();
  words.set(pattern, known.set(text, found));
  return found;
}

/** The first match, or nothing. */
export function find(text: Value, pattern: Value): Value {
  const found = findTexts(text, pattern, 1);
  return found instanceof CelError ? found : (found[0] ?? "");
}

/** All matches, or so many of them. */
export function findTexts(text: Value, pattern: Value, limit: number): readonly string[] | CelError {
  if (typeof text !== "string" || typeof pattern !== "string") return noSuchOverload;
  const compiled = patternOf(pattern);
  if (!isPattern(compiled)) return new CelError(`Illegal regex: ${compiled.fault}`);
  const matcher = compiled.matcher(text);
  // To know where a match without a longest length ends, all that follows may have to be read.
  const ahead = /[*+{]/.test(pattern as string) ? 4 : 0;
  const found: string[] = [];
  let lastEnd = -1;
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    // Go counts no empty match directly after another match.
    const [start, end] = [matcher.start(), matcher.end()];
    spend(ahead * (text.length - start));
    if (start !== end || start !== lastEnd) found.push(text.slice(start, end));
    lastEnd = end;
  }
  return found;
}
