import { isIp } from "./network.ts";

/** An address as Go's mail.ParseAddress takes it: `a@b`, `"a b"@[::1]`, `Some One <a@b> (office)`. */
export function isEmail(text: string): boolean {
  const end = addressEnd(text, space(text, 0), true);
  return end >= 0 && comments(text, end) === text.length;
}

// Each of these gives the offset behind what it read, or -1 where it is not there.

function addressEnd(text: string, start: number, group: boolean): number {
  if (start >= text.length) return -1;
  const spec = specEnd(text, start);
  if (spec >= 0) {
    const next = space(text, spec);
    return text[next] === "(" ? commentEnd(text, next) : next;
  }
  const named = text[start] === "<" ? start : phraseEnd(text, start);
  if (named < 0) return -1;
  const open = space(text, named);
  if (group && text[open] === ":") return groupEnd(text, open + 1);
  if (text[open] !== "<") return -1;
  const inner = specEnd(text, open + 1);
  return inner >= 0 && text[inner] === ">" ? inner + 1 : -1;
}

/** A group of exactly one address. */
function groupEnd(text: string, start: number): number {
  const only = addressEnd(text, space(text, start), false);
  const close = only < 0 ? -1 : comments(text, only);
  return close >= 0 && text[close] === ";" ? comments(text, close + 1) : -1;
}

function specEnd(text: string, start: number): number {
  const begin = space(text, start);
  const local = text[begin] === '"' ? quotedEnd(text, begin) : dotAtomEnd(text, begin);
  if (local < 0 || text[local] !== "@" || text.slice(begin, local) === '""') return -1;
  const domain = space(text, local + 1);
  return text[domain] === "[" ? literalEnd(text, domain) : dotAtomEnd(text, domain);
}

/** One word or more, atoms and quoted texts, with comments between. */
function phraseEnd(text: string, start: number): number {
  let end = -1;
  for (let at = start; at >= 0 && at < text.length; ) {
    const begin = space(text, at);
    const next = text[begin] === '"' ? quotedEnd(text, begin) : atomEnd(text, begin);
    if (next < 0) return end < 0 ? -1 : begin;
    // A word in a charset that Go does not know ends the phrase, and is not read where it would be the first.
    if (isStrangeWord(text.slice(begin, next))) return end < 0 ? -1 : next;
    end = next;
    at = comments(text, next);
    if (at < 0) return -1;
  }
  return text.length;
}

function isStrangeWord(word: string): boolean {
  const [, charset = "utf-8"] = /^=\?([^?]+)\?[bq]\?[^?]*\?=$/i.exec(word) ?? [];
  return !["utf-8", "iso-8859-1", "us-ascii"].includes(charset.toLowerCase());
}

function atomEnd(text: string, start: number): number {
  let at = start;
  while (isVisible(text, at) && !'()<>[]:;@\\,"'.includes(text.charAt(at))) at++;
  return at > start ? at : -1;
}

function dotAtomEnd(text: string, start: number): number {
  const end = atomEnd(text, start);
  if (end < 0) return -1;
  const atom = text.slice(start, end);
  return atom.startsWith(".") || atom.endsWith(".") || atom.includes("..") ? -1 : end;
}

function quotedEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === "\\") at++;
    if (!isVisible(text, at) && text[at] !== " " && text[at] !== "\t") return -1;
  }
  return -1;
}

/** Whether there is a printing character at an offset; all beyond ASCII count as such. */
function isVisible(text: string, at: number): boolean {
  const code = at < text.length ? text.charCodeAt(at) : 0;
  return code > 0x20 && code !== 0x7f;
}

function literalEnd(text: string, start: number): number {
  const close = text.indexOf("]", start);
  return close >= 0 && isIp(text.slice(start + 1, close)) ? close + 1 : -1;
}

function comments(text: string, start: number): number {
  let at = space(text, start);
  while (text[at] === "(") {
    at = commentEnd(text, at);
    if (at < 0) return -1;
    at = space(text, at);
  }
  return at;
}

function commentEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\" && at + 1 < text.length) at++;
    else if (text[at] === "(") depth++;
    else if (text[at] === ")") {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function space(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}
