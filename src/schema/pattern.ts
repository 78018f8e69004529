import { RE2JS, RE2JSException } from "re2js";

/** A compiled pattern, or why it is none, in Go's words. */
export type Pattern = { readonly matches: (text: string) => boolean } | { readonly fault: string };

/** Compiles a pattern of a schema: Go's RE2, without an anchor, in time linear in the text. */
export function patternOf(source: string): Pattern {
  const compiled = compiledPattern(source);
  // Go does not mind a name that two groups have, and nothing here asks for a group.
  const isTwice = "fault" in compiled && compiled.fault.includes("duplicate capture group name");
  return isTwice ? compiledPattern(withNamesOfTheirOwn(source)) : compiled;
}

function compiledPattern(source: string): Pattern {
  try {
    const compiled = RE2JS.compile(source);
    return { matches: (text) => compiled.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // Go shows what is left of the pattern, and after a last backslash that is nothing.
    return { fault: error.message.endsWith("`") ? error.message : `${error.message}: \`\`` };
  }
}

function withNamesOfTheirOwn(source: string): string {
  let count = 0;
  return source.replaceAll(
    /(\(\?P?<)(\w+)>/g,
    (_, open: string, name: string) => `${open}${name}_${count++}>`,
  );
}
