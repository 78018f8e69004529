import { compareBytes } from "../../../src/go/text.ts";
import { isArray, isObject, type Json, own } from "../../../src/json/json.ts";

/** A text as encoding/json of Go writes it: `<`, `>`, `&` and two line separators are escapes (sidecarset.md 2.4, 2.11). */
export function goText(text: string): string {
  if (simple.test(text)) return `"${text}"`;
  return escaped(JSON.stringify(text.toWellFormed()));
}

/** JSON text with the escapes that Go's encoder would have put into its strings. */
export function escaped(json: string): string {
  return /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (each) => escapes[each] ?? each)
    : json;
}

/** A map as Go writes it, members that are JSON text already, in the order of their keys' bytes. */
export function goMap(members: Iterable<readonly [string, string]>): string {
  const sorted = [...members].sort(([a], [b]) => compareBytes(a, b));
  return `{${sorted.map(([key, value]) => `${goText(key)}:${value}`).join(",")}}`;
}

/** The text under a key; empty where there is none. */
export function textAt(value: Json | undefined, key: string): string {
  const found = own(value, key);
  return typeof found === "string" ? found : "";
}

/** The objects of the list under a key; none where there is no list. */
export function objectsAt(value: Json | undefined, key: string): readonly Record<string, Json>[] {
  const found = own(value, key);
  return isArray(found) ? found.filter(isObject) : [];
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
