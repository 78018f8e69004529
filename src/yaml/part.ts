import { Document, isCollection, isMap, isScalar, isSeq, type Node } from "yaml";
import { equal } from "../json/equal.ts";
import type { Json } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { offsetOf } from "./node.ts";
import { writeYaml } from "./write.ts";
import { documentNodes, readYaml } from "./yaml.ts";

/** One document of a YAML text, of which parts can be written and found. */
export interface YamlParts {
  /** The part at a path as a document of its own, with its comments if it can be taken out of the text as it stands. */
  readonly write: (path: Path, value: Json) => string;
  /** The line (from 1) of the deepest node that the path leads to. */
  readonly lineOf: (path: Path) => number;
}

/** The documents of a text that `readYaml` reads, in its order. Throws SyntaxFault. */
export function yamlParts(text: string): readonly YamlParts[] {
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  return [...documentNodes(body)].map(({ contents, lines }) => ({
    write: (path, value) => commentAbove(contents, path) + written(deepest(contents, path), path, value),
    lineOf: (path) => lines.linePos(offsetOf(deepest(contents, path).node)).line,
  }));
}

/** A node, and how many steps of a path lead to it. */
interface Found {
  readonly node: unknown;
  readonly steps: number;
}

function deepest(node: unknown, path: Path, steps = 0): Found {
  const step = path[steps];
  const below = step === undefined ? undefined : childOf(node, step);
  return below === undefined ? { node, steps } : deepest(below, path, steps + 1);
}

/** The comment above the first item of a list, which belongs to the list in the package's document model. */
function commentAbove(contents: unknown, path: Path): string {
  const { node: list } = deepest(contents, path.slice(0, -1));
  if (path.at(-1) !== 0 || !isSeq(list) || list.flow === true || !list.commentBefore) return "";
  return list.commentBefore.replaceAll(/^/gm, "#").concat("\n");
}

function childOf(node: unknown, step: string | number): unknown {
  if (isSeq(node)) return node.items[Number(step)];
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && key.value === step)?.value ?? undefined;
}

/** The node in its own writing, if that means the same; what lies in braces, or uses anchors of other places, is written anew. */
function written({ node, steps }: Found, path: Path, value: Json): string {
  if (steps < path.length || !isCollection(node) || node.flow === true) return writeYaml(value);
  const text = textOf(node);
  return text !== undefined && says(text, value) ? text : writeYaml(value);
}

function textOf(node: Node): string | undefined {
  const document = new Document(undefined, { schema: "failsafe" });
  document.contents = node;
  try {
    return document.toString({ lineWidth: 0 });
  } catch {
    // An alias of an anchor elsewhere in the text, of which the package throws one error or another.
    return undefined;
  }
}

function says(text: string, value: Json): boolean {
  try {
    const [only, ...more] = readYaml(text);
    return only !== undefined && more.length === 0 && equal(only.value, value);
  } catch (error) {
    if (error instanceof Error && error.name === "SyntaxFault") return false;
    throw error;
  }
}
