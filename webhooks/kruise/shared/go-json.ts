import { compareBytes } from "antechamber";

/** A text as encoding/json of Go writes it: `<`, `>`, `&` and two line separators are escapes (sidecarset.md 2.4, 2.11). */
export function goString(text: string): string {
  if (simple.test(text)) return `"${text}"`;
  return escapedForGo(JSON.stringify(text.toWellFormed()));
}

/** JSON text with the escapes that Go's encoder would have put into its strings. */
export function escapedForGo(json: string): string {
  return /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (each) => escapes[each] ?? each)
    : json;
}

/** A map as Go writes it, members that are JSON text already, in the order of their keys' bytes. */
export function goMap(members: Iterable<readonly [string, string]>): string {
  const sorted = [...members].sort(([a], [b]) => compareBytes(a, b));
  return `{${sorted.map(([key, value]) => `${goString(key)}:${value}`).join(",")}}`;
}

// Names, hashes and the like: most of what is ever written.
const simple = /^[\w./:,-]*$/;

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};
