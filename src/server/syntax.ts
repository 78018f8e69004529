/**
 * Where a text stops being JSON: the index of the first character that cannot stand there, or the text's length where it
 * ends too early. V8 does not tell in every case, and quotes the text, which may be a Secret's. For a text that
 * JSON.parse has refused.
 */
export function endOfJson(text: string): number {
  const open: string[] = [];
  let due: Due = "value";
  for (let at = afterBlank(text, 0); at < text.length; at = afterBlank(text, at)) {
    const char = text.charAt(at);
    if ("{}[]:,".includes(char)) {
      const next = dueAfter(char, due, open.at(-1));
      if (next === undefined) return at;
      if (char === "{" || char === "[") open.push(char);
      if (char === "}" || char === "]") open.pop();
      due = next;
      at++;
    } else {
      const next = dueAfterToken(char, due);
      const end = char === '"' ? stringAt(text, at) : scalarAt(text, at);
      if (next === undefined) return at;
      if ("fault" in end) return end.fault;
      due = next;
      at = end.after;
    }
  }
  return text.length;
}

/** What may come next: an item may also be the end of its list, a key the end of its object; a nextKey may not. */
type Due = "value" | "item" | "key" | "nextKey" | "colon" | "comma";

type Token = { readonly after: number } | { readonly fault: number };

function dueAfter(char: string, due: Due, inside: string | undefined): Due | undefined {
  const startsValue = due === "value" || due === "item";
  switch (char) {
    case "{":
      return startsValue ? "key" : undefined;
    case "[":
      return startsValue ? "item" : undefined;
    case "}":
      return due === "key" || (due === "comma" && inside === "{") ? "comma" : undefined;
    case "]":
      return due === "item" || (due === "comma" && inside === "[") ? "comma" : undefined;
    case ":":
      return due === "colon" ? "value" : undefined;
    default:
      if (due !== "comma" || inside === undefined) return undefined;
      return inside === "{" ? "nextKey" : "value";
  }
}

function dueAfterToken(char: string, due: Due): Due | undefined {
  if (due === "value" || due === "item") return "comma";
  return char === '"' && (due === "key" || due === "nextKey") ? "colon" : undefined;
}

function afterBlank(text: string, start: number): number {
  return matchEnd(/[ \t\n\r]*/y, text, start) ?? start;
}

function scalarAt(text: string, start: number): Token {
  const after = matchEnd(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y, text, start);
  return after === undefined ? { fault: start } : { after };
}

function stringAt(text: string, start: number): Token {
  // A quote, a backslash, or anything but what a string may hold as it is: no control character.
  const remarkable = /["\\]|[^ -\uffff]/g;
  for (let at = start + 1; ; ) {
    remarkable.lastIndex = at;
    const found = remarkable.exec(text);
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
