import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { GoFault } from "./fault.ts";

/** A compiled pattern of Go's regexp package (RE2), which matches in time linear in the text. */
export interface Regexp {
  /** Whether the pattern is found in a text. */
  readonly isFoundIn: (text: string) => boolean;
  /** Where it is found, from left to right. */
  readonly matches: (text: string) => Iterable<readonly [start: number, end: number]>;
}

// Rules may make as many patterns as there are objects: only so many are remembered.
const mostPatterns = 500;
const patterns = new Map<string, Regexp | GoFault>();

/** The pattern that a text is, or why it is not one, in Go's words. */
export function compileRegexp(source: string): Regexp | GoFault {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = compiled(source);
  if (patterns.size >= mostPatterns) patterns.clear();
  patterns.set(source, pattern);
  return pattern;
}

function compiled(source: string): Regexp | GoFault {
  try {
    return regexpOf(RE2JS.compile(source));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // Go accepts one name for two groups, re2js does not; nothing here asks for a group by its name.
    const isTwice = error instanceof RE2JSSyntaxException && error.error === "duplicate capture group name";
    const nameless = source.replaceAll(/(?<!\\)\(\?P?<\w+>/g, "(");
    if (isTwice && nameless !== source) return compiled(nameless);
    // Go shows what is left of the pattern, which after a last backslash is nothing.
    return new GoFault(error.message.endsWith("`") ? error.message : `${error.message}: \`\``);
  }
}

// Objects come again and again with the same words; to look one up costs a hundredth of what a match does.
const mostWords = 500;
const longestWord = 64;

function regexpOf(re: RE2JS): Regexp {
  const words = new Map<string, boolean>();
  return {
    isFoundIn(text) {
      if (text.length > longestWord) return re.test(text.toWellFormed());
      const known = words.get(text);
      if (known !== undefined) return known;
      const found = re.test(text.toWellFormed());
      if (words.size >= mostWords) words.clear();
      words.set(text, found);
      return found;
    },
    *matches(text) {
      const matcher = re.matcher(text);
      while (matcher.find()) yield [matcher.start(), matcher.end()];
    },
  };
}
