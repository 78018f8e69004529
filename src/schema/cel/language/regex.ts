import { GoFault } from "../../../go/fault.ts";
import { compileRegexp } from "../../../go/regexp.ts";
import { CelError, noSuchOverload, type Value } from "./values.ts";
import type { Work } from "./work.ts";

/** Whether a pattern is found in a text. */
export function matches(text: Value, pattern: Value): Value {
  if (typeof text !== "string" || typeof pattern !== "string") return noSuchOverload;
  const compiled = compileRegexp(pattern);
  return compiled instanceof GoFault ? new CelError(compiled.message) : compiled.isFoundIn(text);
}

/** The first match, or nothing. */
export function find(text: string, pattern: string, work: Work): Value {
  const found = findTexts(text, pattern, 1, work);
  return found instanceof CelError ? found : (found[0] ?? "");
}

/** All matches, or so many of them. */
export function findTexts(
  text: string,
  pattern: string,
  limit: number,
  work: Work,
): readonly string[] | CelError {
  const compiled = compileRegexp(pattern);
  if (compiled instanceof GoFault) return new CelError(`Illegal regex: ${compiled.message}`);
  const found: string[] = [];
  if (limit === 0) return found;
  // To know where a match without a longest length ends, all that follows may have to be read.
  const ahead = /[*+{]/.test(pattern) ? 4 : 0;
  let lastEnd = -1;
  for (const [start, end] of compiled.matches(text)) {
    work.spend(ahead * (text.length - start));
    // Go counts no empty match directly after another match.
    if (start !== end || start !== lastEnd) found.push(text.slice(start, end));
    lastEnd = end;
    if (found.length === limit) break;
  }
  return found;
}
