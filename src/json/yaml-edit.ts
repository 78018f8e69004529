import { diffArrays } from "diff";
import { isMap, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { equal } from "./equal.ts";
import { writeJson } from "./exact.ts";
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from "./json.ts";
import { documentNodes, readYaml, SyntaxFault, writeYaml } from "./yaml.ts";
import { writeYamlAt } from "./yaml-write.ts";

/** A part of a text, by its offsets, and what it is replaced with. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Changes a YAML or JSON text so that its documents have new values. Only what differs is written anew: comments, quotes and
 * the order of keys stay elsewhere. `values` are those of the documents that `readYaml` returns, in order.
 */
export function editYaml(text: string, values: readonly Json[]): string {
  const before = readYaml(text).map(({ value }) => value);
  if (equal([...values], [...before])) return text;
  const edited = spliced(text, before, values);
  // The values of anchors, merge keys and the like may depend on what was changed: then the text is written as a whole.
  return edited !== undefined && says(edited, values) ? edited : values.map(writeYaml).join("---\n");
}

function spliced(text: string, before: readonly Json[], values: readonly Json[]): string | undefined {
  const offset = text.startsWith("\ufeff") ? 1 : 0;
  const body = text.slice(offset);
  const nodes = nodesOf(body);
  if (nodes?.length !== before.length) return undefined;
  const splices = nodes.flatMap((node, index) =>
    change(body, node, before[index] ?? null, values[index] ?? null),
  );
  let edited = body;
  // From the end; of several at one offset the innermost is written last, and so comes first.
  for (const { from, to, text: more } of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, from) + more + edited.slice(to);
  }
  return text.slice(0, offset) + edited;
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

/** Undefined if a key was removed. */
function changeMap(
  text: string,
  map: YAMLMap,
  before: JsonObject,
  after: JsonObject,
): readonly Splice[] | undefined {
  const isKept = Object.keys(before).every((key) => Object.hasOwn(after, key));
  const [first] = map.items;
  if (!isKept || first === undefined) return undefined;
  const changes = map.items.flatMap((pair) => {
    const key = keyOf(pair);
    if (key === undefined || !Object.hasOwn(before, key)) return [];
    return change(text, pair.value ?? pair.key, before[key] ?? null, after[key] ?? null);
  });
  const added = Object.entries(after).filter(([key]) => !Object.hasOwn(before, key));
  if (added.length === 0) return changes;
  const items =
    map.flow === true
      ? added.map(([key, value]) => writeJson({ [key]: value }).slice(1, -1))
      : added.map(([key, value]) => writeYamlAt({ [key]: value }, columnOf(text, startOf(first.key))));
  return [...changes, appended(text, map, items)];
}

/** Undefined if an item was removed. */
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
  for (const { added, removed, replaced, value } of hunksOf(before, after)) {
    if (removed) return undefined;
    if (replaced !== undefined) {
      splices.push(
        ...replaced.flatMap((each, index) =>
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
    } else at += (replaced ?? value).length;
  }
  return splices;
}

interface Hunk {
  readonly added: boolean;
  readonly removed: boolean;
  readonly value: readonly Json[];
  /** The new values of as many items, if they only changed. */
  readonly replaced?: readonly Json[];
}

function hunksOf(before: JsonArray, after: JsonArray): readonly Hunk[] {
  const changes = diffArrays([...before], [...after], { comparator: (a, b) => equal(a, b) });
  const hunks: Hunk[] = [];
  for (const { added, removed, value } of changes) {
    const last = hunks.at(-1);
    if (added && last?.removed === true && last.value.length === value.length) {
      hunks[hunks.length - 1] = { added: false, removed: false, value: last.value, replaced: value };
    } else hunks.push({ added, removed, value });
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
  const at = isFlow ? start : text.lastIndexOf("-", start - 1);
  const separator = isFlow ? ", " : `\n${" ".repeat(column)}`;
  return { from: at, to: at, text: items.map((each) => each + separator).join("") };
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
  const [from, to] = [startOf(node), endOf(node)];
  const isEmpty = from === to;
  const tail = !isEmpty && text[to - 1] === "\n" ? "\n" : "";
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true && !isLeaf(after);
  const written = isBlock ? writeYamlAt(after, columnOf(text, from)) : writeJson(after);
  return { from, to, text: `${isEmpty ? " " : ""}${written}${tail}` };
}

function isLeaf(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

function keyOf({ key }: Pair): string | undefined {
  return isScalar(key) && key.value !== "<<" ? String(key.value) : undefined;
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
