import { byteLength, shortEscape, trimSpace } from "../../../go/text.ts";
import { isSince } from "../../model/kubernetes-version.ts";
import { Items } from "../language/collections.ts";
import { type Row, taking } from "../language/function.ts";
import { printValue } from "../language/print.ts";
import { find, findTexts } from "../language/regex.ts";
import { CelError, isInt, isList, isText, type ListValue, type Value } from "../language/values.ts";
import type { Work } from "../language/work.ts";
import { format } from "./format-string.ts";

/** cel-go ext/strings.go, version 2, which has no reverse; and Kubernetes' regex library. */
export const stringRows: readonly Row[] = [
  ["string_char_at_int", "string .charAt(int): string", taking([isText, isInt], charAt)],
  [
    "string_index_of_string",
    "string .indexOf(string): int",
    taking([isText, isText], (text, part, work) => indexOf(text, part, 0n, work)),
  ],
  [
    "string_index_of_string_int",
    "string .indexOf(string, int): int",
    taking([isText, isText, isInt], indexOf),
  ],
  ["string_last_index_of_string", "string .lastIndexOf(string): int", taking([isText, isText], lastIndexOf)],
  [
    "string_last_index_of_string_int",
    "string .lastIndexOf(string, int): int",
    taking([isText, isText, isInt], lastIndexOfFrom),
  ],
  [
    "string_lower_ascii",
    "string .lowerAscii(): string",
    taking([isText], (text) => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())),
  ],
  [
    "string_upper_ascii",
    "string .upperAscii(): string",
    taking([isText], (text) => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())),
  ],
  [
    "string_replace_string_string",
    "string .replace(string, string): string",
    taking([isText, isText, isText], (text, old, by, work) => replace(text, old, by, -1n, work)),
  ],
  [
    "string_replace_string_string_int",
    "string .replace(string, string, int): string",
    taking([isText, isText, isText, isInt], replace),
  ],
  [
    "string_split_string",
    "string .split(string): list(string)",
    taking([isText, isText], (text, by) => split(text, by, -1n)),
  ],
  [
    "string_split_string_int",
    "string .split(string, int): list(string)",
    taking([isText, isText, isInt], split),
  ],
  ["string_substring_int", "string .substring(int): string", taking([isText, isInt], substring)],
  [
    "string_substring_int_int",
    "string .substring(int, int): string",
    taking([isText, isInt, isInt], substringTo),
  ],
  ["string_trim", "string .trim(): string", taking([isText], trimSpace)],
  ["string_format", "string .format(list(dyn)): string", taking([isText, isList], format)],
  ["strings_quote", "strings.quote(string): string", taking([isText], quoted)],
  ["list_join", "list(string) .join(): string", taking([isList], (list, work) => join(list, "", work))],
  ["list_join_string", "list(string) .join(string): string", taking([isList, isText], join)],
  ["string_find_string", "string .find(string): string", taking([isText, isText], find)],
  [
    "string_find_all_string",
    "string .findAll(string): list(string)",
    taking([isText, isText], (text, pattern, work) => findAll(text, pattern, -1n, work)),
  ],
  [
    "string_find_all_string_int",
    "string .findAll(string, int): list(string)",
    taking([isText, isText, isInt], findAll),
  ],
];

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): Value {
  const runes = [...text];
  const at = index;
  return at < 0n || at > runes.length ? outOfRange(at) : (runes[Number(at)] ?? "");
}

function indexOf(text: string, part: string, offset: bigint, work: Work): Value {
  if (part === "") return indexOfEmpty(text, offset, work);
  const from = offset;
  if (from < 0n) return outOfRange(from);
  const runes = [...text];
  if (from >= runes.length) return -1n;
  const rest = runes.slice(Number(from)).join("");
  const at = rest.indexOf(part);
  return at < 0 ? -1n : from + BigInt([...rest.slice(0, at)].length);
}

/** An empty text is found where the search begins: since v1.37 within the text, before that anywhere. */
function indexOfEmpty(text: string, offset: bigint, { kubernetes }: Work): Value {
  if (!isSince(kubernetes, "1.37")) return offset;
  if (offset < 0n) return outOfRange(offset);
  const count = BigInt([...text].length);
  return offset > count ? count : offset;
}

function lastIndexOf(text: string, part: string, work: Work): Value {
  const count = BigInt([...text].length);
  if (part === "") return count;
  if (byteLength(text) < byteLength(part)) return -1n;
  return lastIndexOfFrom(text, part, count - 1n, work);
}

function lastIndexOfFrom(text: string, part: string, offset: bigint, work: Work): Value {
  if (part === "") return indexOfEmpty(text, offset, work);
  const from = offset;
  if (from < 0n) return outOfRange(from);
  const runes = [...text];
  if (from >= runes.length) return -1n;
  const upTo = runes.slice(0, Number(from) + [...part].length).join("");
  const at = upTo.lastIndexOf(part);
  return at < 0 ? -1n : BigInt([...upTo.slice(0, at)].length);
}

function replace(text: string, old: string, by: string, limit: bigint, work: Work): Value {
  const count = limit;
  if (count === 0n) return text;
  const parts = old === "" ? ["", ...text, ""] : text.split(old);
  const last =
    count < 0n ? parts.length - 1 : Number(count < BigInt(parts.length - 1) ? count : parts.length - 1);
  // An empty text is found before every character and at the end: n of these are replaced.
  if (old === "") return replaceEmpty(text, by, last, work);
  work.spendText(text.length + by.length * last);
  return (
    parts
      .slice(0, last)
      .map((part) => part + by)
      .join("") + parts.slice(last).join(old)
  );
}

function replaceEmpty(text: string, by: string, count: number, work: Work): string {
  work.spendText(text.length + by.length * count);
  const runes = [...text];
  const head = runes
    .slice(0, count)
    .map((rune) => by + rune)
    .join("");
  return head + (count > runes.length ? by : runes.slice(count).join(""));
}

function split(text: string, by: string, limit: bigint): Value {
  const count = limit;
  if (count === 0n) return new Items([]);
  const parts = by === "" ? [...text] : text.split(by);
  if (count < 0n || count >= BigInt(parts.length)) return new Items(parts);
  const kept = Number(count) - 1;
  return new Items([...parts.slice(0, kept), parts.slice(kept).join(by)]);
}

function substring(text: string, start: bigint): Value {
  const runes = [...text];
  const from = start;
  return from < 0n || from > runes.length ? outOfRange(from) : runes.slice(Number(from)).join("");
}

function substringTo(text: string, start: bigint, end: bigint): Value {
  const [from, to] = [start, end];
  if (from > to) return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  const runes = [...text];
  if (from < 0n || from > runes.length) return outOfRange(from);
  return to > runes.length ? outOfRange(to) : runes.slice(Number(from), Number(to)).join("");
}

function quoted(text: string): string {
  return `"${[...text.toWellFormed()].map((rune) => shortEscape(rune) ?? rune).join("")}"`;
}

function join(list: ListValue, by: string, work: Work): Value {
  const parts: string[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = list.get(index);
    work.spend(1);
    if (typeof item !== "string") return new CelError(`join: invalid input: ${printValue(item, work)}`);
    parts.push(item);
  }
  work.spendText(parts.reduce((sum, part) => sum + part.length + by.length, 0));
  return parts.join(by);
}

function findAll(text: string, pattern: string, limit: bigint, work: Work): Value {
  const found = findTexts(text, pattern, Number(limit), work);
  return found instanceof CelError ? found : new Items(found);
}
