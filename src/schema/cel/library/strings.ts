import { Items } from "../collections.ts";
import { format } from "../format.ts";
import type { Row } from "../function.ts";
import { printValue } from "../print.ts";
import { find, findTexts } from "../regex.ts";
import { CelError, isList, type ListValue, type Value } from "../values.ts";
import { spend, spendText } from "../work.ts";

/** cel-go ext/strings.go, version 2, which has no reverse; and Kubernetes' regex library. */
export const stringRows: readonly Row[] = [
  ["string_char_at_int", "string .charAt(int): string", charAt],
  ["string_index_of_string", "string .indexOf(string): int", (text, part) => indexOf(text, part, 0n)],
  ["string_index_of_string_int", "string .indexOf(string, int): int", indexOf],
  ["string_last_index_of_string", "string .lastIndexOf(string): int", lastIndexOf],
  ["string_last_index_of_string_int", "string .lastIndexOf(string, int): int", lastIndexOfFrom],
  [
    "string_lower_ascii",
    "string .lowerAscii(): string",
    (text) => (text as string).replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()),
  ],
  [
    "string_upper_ascii",
    "string .upperAscii(): string",
    (text) => (text as string).replaceAll(/[a-z]+/g, (part) => part.toUpperCase()),
  ],
  [
    "string_replace_string_string",
    "string .replace(string, string): string",
    (text, old, by) => replace(text, old, by, -1n),
  ],
  ["string_replace_string_string_int", "string .replace(string, string, int): string", replace],
  ["string_split_string", "string .split(string): list(string)", (text, by) => split(text, by, -1n)],
  ["string_split_string_int", "string .split(string, int): list(string)", split],
  ["string_substring_int", "string .substring(int): string", (text, start) => substring(text, start)],
  ["string_substring_int_int", "string .substring(int, int): string", substringTo],
  ["string_trim", "string .trim(): string", (text) => trimSpace(text as string)],
  [
    "string_format",
    "string .format(list(dyn)): string",
    (text, args) => format(text as string, args as ListValue),
  ],
  ["strings_quote", "strings.quote(string): string", (text) => quoted(text as string)],
  ["list_join", "list(string) .join(): string", (list) => join(list, "")],
  ["list_join_string", "list(string) .join(string): string", join],
  ["string_find_string", "string .find(string): string", find],
  [
    "string_find_all_string",
    "string .findAll(string): list(string)",
    (text, pattern) => findAll(text, pattern, -1n),
  ],
  ["string_find_all_string_int", "string .findAll(string, int): list(string)", findAll],
];

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: Value, index: Value): Value {
  const runes = [...(text as string)];
  const at = index as bigint;
  return at < 0n || at > runes.length ? outOfRange(at) : (runes[Number(at)] ?? "");
}

function indexOf(text: Value, part: Value, offset: Value): Value {
  if (part === "") return offset;
  const from = offset as bigint;
  if (from < 0n) return outOfRange(from);
  const runes = [...(text as string)];
  if (from >= runes.length) return -1n;
  const rest = runes.slice(Number(from)).join("");
  const at = rest.indexOf(part as string);
  return at < 0 ? -1n : from + BigInt([...rest.slice(0, at)].length);
}

function lastIndexOf(text: Value, part: Value): Value {
  const count = BigInt([...(text as string)].length);
  if (part === "") return count;
  if (Buffer.byteLength(text as string) < Buffer.byteLength(part as string)) return -1n;
  return lastIndexOfFrom(text, part, count - 1n);
}

function lastIndexOfFrom(text: Value, part: Value, offset: Value): Value {
  if (part === "") return offset;
  const from = offset as bigint;
  if (from < 0n) return outOfRange(from);
  const runes = [...(text as string)];
  if (from >= runes.length) return -1n;
  const upTo = runes.slice(0, Number(from) + [...(part as string)].length).join("");
  const at = upTo.lastIndexOf(part as string);
  return at < 0 ? -1n : BigInt([...upTo.slice(0, at)].length);
}

function replace(text: Value, old: Value, by: Value, limit: Value): Value {
  const count = limit as bigint;
  if (count === 0n) return text;
  const parts = old === "" ? ["", ...(text as string), ""] : (text as string).split(old as string);
  const last =
    count < 0n ? parts.length - 1 : Number(count < BigInt(parts.length - 1) ? count : parts.length - 1);
  // An empty old text stands before every character and at the end: n of them are replaced.
  if (old === "") return replaceEmpty(text as string, by as string, last);
  spendText((text as string).length + (by as string).length * last);
  return (
    parts
      .slice(0, last)
      .map((part) => part + by)
      .join("") + parts.slice(last).join(old as string)
  );
}

function replaceEmpty(text: string, by: string, count: number): string {
  spendText(text.length + by.length * count);
  const runes = [...text];
  const head = runes
    .slice(0, count)
    .map((rune) => by + rune)
    .join("");
  return head + (count > runes.length ? by : runes.slice(count).join(""));
}

function split(text: Value, by: Value, limit: Value): Value {
  const count = limit as bigint;
  if (count === 0n) return new Items([]);
  const parts = by === "" ? [...(text as string)] : (text as string).split(by as string);
  if (count < 0n || count >= BigInt(parts.length)) return new Items(parts);
  const kept = Number(count) - 1;
  return new Items([...parts.slice(0, kept), parts.slice(kept).join(by as string)]);
}

function substring(text: Value, start: Value): Value {
  const runes = [...(text as string)];
  const from = start as bigint;
  return from < 0n || from > runes.length ? outOfRange(from) : runes.slice(Number(from)).join("");
}

function substringTo(text: Value, start: Value, end: Value): Value {
  const [from, to] = [start as bigint, end as bigint];
  if (from > to) return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  const runes = [...(text as string)];
  if (from < 0n || from > runes.length) return outOfRange(from);
  return to > runes.length ? outOfRange(to) : runes.slice(Number(from), Number(to)).join("");
}

/** What Go's strings.TrimSpace takes away: Unicode's White_Space, so not the byte order mark. */
export function trimSpace(text: string): string {
  const space = "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  let [start, end] = [0, text.length];
  const isSpace = new RegExp(space);
  while (start < end && isSpace.test(text[start] ?? "")) start++;
  while (end > start && isSpace.test(text[end - 1] ?? "")) end--;
  return text.slice(start, end);
}

const escapes = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

function quoted(text: string): string {
  return `"${[...text.toWellFormed()].map((rune) => escapes.get(rune) ?? rune).join("")}"`;
}

function join(list: Value, by: Value): Value {
  if (!isList(list)) return "";
  const parts: string[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = list.get(index);
    spend(1);
    if (typeof item !== "string") return new CelError(`join: invalid input: ${printValue(item)}`);
    parts.push(item);
  }
  spendText(parts.reduce((sum, part) => sum + part.length + (by as string).length, 0));
  return parts.join(by as string);
}

function findAll(text: Value, pattern: Value, limit: Value): Value {
  const found = findTexts(text, pattern, Number(limit));
  return found instanceof CelError ? found : new Items(found);
}
