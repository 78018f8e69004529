import { isMap, isScalar, isSeq, type LineCounter, type YAMLMap } from "yaml";
import { type Places, placesOf } from "../yaml/places.ts";

/** A text of one document, to look up where its fields stand. Lines count from 1. */
export interface TextPlaces extends Places {
  /**
   * Where the field that steps lead to stands, or would stand: the lines of the innermost container that is there, the
   * column of its fields, and the steps that are left. Steps are field names, and the keys or indexes of items.
   */
  readonly near: (steps: readonly string[]) => Near;
}

interface Near {
  readonly first: number;
  readonly last: number;
  /** How far fields that are added there are indented. */
  readonly indent: number;
  readonly rest: readonly string[];
}

/** The places of a text. It is read on the first question. */
export function textPlaces(text: string): TextPlaces {
  const places = placesOf(text);
  const near = (steps: readonly string[]) => {
    const root = places.root(0);
    return root === undefined
      ? { first: 1, last: 1, indent: 0, rest: steps }
      : nearIn(root.contents, root.lines, text, steps);
  };
  return { ...places, near };
}

interface Found {
  readonly node: unknown;
  /** Offset of what shows it: of a member its key. */
  readonly start: number;
  readonly isItem: boolean;
  /** Column of it, from 0. */
  readonly column: number;
}

function nearIn(root: unknown, lines: LineCounter, text: string, steps: readonly string[]): Near {
  const column = (offset: number) => lines.linePos(offset).col - 1;
  let here: Found = { node: root, start: 0, isItem: false, column: -2 };
  let done = 0;
  for (const step of steps) {
    const next = childOf(here.node, step);
    if (next === undefined) break;
    here = { ...next, column: column(next.start) };
    done += 1;
  }
  const [, end] = rangeOf(here.node) ?? [here.start, here.start];
  const before = text.slice(0, Math.max(end, here.start + 1)).trimEnd().length;
  return {
    first: lines.linePos(here.start).line,
    last: Math.max(lines.linePos(Math.max(before - 1, 0)).line, lines.linePos(here.start).line),
    indent: fieldsOf(here, column),
    rest: steps.slice(done),
  };
}

/** The column of the fields of a node: that of its first one; without fields that of an item, and two more than that of a member. */
function fieldsOf({ node, isItem, column: own }: Found, column: (offset: number) => number): number {
  const first = isMap(node) ? rangeOf(node.items[0]?.key) : undefined;
  const isBlock = isMap(node) && node.flow !== true;
  return first !== undefined && isBlock ? column(first[0]) : isItem ? own : own + 2;
}

function childOf(node: unknown, step: string): Omit<Found, "column"> | undefined {
  if (isMap(node)) {
    const pair = node.items.find((each) => isScalar(each.key) && String(each.key.value) === step);
    return pair && { node: pair.value ?? pair.key, start: rangeOf(pair.key)?.[0] ?? 0, isItem: false };
  }
  if (!isSeq(node)) return undefined;
  const item =
    node.items.find((each) => isNamed(each, step)) ?? node.items[/^\d+$/.test(step) ? Number(step) : -1];
  return item === undefined ? undefined : { node: item, start: rangeOf(item)?.[0] ?? 0, isItem: true };
}

/** Whether an item of a list is the one of a key: it is that text, has it in a field, or the parts of it in several. */
function isNamed(item: unknown, key: string): boolean {
  if (isScalar(item)) return String(item.value) === key;
  if (!isMap(item)) return false;
  const texts = scalarsOf(item);
  return (
    texts.includes(key) ||
    (key.startsWith("[") && texts.length > 0 && partsOf(key).every((each) => texts.includes(each)))
  );
}

function scalarsOf(map: YAMLMap): readonly string[] {
  return map.items.flatMap(({ value }) => (isScalar(value) ? [String(value.value)] : []));
}

/** The values in the key of an item with several keys, which is a JSON list. */
function partsOf(key: string): readonly string[] {
  try {
    return (JSON.parse(key) as readonly unknown[]).map(String);
  } catch {
    return [key];
  }
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined;
  return range ? [range[0], range[1]] : undefined;
}
