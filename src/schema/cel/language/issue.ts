import { byteLength } from "../../../go/text.ts";

/** What is wrong with an expression, and at which character. */
export interface Issue {
  /** In code points from the start; -1 for the expression as a whole. */
  readonly at: number;
  readonly message: string;
}

// cel-go common/errors.go and error.go
const maxIssues = 100;
const maxSnippet = 16384;

/** The issues as the API server prints them: sorted by place, each with its line and a caret below. */
export function printIssues(source: string, issues: readonly Issue[]): string {
  const lines = source.split("\n");
  const placed = issues.slice(0, maxIssues).map((issue) => ({ issue, ...placeOf(lines, issue.at) }));
  const texts = placed
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ issue, line, column }) => printIssue(lines, issue.message, line, column));
  const more = issues.length - maxIssues;
  return [...texts, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join("\n");
}

function placeOf(lines: readonly string[], at: number): { line: number; column: number } {
  if (at < 0) return { line: -1, column: -1 };
  let left = at;
  for (const [index, line] of lines.entries()) {
    const length = [...line].length;
    if (left <= length) return { line: index + 1, column: left };
    left -= length + 1;
  }
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length };
}

function printIssue(lines: readonly string[], message: string, line: number, column: number): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const snippet = lines[line - 1]?.replaceAll("\t", " ");
  if (snippet === undefined || byteLength(snippet) > maxSnippet) return head;
  const characters = [...snippet];
  const isWide = (character: string | undefined) =>
    character !== undefined && (character.codePointAt(0) ?? 0) > 127;
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? "\uff0e" : "."));
  return `${head}\n | ${snippet}\n | ${dots.join("")}${isWide(characters[column]) ? "\uff3e" : "^"}`;
}
