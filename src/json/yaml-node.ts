import { isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from "yaml";
import { faultAt, mostDepth, type SyntaxFault, tooDeep, twice } from "./document.ts";
import { isArray, isObject, type Json, type JsonObject } from "./json.ts";
import { isBeyondJson, plainValue } from "./yaml-scalar.ts";

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

/** What an anchor stands for: how much copying it copies, how deep it is; no value as long as it is being read. */
interface Anchored {
  readonly value?: Json;
  readonly weight: number;
  readonly height: number;
}

/** How far the reading of a document is. */
interface Reading {
  readonly fault: (node: unknown, message: string) => SyntaxFault;
  readonly anchors: Map<string, Anchored>;
  weight: number;
  copied: number;
  deepest: number;
}

function nodeValue(reading: Reading, node: unknown, depth: number): Json {
  reading.weight += valueWeight;
  reading.deepest = Math.max(reading.deepest, depth);
  if (isAlias(node)) return copyOf(reading, node, depth);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor === undefined) return contentOf(reading, node, depth);
  const { weight, deepest } = reading;
  reading.anchors.set(anchor, { weight: 0, height: 0 });
  reading.deepest = depth;
  const value = contentOf(reading, node, depth);
  reading.anchors.set(anchor, { value, weight: reading.weight - weight, height: reading.deepest - depth });
  reading.deepest = Math.max(reading.deepest, deepest);
  return value;
}

/** What an alias stands for. Few aliases of aliases make a gigabyte, so what they copy is counted. */
function copyOf(reading: Reading, alias: { readonly source: string }, depth: number): Json {
  const anchored = reading.anchors.get(alias.source);
  if (anchored === undefined)
    throw reading.fault(alias, `there is no anchor &${alias.source} before this alias`);
  const { value, weight, height } = anchored;
  if (value === undefined) throw reading.fault(alias, `the anchor &${alias.source} contains itself`);
  reading.weight += weight;
  reading.copied += weight;
  if (reading.copied > mostCopied)
    throw reading.fault(alias, "the aliases of this document copy more than 8 MiB");
  if (depth + height > mostDepth) throw reading.fault(alias, tooDeep(mostDepth));
  reading.deepest = Math.max(reading.deepest, depth + height);
  return value;
}

function contentOf(reading: Reading, node: unknown, depth: number): Json {
  if (isScalar(node)) return scalarOf(reading, node);
  if (depth >= mostDepth) throw reading.fault(node, tooDeep(mostDepth));
  if (isMap(node)) return mapOf(reading, node, depth + 1);
  if (!isSeq(node)) return null;
  refuseTag(reading, node, "tag:yaml.org,2002:seq");
  return node.items.map((item) => nodeValue(reading, item, depth + 1));
}

function mapOf(reading: Reading, map: YAMLMap, depth: number): JsonObject {
  refuseTag(reading, map, "tag:yaml.org,2002:map");
  const own = new Set<string>();
  const fields = new Map<string, Json>();
  for (const pair of map.items) {
    if (isMergeKey(pair.key)) {
      // In go-yaml v2 the later wins, here too: a merge key after a key of the map itself overrides it.
      for (const source of mergedBy(reading, pair.value, depth))
        for (const [key, value] of Object.entries(source)) fields.set(key, value);
      continue;
    }
    const key = keyOf(reading, pair.key, depth);
    if (own.has(key)) throw reading.fault(pair.key, twice(key));
    own.add(key);
    fields.set(key, nodeValue(reading, pair.value, depth));
  }
  return Object.fromEntries(fields);
}

/** The maps that a merge key brings in, the strongest last: in a list of them the first. */
function mergedBy(reading: Reading, node: unknown, depth: number): readonly JsonObject[] {
  const value = nodeValue(reading, node, depth);
  const sources = isArray(value) ? value.toReversed() : [value];
  const maps = sources.filter(isObject);
  if (maps.length === sources.length) return maps;
  throw reading.fault(node, "the merge key << takes a map or a list of maps");
}

/** A key as JSON has it. Numbers and booleans become strings, unless the number would be written otherwise (`1.10` is 1.1). */
function keyOf(reading: Reading, node: unknown, depth: number): string {
  const value = nodeValue(reading, node, depth);
  if (typeof value === "string") return value;
  if (value === null) throw reading.fault(node, "null cannot be a key; put it in quotes");
  if (isObject(value) || isArray(value)) throw reading.fault(node, "a map or a list cannot be a key");
  const key = typeof value === "boolean" ? String(value) : JSON.stringify(value);
  const source = isScalar(node) && node.source;
  if (typeof value === "number" && !Number.isInteger(value) && (key !== source || key.length > 6))
    throw reading.fault(node, "this number does not stay as it is as a key; put it in quotes");
  return key;
}

function scalarOf(reading: Reading, scalar: Scalar): Json {
  const text = compact(String(scalar.value));
  reading.weight += text.length;
  const tag = scalar.tag?.replace("tag:yaml.org,2002:", "!!");
  if (tag === undefined && scalar.type !== "PLAIN") return text;
  if (tag === "!" || tag === "!!str" || tag === "!!timestamp") return text;
  if (isBeyondJson(text))
    throw reading.fault(scalar, `JSON has no number ${text}; put it in quotes if it is a string`);
  const value = plainValue(text);
  if (tag === undefined || tagOf(value).includes(tag))
    return tag === "!!float" ? Number(JSON.stringify(value)) : value;
  if (!/^!!(?:null|bool|int|float)$/.test(tag)) refuseTag(reading, scalar, undefined);
  throw reading.fault(scalar, `${JSON.stringify(text.slice(0, 100))} is not a valid ${tag}`);
}

/**
 * The same string, a byte a character where that is enough. A piece of a text with an arrow anywhere in it has two bytes
 * a character like the whole text; as a key it stays so in every object that is read later, and every JSON text with
 * that key in it is then written twice as large and by V8's slower way. A string that was read from JSON is compact.
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

/** JSON has no place for a tag: only the one that says what a value is anyway may stand. */
function refuseTag(
  reading: Reading,
  node: { readonly tag?: string | undefined },
  allowed: string | undefined,
): void {
  if (node.tag === undefined || node.tag === allowed || (node.tag === "!" && allowed !== undefined)) return;
  throw reading.fault(
    node,
    `the tag ${node.tag.replace("tag:yaml.org,2002:", "!!")} is not read here; leave it out`,
  );
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key) || key.value !== "<<") return false;
  return key.tag === undefined ? key.type === "PLAIN" : key.tag === "tag:yaml.org,2002:merge";
}
