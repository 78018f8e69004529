/**
 * The index of the first character at which a text is not JSON, or the text's length if it ends too early. For a text that
 * JSON.parse has rejected: V8's own message does not always have the position, and quotes the text, which may hold a Secret.
 *
 * The reader of files (`json-text.ts`) has a diagnosis of its own. It stops earlier, at keys that occur twice and at deep
 * nesting, both of which a review may contain, and it describes and quotes what it found, which a rejection must not.
 */
export function endOfJson(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  for (let at = afterBlank(text, 0); at < text.length; at = afterBlank(text, at)) {
    const char = text.charAt(at);
    if ("{}[]:,".includes(char)) {
      const next = expectedAfter(char, expected, open.at(-1));
      if (next === undefined) return at;
      if (char === "{" || char === "[") open.push(char);
      if (char === "}" || char === "]") open.pop();
      expected = next;
      at++;
    } else {
      const next = expectedAfterToken(char, expected);
      const end = char === '"' ? stringAt(text, at) : scalarAt(text, at);
      if (next === undefined) return at;
      if ("fault" in end) return end.fault;
      expected = next;
      at = end.after;
    }
  }
  return text.length;
}

/** What may come next. Instead of an `item` or `key` the list or object may end; instead of a `nextKey` it may not. */
type Expected = "value" | "item" | "key" | "nextKey" | "colon" | "comma";

type Token = { readonly after: number } | { readonly fault: number };

function expectedAfter(char: string, expected: Expected, inside: string | undefined): Expected | undefined {
  const startsValue = expected === "value" || expected === "item";
  switch (char) {
    case "{":
      return startsValue ? "key" : undefined;
    case "[":
      return startsValue ? "item" : undefined;
    case "}":
      return expected === "key" || (expected === "comma" && inside === "{") ? "comma" : undefined;
    case "]":
      return expected === "item" || (expected === "comma" && inside === "[") ? "comma" : undefined;
    case ":":
      return expected === "colon" ? "value" : undefined;
    default:
      if (expected !== "comma" || inside === undefined) return undefined;
      return inside === "{" ? "nextKey" : "value";
  }
}

function expectedAfterToken(char: string, expected: Expected): Expected | undefined {
  if (expected === "value" || expected === "item") return "comma";
  return char === '"' && (expected === "key" || expected === "nextKey") ? "colon" : undefined;
}

function afterBlank(text: string, start: number): number {
  return matchEnd(/[ \t\n\r]*/y, text, start) ?? start;
}

function scalarAt(text: string, start: number): Token {
  const after = matchEnd(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y, text, start);
  return after === undefined ? { fault: start } : { after };
}

function stringAt(text: string, start: number): Token {
  // The closing quote, an escape, or a control character, which JSON does not allow in a string.
  const special = /["\\]|[^ -\uffff]/g;
  for (let at = start + 1; ; ) {
    special.lastIndex = at;
    const found = special.exec(text);
    if (found === null) return { fault: text.length };
    if (found[0] === '"') return { after: found.index + 1 };
    const after = matchEnd(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y, text, found.index);
    if (after === undefined) return { fault: found.index };
    at = after;
  }
}

function matchEnd(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
