import { compareBytes } from "antechamber/go";

/** A string as Go's encoding/json writes it: `<`, `>`, `&`, U+2028 and U+2029 are escaped. */
export function goString(value: string): string {
  if (simple.test(value)) return `"${value}"`;
  return escapedForGo(JSON.stringify(value.toWellFormed()));
}

/** JSON text with the escapes that Go's encoder adds to its strings. */
export function escapedForGo(json: string): string {
  return /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (each) => escapes[each] ?? each)
    : json;
}

/** A map as Go's encoding/json writes it, sorted by the bytes of its keys. The values are JSON text already. */
export function goMap(members: Iterable<readonly [string, string]>): string {
  const sorted = [...members].sort(([a], [b]) => compareBytes(a, b));
  return `{${sorted.map(([key, value]) => `${goString(key)}:${value}`).join(",")}}`;
}

// Names, hashes and the like: most strings need no escape.
const simple = /^[\w./:,-]*$/;

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};
