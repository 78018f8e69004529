import { annotationLimit } from "../apimachinery/limits.ts";
import { mostDepth } from "../json/document.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import {
  fieldAt,
  get,
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  set,
} from "../json/json.ts";
import { byteLength, deflated, inflated } from "./platform.ts";

/** The format of carriers that this release writes and reads. */
export const format = 1;

/** The text of a carrier where there is room: its head and its payload as one object. */
export function plainText(head: JsonObject, payload: string): string {
  const headText = writeJson(head);
  // Joined, since a concatenated string is a rope in V8, and one rope makes JSON.stringify slower for a whole response.
  return payload === "{}" ? headText : [headText.slice(0, -1), payload.slice(1)].join(",");
}

/** A carrier annotation: its text, and its content. */
interface WrittenCarrier {
  readonly text: string;
  readonly carrier: JsonObject;
}

/**
 * The annotation that was most likely written beside a carrier of status, which alone has a `sum`: that of a view has its stamp as
 * well, that of a hub object, which has no generation, has no uid. Undefined for a carrier that `plainText` cannot have written.
 */
export function rewritten(statusCarrier: JsonObject): WrittenCarrier | undefined {
  const { format = null, generation, uid, was, hub, spokes, stored, sum: _, ...others } = statusCarrier;
  if (!hasNoFields(others)) return undefined;
  const isOfView = generation !== undefined;
  const content = { format, generation, uid: isOfView ? uid : undefined, was, hub, spokes, stored };
  const text = JSON.stringify(content);
  if (isOfView) return { text, carrier: statusCarrier };
  const carrier: Record<string, Json> = { format };
  if (was !== undefined) carrier.was = was;
  if (hub !== undefined) carrier.hub = hub;
  if (spokes !== undefined) carrier.spokes = spokes;
  if (stored !== undefined) carrier.stored = stored;
  return { text, carrier };
}

/** The texts of a carrier where there is less room, the most complete first: deflated, deflated without status leaves. */
export function* smallerTexts(head: JsonObject, payload: string): Generator<string, undefined> {
  if (isReadable(payload)) yield writeJson({ ...head, deflated: deflated(payload) });
  if (!payload.includes('"status":{')) return;
  const smaller = writeJson(withoutStatus(parseJson(payload)));
  if (isReadable(smaller)) yield writeJson({ ...head, deflated: deflated(smaller) });
}

/**
 * What the carriers of one object may hold in all, in bytes: as much as a request to an API server (apiserver,
 * MaxRequestBodyBytes), and twice what etcd stores of an object by default, since leaves take more room than the fields
 * that they were. Without a bound 50 kB of annotation would inflate to 50 MB at every read.
 */
const payloadLimit = 3 * 1024 * 1024;

/** An object has one carrier annotation, and a second where a manifest with an older one was applied to it. */
const mostCarriers = 8;

function isReadable(payload: string): boolean {
  return 3 * payload.length <= payloadLimit || byteLength(payload) <= payloadLimit;
}

function withoutStatus(payload: Json): Json {
  if (!isObject(payload)) return payload;
  const { hub, spokes } = payload;
  const stripped = (tree: Json) => (isObject(tree) ? set(tree, "status", undefined) : tree);
  return {
    ...payload,
    ...(hub === undefined ? {} : { hub: stripped(hub) }),
    ...(isObject(spokes) ? { spokes: mapValues(spokes, stripped) } : {}),
  };
}

/** A carrier annotation as it was read: "foreign" for a format of another release, undefined for a damaged one. */
export type ReadCarrier = JsonObject | "foreign" | undefined;

/**
 * Reads the carriers in the annotations of one object. All of them share one bound, and those of the highest generation
 * are read first; what exceeds the bound counts as damaged.
 */
export function readTexts(values: readonly Json[]): readonly ReadCarrier[] {
  const heads = values.map(headIn);
  const order = [...heads.keys()].filter((at) => isObject(heads[at])).sort(byGeneration(heads));
  const carriers = new Map<number, ReadCarrier>();
  let room = payloadLimit;
  for (const at of order.slice(0, mostCarriers)) {
    const { carrier, bytes } = unpacked(heads[at] as JsonObject, room);
    carriers.set(at, carrier);
    room -= bytes;
  }
  return heads.map((head, at) => (isObject(head) ? carriers.get(at) : head));
}

function byGeneration(heads: readonly ReadCarrier[]): (a: number, b: number) => number {
  const generation = (at: number) => {
    const found = get(heads[at] as JsonObject, "generation");
    return typeof found === "number" ? found : 0;
  };
  return (a, b) => generation(b) - generation(a);
}

/** An annotation's text as an object, whose payload may still be deflated. */
function headIn(value: Json): ReadCarrier {
  if (typeof value !== "string" || value.length > annotationLimit) return undefined;
  const parsed = parsedObject(value);
  if (parsed === undefined) return undefined;
  return isForeign(parsed) ? "foreign" : parsed.format === format ? parsed : undefined;
}

/** The object that a text holds; undefined for other texts, and for objects nested too deeply. */
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
  for (const key in value) if (isDeeper(fieldAt(value, key), levels - 1)) return true;
  return false;
}

/** A carrier with its payload inflated, if it was deflated, and how many bytes that took. */
function unpacked(head: JsonObject, room: number): { carrier: ReadCarrier; bytes: number } {
  const { deflated: packed, ...rest } = head;
  if (typeof packed !== "string") return { carrier: head, bytes: 0 };
  const found = room <= 0 ? undefined : inflated(packed, room);
  if (found === undefined) return { carrier: undefined, bytes: room };
  const payload = parsedObject(found.text);
  return { carrier: payload && { ...payload, ...rest }, bytes: found.bytes };
}

/** Whether another release wrote a carrier, in a format that this one does not read and passes on untouched. */
export function isForeign(carrier: Json): boolean {
  const found = get(carrier, "format");
  return typeof found === "number" && found !== format;
}

function mapValues(object: JsonObject, map: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
