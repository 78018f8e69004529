import { isMap, isScalar, isSeq, type LineCounter, type YAMLMap } from "yaml";
import { SyntaxFault } from "../json/document.ts";
import type { Path } from "../json/path.ts";
import { offsetOf } from "./node.ts";
import { documentNodes } from "./yaml.ts";

/** A position in a text, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds positions in the documents of a YAML or JSON text. */
export interface Places {
  /**
   * The position of a field of a document: `path` leads to an object in it, `field` is written as an API server does,
   * `spec.lights[0].name`. A field that is absent is found at the innermost map or list that would hold it. Undefined if the
   * text is JSON that YAML cannot read.
   */
  readonly find: (document: number, path: Path, field: string) => Position | undefined;
  /** The root node of a document, as the package reads it. */
  readonly root: (document: number) => Root | undefined;
}

interface Root {
  readonly contents: unknown;
  readonly lines: LineCounter;
}

/** The places of a text. It is read on the first question. */
export function placesOf(text: string): Places {
  let roots: readonly Root[] | undefined;
  const rootOf = (document: number) => {
    roots ??= rootsOf(text.startsWith("\ufeff") ? text.slice(1) : text);
    return roots[document];
  };
  return {
    root: rootOf,
    find: (document, path, field) => {
      const root = rootOf(document);
      if (root === undefined) return undefined;
      const { line, col } = root.lines.linePos(offsetIn(root.contents, path, field));
      return { line, column: col };
    },
  };
}

function rootsOf(text: string): readonly Root[] {
  try {
    return [...documentNodes(text)];
  } catch (error) {
    if (error instanceof SyntaxFault) return [];
    throw error;
  }
}

/** A node with the offset that shows it: of a member that is its key. */
interface Found {
  readonly node: unknown;
  readonly offset: number;
}

function offsetIn(root: unknown, path: Path, field: string): number {
  let found: Found = { node: root, offset: offsetOf(root) };
  for (const step of path) found = childAt(found.node, String(step)) ?? found;
  let rest = field;
  for (;;) {
    const next = step(found.node, rest);
    if (next === undefined) return found.offset;
    found = next;
    rest = next.rest;
  }
}

/** The child that the start of a field names, and the rest of the field. A key may itself contain dots: the longest wins. */
function step(node: unknown, field: string): (Found & { readonly rest: string }) | undefined {
  const [, index] = /^\[([^\]]*)\]/.exec(field) ?? [];
  if (index !== undefined) {
    const child = childAt(node, index.replace(/^"(.*)"$/, "$1"));
    return child && { ...child, rest: field.slice(index.length + 2) };
  }
  const name = field.startsWith(".") ? field.slice(1) : field;
  const ends = [...name.matchAll(/[.[]|$/g)].map((match) => match.index).filter((end) => end > 0);
  for (const end of ends.toReversed()) {
    const child = isMap(node) ? memberAt(node, name.slice(0, end)) : undefined;
    if (child !== undefined) return { ...child, rest: name.slice(end) };
  }
  return undefined;
}

function childAt(node: unknown, key: string): Found | undefined {
  if (isMap(node)) return memberAt(node, key);
  const item = isSeq(node) ? node.items[Number(key)] : undefined;
  return item === undefined ? undefined : { node: item, offset: offsetOf(item) };
}

function memberAt(map: YAMLMap, key: string): Found | undefined {
  const pair = map.items.find((each) => isScalar(each.key) && String(each.key.value) === key);
  return pair && { node: pair.value, offset: offsetOf(pair.key) };
}
