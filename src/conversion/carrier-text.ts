import { deflateRawSync, inflateRawSync } from "node:zlib";
import { mostDepth } from "../json/document.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { get, hasNoFields, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";

/** The format of carriers that this release writes and reads. */
export const format = 1;

/** All annotations of an object, keys and values, may be so large and no larger (apimachinery, TotalAnnotationSizeLimitB). */
export const annotationLimit = 256 * 1024;

/** The text of a carrier where there is room: its head and its content as one object. */
export function plainText(head: JsonObject, content: string): string {
  const headText = writeJson(head);
  // Joined and not added up: JSON.stringify takes a slower way through the whole answer where it meets a string that V8
  // has not put together yet.
  return content === "{}" ? headText : [headText.slice(0, -1), content.slice(1)].join(",");
}

/** The text from which a carrier was read, where it is one that `plainText` has written; undefined for any other. */
export function textOf(carrier: JsonObject): string | undefined {
  const { format, generation, uid, was, hub, spokes, stored, ...others } = carrier;
  if (!hasNoFields(others)) return undefined;
  return JSON.stringify({ format, generation, uid, was, hub, spokes, stored });
}

/** The texts that it may have where there is not, the best first: deflated, deflated without its status leaves. */
export function* smallerTexts(head: JsonObject, content: string): Generator<string, undefined> {
  if (isReadable(content)) yield writeJson({ ...head, deflated: deflated(content) });
  if (!content.includes('"status":{')) return;
  const smaller = writeJson(withoutStatus(parseJson(content)));
  if (isReadable(smaller)) yield writeJson({ ...head, deflated: deflated(smaller) });
}

/**
 * What the carriers of one object may hold in all, in bytes: as much as a request to an API server (apiserver,
 * MaxRequestBodyBytes), and twice what etcd stores of an object by default, since leaves take more room than the fields
 * that they were. Without a bound 50 kB of annotation would inflate to 50 MB at every read.
 */
const contentLimit = 3 * 1024 * 1024;

/** An object has one carrier annotation, and a second where a manifest with an older one was applied to it. */
const mostCarriers = 8;

function isReadable(content: string): boolean {
  return 3 * content.length <= contentLimit || Buffer.byteLength(content) <= contentLimit;
}

/** Content as deflated text: in an annotation it stands for all but the head. */
function deflated(text: string): string {
  return deflateRawSync(text).toString("base64");
}

function withoutStatus(content: Json): Json {
  if (!isObject(content)) return content;
  const { hub, spokes } = content;
  const bare = (tree: Json) => (isObject(tree) ? set(tree, "status", undefined) : tree);
  return {
    ...content,
    ...(hub === undefined ? {} : { hub: bare(hub) }),
    ...(isObject(spokes) ? { spokes: mapValues(spokes, bare) } : {}),
  };
}

/** An annotation as it was read: a carrier, `other` for a format that is not ours to read, undefined for a damaged one. */
export type Reading = JsonObject | "other" | undefined;

/**
 * Reads the carriers in the annotations of one object. All of them share one bound, and those of the highest generation
 * are read first: what is beyond the bound counts as damaged.
 */
export function readTexts(values: readonly Json[]): readonly Reading[] {
  const heads = values.map(headIn);
  const order = [...heads.keys()].filter((at) => isObject(heads[at])).sort(byGeneration(heads));
  const readings = new Map<number, Reading>();
  let room = contentLimit;
  for (const at of order.slice(0, mostCarriers)) {
    const { carrier, bytes } = inflated(heads[at] as JsonObject, room);
    readings.set(at, carrier);
    room -= bytes;
  }
  return heads.map((head, at) => (isObject(head) ? readings.get(at) : head));
}

function byGeneration(heads: readonly Reading[]): (a: number, b: number) => number {
  const generation = (at: number) => {
    const found = get(heads[at] as JsonObject, "generation");
    return typeof found === "number" ? found : 0;
  };
  return (a, b) => generation(b) - generation(a);
}

/** What an annotation's text says, its content maybe deflated still. */
function headIn(value: Json): Reading {
  if (typeof value !== "string" || value.length > annotationLimit) return undefined;
  const parsed = parsedObject(value);
  if (parsed === undefined) return undefined;
  return isForeign(parsed) ? "other" : parsed.format === format ? parsed : undefined;
}

/** The object in a text; undefined where there is none, or none that can be walked. */
function parsedObject(text: string): JsonObject | undefined {
  try {
    const parsed = parseJson(text);
    return isObject(parsed) && !isDeeper(parsed, mostDepth) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (isArray(value)) return levels === 0 || value.some((item) => isDeeper(item, levels - 1));
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeper(value[key] as Json, levels - 1)) return true;
  return false;
}

/** A carrier with its content inflated, if it was deflated, and how many bytes that took. */
function inflated(head: JsonObject, room: number): { carrier: Reading; bytes: number } {
  const { deflated: packed, ...rest } = head;
  if (typeof packed !== "string") return { carrier: head, bytes: 0 };
  const text = inflatedText(packed, room);
  if (text === undefined) return { carrier: undefined, bytes: room };
  const content = parsedObject(text.toString());
  return { carrier: content && { ...content, ...rest }, bytes: text.length };
}

function inflatedText(packed: string, room: number): Buffer | undefined {
  if (room <= 0) return undefined;
  try {
    return inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: room });
  } catch {
    return undefined;
  }
}

/** Whether a carrier is of a format that another release writes: it is passed on untouched, and not read. */
export function isForeign(carrier: Json): boolean {
  const found = get(carrier, "format");
  return typeof found === "number" && found !== format;
}

function mapValues(object: JsonObject, map: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
