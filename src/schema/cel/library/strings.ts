import { byteLength, shortEscape, trimSpace } from "../../../go/text.ts";
import { Items } from "../language/collections.ts";
import { type Row, working } from "../language/function.ts";
import { printValue } from "../language/print.ts";
import { find, findTexts } from "../language/regex.ts";
import { CelError, isList, type ListValue, type Value } from "../language/values.ts";
import type { Work } from "../language/work.ts";
import { format } from "./format-string.ts";

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
    working((work, text, old, by) => replace(work, text, old, by, -1n)),
  ],
  ["string_replace_string_string_int", "string .replace(string, string, int): string", working(replace)],
  ["string_split_string", "string .split(string): list(string)", (text, by) => split(text, by, -1n)],
  ["string_split_string_int", "string .split(string, int): list(string)", split],
  ["string_substring_int", "string .substring(int): string", (text, start) => substring(text, start)],
  ["string_substring_int_int", "string .substring(int, int): string", substringTo],
  ["string_trim", "string .trim(): string", (text) => trimSpace(text as string)],
  [
    "string_format",
    "string .format(list(dyn)): string",
    working((work, text, args) => format(text as string, args as ListValue, work)),
  ],
  ["strings_quote", "strings.quote(string): string", (text) => quoted(text as string)],
  ["list_join", "list(string) .join(): string", working((work, list) => join(work, list, ""))],
  ["list_join_string", "list(string) .join(string): string", working(join)],
  ["string_find_string", "string .find(string): string", working(find)],
  [
    "string_find_all_string",
    "string .findAll(string): list(string)",
    working((work, text, pattern) => findAll(work, text, pattern, -1n)),
  ],
  ["string_find_all_string_int", "string .findAll(string, int): list(string)", working(findAll)],
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
  if (byteLength(text as string) < byteLength(part as string)) return -1n;
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

function replace(work: Work, text: Value, old: Value, by: Value, limit: Value): Value {
  const count = limit as bigint;
  if (count === 0n) return text;
  const parts = old === "" ? ["", ...(text as string), ""] : (text as string).split(old as string);
  const last =
    count < 0n ? parts.length - 1 : Number(count < BigInt(parts.length - 1) ? count : parts.length - 1);
  // An empty old text stands before every character and at the end: n of them are replaced.
  if (old === "") return replaceEmpty(work, text as string, by as string, last);
  work.spendText((text as string).length + (by as string).length * last);
  return (
    parts
      .slice(0, last)
      .map((part) => part + by)
      .join("") + parts.slice(last).join(old as string)
  );
}

function replaceEmpty(work: Work, text: string, by: string, count: number): string {
  work.spendText(text.length + by.length * count);
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

function quoted(text: string): string {
  return `"${[...text.toWellFormed()].map((rune) => shortEscape(rune) ?? rune).join("")}"`;
}

function join(work: Work, list: Value, by: Value): Value {
  if (!isList(list)) return "";
  const parts: string[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = list.get(index);
    work.spend(1);
    if (typeof item !== "string") return new CelError(`join: invalid input: ${printValue(item, work)}`);
    parts.push(item);
  }
  work.spendText(parts.reduce((sum, part) => sum + part.length + (by as string).length, 0));
  return parts.join(by as string);
}

function findAll(work: Work, text: Value, pattern: Value, limit: Value): Value {
  const found = findTexts(work, text, pattern, Number(limit));
  return found instanceof CelError ? found : new Items(found);
}
