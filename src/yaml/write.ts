import { isArray, isExactNumber, isObject, type Json } from "../json/json.ts";
import { isBeyondJson, plainValue } from "./scalar.ts";

/** Writes a value as YAML in block style, keys in the order given. A string that a reader might mistake for another value is quoted. */
export function writeYaml(value: Json): string {
  return `${block(value, "")}\n`;
}

/** The same without a line end, as it stands at a column of its first line. */
export function writeYamlAt(value: Json, column: number): string {
  return block(value, " ".repeat(column));
}

/** A value as it stands after `- ` or at the start of a line, its further lines indented. */
function block(value: Json, indent: string): string {
  if (typeof value === "string") return literal(value, indent) ?? word(value);
  if (isArray(value) && value.length > 0)
    return value.map((item) => `- ${block(item, `${indent}  `)}`).join(`\n${indent}`);
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(([key, field]) => `${keyed(word(key), indent)}${after(field, indent)}`)
      .join(`\n${indent}`);
  return leaf(value);
}

/** A value as it stands after a key and its colon. A list is not indented below its key, as with kubectl. */
function after(value: Json, indent: string): string {
  const list = isArray(value) && value.length > 0;
  const map = isObject(value) && Object.keys(value).length > 0;
  if (list) return `\n${indent}${block(value, indent)}`;
  return map ? `\n${indent}  ${block(value, `${indent}  `)}` : ` ${block(value, indent)}`;
}

/** A key and its colon. YAML ends the search for a colon after 1,024 characters, so a longer key is marked as one. */
function keyed(key: string, indent: string): string {
  return key.length > 1000 ? `? ${key}\n${indent}:` : `${key}:`;
}

/** Empty lists and maps, null, booleans, numbers. A float with an exponent gets a point, which YAML 1.1 asks for. */
function leaf(value: Json): string {
  if (isExactNumber(value)) return value.rawJSON;
  return typeof value === "number"
    ? JSON.stringify(value).replace(/^(-?\d+)e/, "$1.0e")
    : JSON.stringify(value);
}

/** A string of several lines as a block literal; undefined where a literal could not say it, or not clearly. */
function literal(text: string, indent: string): string | undefined {
  if (!text.includes("\n") || /^\s|[ \t]\n|[ \t]$/.test(text) || unprintable.test(text)) return undefined;
  const chomping = text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
  const lines = text.replace(/\n$/, "").split("\n");
  return `|${chomping}\n${lines.map((line) => (line === "" ? "" : `${indent}  ${line}`)).join("\n")}`;
}

/** A string on one line: plain where every reader of YAML 1.1 and 1.2 reads just this string, else in double quotes. */
function word(text: string): string {
  if (harmless.test(text) && !/: | #|[: ]$/.test(text) && typeof plainValue(text) === "string") {
    if (!numberLike.test(text) && !isBeyondJson(text)) return text;
  }
  return JSON.stringify(text).replaceAll(mustEscape, escaped);
}

// Begins like a word, a path, a quantity or a flag (`-x`, `--x`) and holds nothing but visible characters and spaces.
const harmless = /^(?!\.\.\.)(?:[\p{L}\p{Nd}_./(+]|--?[\p{L}_])[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
// Numbers of any kind, dates, times (07:30 is 450 in YAML 1.1), versions and addresses: quoted rather than weighed.
const numberLike = /^[-+.]*\d[\da-f_.:,+-]*$|^[-+]?0[xob]|^\d{4}-/i;
// Not printable in YAML, line ends of YAML 1.1, or not to be seen.
const unprintable = /[[\p{C}\u2028\u2029]--[\n\t]]/v;
const mustEscape = /[\p{C}\u2028\u2029]/gv;

/** An escape that YAML 1.1 knows too: no surrogates. */
function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}
