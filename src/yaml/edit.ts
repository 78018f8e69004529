import { diffArrays } from "diff";
import { CST, isMap, isScalar, isSeq, Lexer, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from "../json/json.ts";
import { type LineEnd, lineEndAt, plainLines, withLineEnds } from "./line-ends.ts";
import { writeYamlAt } from "./write.ts";
import { documentNodes, readYaml, SyntaxFault, writeYaml } from "./yaml.ts";

/** A part of a text, by its offsets, and what it is replaced with. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Changes a YAML or JSON text so that its documents have new values. Only what differs is written anew: comments, quotes and
 * the order of keys stay elsewhere. A comment inside a value that is removed or replaced stays too, at its place. `values` are
 * those of the documents that `readYaml` returns, in order. Lines keep their ends, and new lines get those of the line before.
 */
export function editYaml(text: string, values: readonly Json[]): string {
  const before = readYaml(text).map(({ value }) => value);
  if (equal([...values], [...before])) return text;
  const edited = spliced(text, before, values);
  // The values of anchors, merge keys and the like may depend on what was changed: then the text is written as a whole.
  if (edited !== undefined && says(edited, values)) return edited;
  const [mark = ""] = /^\ufeff/.exec(text) ?? [];
  return mark + withLineEnds(values.map(writeYaml).join("---\n"), lineEndAt(text, 0));
}

function spliced(text: string, before: readonly Json[], values: readonly Json[]): string | undefined {
  const offset = text.startsWith("\ufeff") ? 1 : 0;
  const body = text.slice(offset);
  const { text: plain, originalOffset } = plainLines(body);
  const nodes = nodesOf(plain);
  if (nodes?.length !== before.length) return undefined;
  const splices = nodes.flatMap((node, index) =>
    change(plain, node, before[index] ?? null, values[index] ?? null),
  );
  let edited = body;
  // From the end; of several at one offset the innermost is written last, and so comes first.
  for (const splice of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    const [from, to] = [originalOffset(splice.from), originalOffset(splice.to)];
    const more = withLineEnds(splice.text, endOfNewLines(body, from, to));
    edited = edited.slice(0, from) + more + edited.slice(to);
  }
  return text.slice(0, offset) + edited;
}

/** The end of lines that are written over a part of a text: that of the line before the first new one. */
function endOfNewLines(text: string, from: number, to: number): LineEnd {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  // What is inserted where a line begins stands before it; anything else begins in the line itself.
  const isBefore = from === to && lineStart > 0 && text.slice(lineStart, from).trim() === "";
  return lineEndAt(text, isBefore ? lineStart - 1 : from);
}

/** The root nodes of a text; undefined if the text is JSON that YAML cannot read. */
function nodesOf(text: string): readonly unknown[] | undefined {
  try {
    return [...documentNodes(text)].map(({ contents }) => contents);
  } catch (error) {
    if (error instanceof SyntaxFault) return undefined;
    throw error;
  }
}

function says(text: string, values: readonly Json[]): boolean {
  try {
    const read = readYaml(text).map(({ value }) => value);
    return equal(read, [...values]);
  } catch (error) {
    if (error instanceof SyntaxFault) return false;
    throw error;
  }
}

function change(text: string, node: unknown, before: Json, after: Json): readonly Splice[] {
  if (equal(before, after)) return [];
  const inner =
    isMap(node) && isObject(before) && isObject(after)
      ? changeMap(text, node, before, after)
      : isSeq(node) && isArray(before) && isArray(after)
        ? changeList(text, node, before, after)
        : undefined;
  return inner ?? [replacement(text, node, after)];
}

/** Undefined if the map has to be written anew. */
function changeMap(
  text: string,
  map: YAMLMap,
  before: JsonObject,
  after: JsonObject,
): readonly Splice[] | undefined {
  const [first] = map.items;
  const isRemoved = (pair: Pair) => !Object.hasOwn(after, keyOf(pair) ?? "");
  const removed = map.items.filter((pair) => keyOf(pair) !== undefined && isRemoved(pair));
  // A flow map is a line or two, and an empty one cannot be written in block style.
  if (first === undefined || (removed.length > 0 && (map.flow === true || isEmpty(after)))) return undefined;
  const changes = map.items.flatMap((pair) => {
    const key = keyOf(pair);
    if (key === undefined || !Object.hasOwn(before, key) || removed.includes(pair)) return [];
    return change(text, pair.value ?? pair.key, before[key] ?? null, after[key] ?? null);
  });
  const column = columnOf(text, startOf(first.key));
  const { replacing, more } = paired(
    removed.map((pair) => [keyOf(pair) ?? "", before[keyOf(pair) ?? ""] ?? null]),
    Object.entries(after).filter(([key]) => !Object.hasOwn(before, key)),
  );
  const written = ([key, value]: Member) =>
    map.flow === true ? writeJson({ [key]: value }).slice(1, -1) : writeYamlAt({ [key]: value }, column);
  // New members take the places of removed ones: under a new name they most often say what those said.
  const renamed = removed.map((pair, index) => {
    const member = replacing[index];
    return replaced(text, startOf(pair.key), endOf(pair), member && written(member));
  });
  return [...changes, ...renamed, ...(more.length === 0 ? [] : [appended(text, map, more.map(written))])];
}

type Member = readonly [key: string, value: Json];

/**
 * Which new member replaces which removed one, so that each takes over the comment of its own: one that says the same value
 * under the same name, else one with the same value, else one with the name in it, else the next one.
 */
function paired(
  removed: readonly Member[],
  added: readonly Member[],
): { readonly replacing: readonly (Member | undefined)[]; readonly more: readonly Member[] } {
  const rest = [...added];
  const take = (at: number) => (at < 0 ? undefined : rest.splice(at, 1)[0]);
  const replacing: (Member | undefined)[] = removed.map(() => undefined);
  for (const isAlike of [hasMember, hasValue, hasName, () => true]) {
    for (const [index, one] of removed.entries()) {
      replacing[index] ??= take(rest.findIndex((each) => isAlike(each, one) || isAlike(one, each)));
    }
  }
  return { replacing, more: rest };
}

/** Whether a member has another one in it, at any depth. */
function hasMember([, value]: Member, one: Member): boolean {
  return membersOf(value).some(
    (each) => (each[0] === one[0] && equal(each[1], one[1])) || hasMember(each, one),
  );
}

function hasValue([, value]: Member, [, other]: Member): boolean {
  return equal(value, other);
}

function hasName([, value]: Member, one: Member): boolean {
  return membersOf(value).some((each) => each[0] === one[0] || hasName(each, one));
}

function membersOf(value: Json): readonly Member[] {
  return isObject(value) ? Object.entries(value) : [];
}

function isEmpty(value: Json): boolean {
  return isLeaf(value) && (isArray(value) || isObject(value));
}

/** Writes a member or item of block style over another one, or removes it. Comments inside the old one stay. */
function replaced(text: string, from: number, end: number, item: string | undefined): Splice {
  const last = text[end - 1] === "\n" ? end - 1 : end;
  const to = item?.includes("\n") ? endOfComment(text, last) : last;
  const indent = `\n${" ".repeat(columnOf(text, from))}`;
  const kept = commentsBetween(text, from, to);
  const written = [...kept, ...(item === undefined ? [] : [item])].join(indent);
  return written === "" ? { ...wholeLines(text, from, to), text: "" } : { from, to, text: written };
}

/** The end of a comment behind an offset, on the same line; it could not stand behind a value of several lines. */
function endOfComment(text: string, offset: number): number {
  const [comment = ""] = /^[ \t]+#.*/.exec(text.slice(offset)) ?? [];
  return offset + comment.length;
}

/** A part of a text, with its line if nothing else stands on it, or with the spaces before what follows it. */
function wholeLines(text: string, from: number, to: number): { readonly from: number; readonly to: number } {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const lineEnd = text.indexOf("\n", to);
  const [before, after] = [text.slice(lineStart, from), text.slice(to, lineEnd < 0 ? text.length : lineEnd)];
  if (after.trim() !== "") return { from, to: to + after.length - after.trimStart().length };
  if (before.trim() === "") return { from: lineStart, to: lineEnd < 0 ? text.length : lineEnd + 1 };
  // Behind the dash of an item the next member follows.
  const [gap = ""] = /^\s*(?=[^\s#])/.exec(text.slice(to)) ?? [];
  return { from, to: to + gap.length };
}

/** The first comment of a text that another text does not have; undefined if it has all of them. */
export function lostComment(before: string, after: string): string | undefined {
  const left = Map.groupBy(commentsIn(after), (comment) => comment);
  return commentsIn(before).find((comment) => left.get(comment)?.pop() === undefined);
}

/** The comments in a part of a text. Its first line is indented as it was: a block scalar may depend on that. */
function commentsBetween(text: string, from: number, to: number): readonly string[] {
  return commentsIn(" ".repeat(columnOf(text, from)) + text.slice(from, to));
}

/** The comments in a YAML text, in order, each from its `#` to the end of its line. */
function commentsIn(text: string): readonly string[] {
  const comments: string[] = [];
  let isScalarNext = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalarNext && lexeme.startsWith("#")) comments.push(lexeme.trimEnd());
    isScalarNext = lexeme === CST.SCALAR;
  }
  return comments;
}

/** Undefined if the list has to be written anew. */
function changeList(
  text: string,
  list: YAMLSeq,
  before: JsonArray,
  after: JsonArray,
): readonly Splice[] | undefined {
  if (list.items.length === 0) return undefined;
  const splices: Splice[] = [];
  const isFlow = list.flow === true;
  const column = columnOf(text, startOf(list));
  const written = (value: Json) => (isFlow ? writeJson(value) : `- ${writeYamlAt(value, column + 2)}`);
  let at = 0;
  for (const { added, removed, replacement: others, value } of hunksOf(before, after)) {
    if (removed) {
      if (isFlow || after.length === 0) return undefined;
      const gone = list.items.slice(at, at + value.length);
      splices.push(...gone.map((each) => replaced(text, dashBefore(text, each), endOf(each), undefined)));
    }
    if (others !== undefined) {
      splices.push(
        ...others.flatMap((each, index) =>
          change(text, list.items[at + index], before[at + index] ?? null, each),
        ),
      );
    }
    if (added) {
      const items = value.map(written);
      const next = list.items[at];
      splices.push(
        next === undefined ? appended(text, list, items) : inserted(text, next, items, isFlow, column),
      );
    } else at += (others ?? value).length;
  }
  return splices;
}

interface Hunk {
  readonly added: boolean;
  readonly removed: boolean;
  readonly value: readonly Json[];
  /** The new values of as many items, if they only changed. */
  readonly replacement?: readonly Json[];
}

function hunksOf(before: JsonArray, after: JsonArray): readonly Hunk[] {
  const changes = diffArrays([...before], [...after], { comparator: (a, b) => equal(a, b) });
  const hunks: Hunk[] = [];
  for (const { added, removed, value } of changes) {
    const last = hunks.at(-1);
    if (!added || last?.removed !== true) {
      hunks.push({ added, removed, value });
      continue;
    }
    hunks.pop();
    const both = Math.min(last.value.length, value.length);
    const [old, more] = [last.value.slice(both), value.slice(both)];
    const changed = { value: last.value.slice(0, both), replacement: value.slice(0, both) };
    hunks.push({ added: false, removed: false, ...changed });
    if (old.length > 0) hunks.push({ added: false, removed: true, value: old });
    if (more.length > 0) hunks.push({ added: true, removed: false, value: more });
  }
  return hunks;
}

/** Items before an item of a list; in block style that is where its dash is. */
function inserted(
  text: string,
  next: unknown,
  items: readonly string[],
  isFlow: boolean,
  column: number,
): Splice {
  const start = startOf(next);
  const at = isFlow ? start : dashBefore(text, next);
  const separator = isFlow ? ", " : `\n${" ".repeat(column)}`;
  return { from: at, to: at, text: items.map((each) => each + separator).join("") };
}

/** Where the dash of an item in block style is. */
function dashBefore(text: string, item: unknown): number {
  return text.lastIndexOf("-", startOf(item) - 1);
}

/** Members or items after the last one. In block style they begin a line, after a comment at the end of that of the last. */
function appended(text: string, collection: YAMLMap | YAMLSeq, items: readonly string[]): Splice {
  const last = collection.items.at(-1);
  const end = endOf(last);
  if (collection.flow === true)
    return { from: end, to: end, text: items.map((each) => `, ${each}`).join("") };
  const column = columnOf(text, startOf(isMap(collection) ? collection.items[0]?.key : collection));
  const indent = " ".repeat(column);
  if (text[end - 1] === "\n") {
    return { from: end, to: end, text: items.map((each) => `${indent}${each}\n`).join("") };
  }
  const lineEnd = text.indexOf("\n", end);
  const at = lineEnd < 0 ? text.length : lineEnd;
  return { from: at, to: at, text: items.map((each) => `\n${indent}${each}`).join("") };
}

function replacement(text: string, node: unknown, after: Json): Splice {
  const [from, end] = [startOf(node), endOf(node)];
  const column = columnOf(text, from);
  const isSameSort = (isMap(node) && isObject(after)) || (isSeq(node) && isArray(after));
  const isBlock = isSameSort && (node as YAMLMap | YAMLSeq).flow !== true && !isLeaf(after);
  const to = isBlock ? endOfComment(text, end) : end;
  // A list may stand at the column of its key; anything else has to be further right.
  const isFirst = text.slice(from - column, from).trim() === "";
  const lead = from === to ? " " : !isBlock && isFirst && column < from ? "  " : "";
  const written = isBlock ? writeYamlAt(after, column) : inlineText(node, after);
  const kept = commentsBetween(text, from, to);
  const lines = [...kept, written].join(`\n${" ".repeat(isBlock ? column : column + 2)}`);
  const tail = from !== to && text[to - 1] === "\n" ? "\n" : "";
  return { from, to, text: `${lead}${lines}${tail}` };
}

/** A value on one line, without quotes where the old one had none and the new one needs none in any style. */
function inlineText(node: unknown, after: Json): string {
  const isPlain = isScalar(node) && node.type === "PLAIN" && isLeaf(after);
  const text = isPlain ? writeYamlAt(after, 0) : "";
  return /^[\w./-]+$/.test(text) ? text : writeJson(after);
}

function isLeaf(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

function keyOf({ key }: Pair): string | undefined {
  const isMerge = isScalar(key) && key.value === "<<" && key.type === "PLAIN";
  return isScalar(key) && !isMerge ? String(key.value) : undefined;
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  return isArray(range as Json) ? [Number((range as JsonArray)[0]), Number((range as JsonArray)[1])] : [0, 0];
}

function startOf(node: unknown): number {
  return rangeOf(node)[0];
}

/** Where a node ends; that of a member is where its value ends. */
function endOf(node: unknown): number {
  if (typeof node === "object" && node !== null && "key" in node && "value" in node) {
    return endOf(node.value ?? node.key);
  }
  return rangeOf(node)[1];
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}
