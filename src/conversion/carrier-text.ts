import { deflateRawSync, inflateRawSync } from "node:zlib";
import { parseJson, writeJson } from "../json/exact.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, set } from "../json/json.ts";

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
  yield writeJson({ ...head, deflated: deflated(content) });
  yield writeJson({ ...head, deflated: deflated(writeJson(withoutStatus(parseJson(content)))) });
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

/** The carrier in an annotation's text; undefined for a damaged one, `other` for a format that is not ours to read. */
export function readText(value: Json): JsonObject | "other" | undefined {
  if (typeof value !== "string" || value.length > 2 * annotationLimit) return undefined;
  try {
    const parsed = parseJson(value);
    if (!isObject(parsed)) return undefined;
    return isForeign(parsed) ? "other" : parsed.format === format ? inflated(parsed) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws where the content is damaged, or larger than anything that we deflate. */
function inflated(carrier: JsonObject): JsonObject {
  const { deflated: packed, ...head } = carrier;
  if (typeof packed !== "string") return carrier;
  const text = inflateRawSync(Buffer.from(packed, "base64"), {
    maxOutputLength: 16 * 1024 * 1024,
  }).toString();
  const content = parseJson(text);
  return isObject(content) ? { ...content, ...head } : head;
}

/** Whether a carrier is of a format that another release writes: it is passed on untouched, and not read. */
export function isForeign(carrier: Json): boolean {
  const found = get(carrier, "format");
  return typeof found === "number" && found !== format;
}

function mapValues(object: JsonObject, map: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
