import { isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from "yaml";
import { faultAt, mostDepth, type SyntaxFault, tooDeep, twice } from "../json/document.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { isBeyondJson, plainValue } from "./scalar.ts";

/** What the root node of a document means as JSON, read as Kubernetes would. Throws SyntaxFault at a place of the text. */
export function documentValue(text: string, root: unknown): Json {
  const fault = (node: unknown, message: string) => faultAt(text, offsetOf(node), message);
  return nodeValue({ fault, anchors: new Map(), weight: 0, copied: 0, deepest: 0 }, root, 0);
}

/** Where a node stands in its text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

// How much aliases may copy, in characters, and what each value counts beside its characters.
const mostCopied = 8 * 1024 * 1024;
const valueWeight = 32;

/** The value of an anchor, how much an alias of it copies and how deep it is. No value while it is still being read. */
interface Anchored {
  readonly value?: Json;
  readonly weight: number;
  readonly height: number;
}

/** The state of reading one document. */
interface ReaderState {
  readonly fault: (node: unknown, message: string) => SyntaxFault;
  readonly anchors: Map<string, Anchored>;
  weight: number;
  copied: number;
  deepest: number;
}

function nodeValue(state: ReaderState, node: unknown, depth: number): Json {
  state.weight += valueWeight;
  state.deepest = Math.max(state.deepest, depth);
  if (isAlias(node)) return copyOf(state, node, depth);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor === undefined) return contentOf(state, node, depth);
  const { weight, deepest } = state;
  state.anchors.set(anchor, { weight: 0, height: 0 });
  state.deepest = depth;
  const value = contentOf(state, node, depth);
  state.anchors.set(anchor, { value, weight: state.weight - weight, height: state.deepest - depth });
  state.deepest = Math.max(state.deepest, deepest);
  return value;
}

/** The value of an alias. A few aliases of aliases can make a gigabyte, so what they copy is counted. */
function copyOf(state: ReaderState, alias: { readonly source: string }, depth: number): Json {
  const anchored = state.anchors.get(alias.source);
  if (anchored === undefined)
    throw state.fault(alias, `there is no anchor &${alias.source} before this alias`);
  const { value, weight, height } = anchored;
  if (value === undefined) throw state.fault(alias, `the anchor &${alias.source} contains itself`);
  state.weight += weight;
  state.copied += weight;
  if (state.copied > mostCopied)
    throw state.fault(alias, "the aliases of this document copy more than 8 MiB");
  if (depth + height > mostDepth) throw state.fault(alias, tooDeep(mostDepth));
  state.deepest = Math.max(state.deepest, depth + height);
  return value;
}

function contentOf(state: ReaderState, node: unknown, depth: number): Json {
  if (isScalar(node)) return scalarOf(state, node);
  if (depth >= mostDepth) throw state.fault(node, tooDeep(mostDepth));
  if (isMap(node)) return mapOf(state, node, depth + 1);
  if (!isSeq(node)) return null;
  refuseTag(state, node, "tag:yaml.org,2002:seq");
  return node.items.map((item) => nodeValue(state, item, depth + 1));
}

function mapOf(state: ReaderState, map: YAMLMap, depth: number): JsonObject {
  refuseTag(state, map, "tag:yaml.org,2002:map");
  const own = new Set<string>();
  const fields = new Map<string, Json>();
  for (const pair of map.items) {
    if (isMergeKey(pair.key)) {
      // In go-yaml v2 the later wins, here too: a merge key after a key of the map itself overrides it.
      for (const source of mergedBy(state, pair.value, depth))
        for (const [key, value] of Object.entries(source)) fields.set(key, value);
      continue;
    }
    const key = keyOf(state, pair.key, depth);
    if (own.has(key)) throw state.fault(pair.key, twice(key));
    own.add(key);
    fields.set(key, nodeValue(state, pair.value, depth));
  }
  return Object.fromEntries(fields);
}

/** The maps that a merge key brings in, the strongest last: in a list of them the first. */
function mergedBy(state: ReaderState, node: unknown, depth: number): readonly JsonObject[] {
  const value = nodeValue(state, node, depth);
  const sources = isArray(value) ? value.toReversed() : [value];
  const maps = sources.filter(isObject);
  if (maps.length === sources.length) return maps;
  throw state.fault(node, "the merge key << takes a map or a list of maps");
}

/** A key as JSON has it. Numbers and booleans become strings, unless the number would be written otherwise (`1.10` is 1.1). */
function keyOf(state: ReaderState, node: unknown, depth: number): string {
  const value = nodeValue(state, node, depth);
  if (typeof value === "string") return value;
  if (value === null) throw state.fault(node, "null cannot be a key; put it in quotes");
  if (isObject(value) || isArray(value)) throw state.fault(node, "a map or a list cannot be a key");
  const key = typeof value === "boolean" ? String(value) : JSON.stringify(value);
  const source = isScalar(node) && node.source;
  if (typeof value === "number" && !Number.isInteger(value) && (key !== source || key.length > 6))
    throw state.fault(node, "this number does not stay as it is as a key; put it in quotes");
  return key;
}

function scalarOf(state: ReaderState, scalar: Scalar): Json {
  const text = compact(String(scalar.value));
  state.weight += text.length;
  const tag = scalar.tag?.replace("tag:yaml.org,2002:", "!!");
  if (tag === undefined && scalar.type !== "PLAIN") return text;
  if (tag === "!" || tag === "!!str" || tag === "!!timestamp") return text;
  if (isBeyondJson(text))
    throw state.fault(scalar, `JSON has no number ${text}; put it in quotes if it is a string`);
  const value = plainValue(text);
  if (tag === undefined || tagOf(value).includes(tag))
    return tag === "!!float" ? Number(JSON.stringify(value)) : value;
  if (!/^!!(?:null|bool|int|float)$/.test(tag)) refuseTag(state, scalar, undefined);
  throw state.fault(scalar, `${JSON.stringify(text.slice(0, 100))} is not a valid ${tag}`);
}

/**
 * The same string, with one byte a character where that is enough. V8 keeps a substring of a text with two bytes a
 * character at two bytes; as a key it would stay so in every object that is read later, and every JSON text with that key
 * would take twice the memory and more time to write. A string that was read from JSON is compact.
 */
function compact(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** The tags under which a value may stand. */
function tagOf(value: Json): readonly string[] {
  if (value === null) return ["!!null"];
  if (typeof value === "boolean") return ["!!bool"];
  if (typeof value === "string") return [];
  return typeof value === "number" && !Number.isInteger(value) ? ["!!float"] : ["!!int", "!!float"];
}

/** JSON has no tags: only the tag of the type that the value has anyway is accepted. */
function refuseTag(
  state: ReaderState,
  node: { readonly tag?: string | undefined },
  allowed: string | undefined,
): void {
  if (node.tag === undefined || node.tag === allowed || (node.tag === "!" && allowed !== undefined)) return;
  throw state.fault(
    node,
    `the tag ${node.tag.replace("tag:yaml.org,2002:", "!!")} is not read here; leave it out`,
  );
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key) || key.value !== "<<") return false;
  return key.tag === undefined ? key.type === "PLAIN" : key.tag === "tag:yaml.org,2002:merge";
}
