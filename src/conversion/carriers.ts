import { annotationLimit } from "../apimachinery/limits.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { fieldAt, get, hasNoFields, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import {
  format,
  isForeign,
  plainText,
  type ReadCarrier,
  readTexts,
  rewritten,
  smallerTexts,
} from "./carrier-text.ts";
import { readLeaf } from "./leaf.ts";
import { byteLength, digestOf } from "./platform.ts";
import { sorted, type Tree } from "./tree.ts";

/** The engine's annotations have keys with this prefix: they carry what the other version cannot say. */
export const carrierPrefix = "antechamber.dev/conversion-data";

/** The engine's field of status. Every generated schema declares it, so that the API server keeps it. */
export const carrierField = "conversionData";

/** The content of a carrier. Both carriers of one object have the same. */
export interface Payload {
  /** In a spoke's view: the leaves that only the hub can say. */
  readonly hub?: Tree | undefined;
  /** The leaves that only a spoke can say, by its name. A hub object has those of all spokes, a view those of the others. */
  readonly spokes?: Readonly<Record<string, Tree>> | undefined;
  /** In a view: what is stored for its own spoke, where the way back would make something else. */
  readonly stored?: JsonObject | undefined;
  /** In a view: the leaves that its own spoke can say, and that it does not show since the CRD in force has no place for them. */
  readonly withheld?: Tree | undefined;
}

/** A carrier as it was read: its payload, and the stamp of a view. */
export interface Carrier {
  readonly payload: Payload;
  /**
   * Whether the payload is known to have all its leaves. Server-side apply takes fields of other managers out of the carrier
   * in status, leaf by leaf, and the annotation as a whole, since its key is a hash of the leaves.
   */
  readonly isWhole: () => boolean;
  /** Whether it has a sum of its payload, as the carrier in status has. */
  readonly isSummed: boolean;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
}

/** An object without its carriers, and the carriers. Damaged ones are dropped; those of unknown formats stay in the object. */
interface Detached {
  readonly object: JsonObject;
  /** From annotations; the one of the highest generation first. */
  readonly annotations: readonly Carrier[];
  readonly status: Carrier | undefined;
}

/** Takes the carriers out of an object, and containers that only held carriers with them. */
export function detach(object: JsonObject): Detached {
  const { status } = object;
  const annotations = get(object, "metadata", "annotations");
  const field = own(status, carrierField);
  const known = knownCarrier(field);
  const rest =
    isObject(annotations) && hasCarrier(annotations)
      ? withoutAnnotations(object, annotations, known)
      : { object, annotations: noCarriers, status: undefined };
  if (!isObject(status) || field === undefined || isForeign(field)) return rest;
  const others = set(status, carrierField, undefined);
  const kept = !hasNoFields(others) ? others : isObject(field) ? containerBefore(field) : undefined;
  return {
    object: set(rest.object, "status", kept),
    annotations: rest.annotations,
    status: known === undefined ? undefined : carrierOf(known, () => isComplete(known)),
  };
}

const noCarriers: readonly Carrier[] = [];

/** The field of status, if it is a carrier of the format that this release reads. */
function knownCarrier(field: Json | undefined): JsonObject | undefined {
  return isObject(field) && field.format === format ? field : undefined;
}

function withoutAnnotations(
  object: JsonObject,
  annotations: JsonObject,
  statusCarrier: JsonObject | undefined,
): Detached {
  const carriers: Carrier[] = [];
  const others: [string, Json][] = [];
  let before: Json | undefined;
  const read = readAnnotations(annotations, statusCarrier);
  for (const [key, value] of Object.entries(annotations)) {
    const carrier = read.has(key) ? read.get(key) : "foreign";
    if (carrier === "foreign") others.push([key, value]);
    else if (carrier !== undefined) {
      carriers.push(carrierOf(carrier, isTrue));
      // Null is a value here: annotations may have been null before.
      if (before === undefined) before = containerBefore(carrier);
    }
  }
  const kept = others.length > 0 ? Object.fromEntries(others) : before;
  return {
    object: set(object, "metadata", set(object.metadata as JsonObject, "annotations", kept)),
    annotations: carriers.sort(byGeneration),
    status: undefined,
  };
}

/** The carrier annotations of an object, by their keys. */
export function annotationsIn(object: JsonObject): ReadonlyMap<string, ReadCarrier> {
  const annotations = get(object, "metadata", "annotations");
  if (!isObject(annotations) || !hasCarrier(annotations)) return noAnnotations;
  return readAnnotations(annotations, knownCarrier(get(object, "status", carrierField)));
}

const noAnnotations: ReadonlyMap<string, ReadCarrier> = new Map();

/** Reads the carrier annotations, by their keys. */
function readAnnotations(
  annotations: JsonObject,
  statusCarrier: JsonObject | undefined,
): ReadonlyMap<string, ReadCarrier> {
  const keys = Object.keys(annotations).filter((key) => key.startsWith(carrierPrefix));
  // Most often both carriers have the same text: writing the one that was read takes less than reading the other.
  const known = statusCarrier === undefined ? undefined : rewritten(statusCarrier);
  const others = known === undefined ? keys : keys.filter((key) => annotations[key] !== known.text);
  const carriers = readTexts(others.map((key) => annotations[key] as Json));
  const read = new Map<string, ReadCarrier>(others.map((key, at) => [key, carriers[at]]));
  for (const key of keys) if (!read.has(key)) read.set(key, known?.carrier);
  return read;
}

function hasCarrier(annotations: JsonObject): boolean {
  for (const key in annotations) if (key.startsWith(carrierPrefix)) return true;
  return false;
}

/** Which carriers an object gets, and the stamp of a view: the uid and generation of the object that it was made from. */
export interface Placement {
  readonly stamp?: { readonly uid: Json | undefined; readonly generation: Json | undefined };
  readonly annotation: boolean;
  readonly status: boolean;
  /** Whether the carrier in status gets no sum of its payload: earlier releases stored it so. */
  readonly isUnsummed?: boolean;
  /** The object that the carrier in the status of a hub object is of. */
  readonly uid?: string | undefined;
  /** Whether an empty payload gets an annotation too: one that overrules what status holds. */
  readonly isOverruling?: boolean;
}

/** An object with its carriers, the one in status still as JSON text: an object that is only written never needs it parsed. */
export interface SerializedObject {
  /** The object without its status carrier. */
  readonly object: JsonObject;
  /** JSON text of the status carrier; undefined if the object has none. */
  readonly carrierText: string | undefined;
}

/**
 * Adds carriers with a payload to an object. An empty payload gets no annotation, as dropping one would lose nothing, unless
 * it overrules what status holds.
 */
export function attach(object: JsonObject, payload: PayloadText, placement: Placement): SerializedObject {
  const { status } = object;
  const holds = canHold(status);
  // A forged leaf may have made status something that cannot hold a carrier: the annotation then holds it alone.
  const isAnnotated =
    (placement.annotation || (placement.status && !holds)) &&
    (payload !== "{}" || placement.isOverruling === true);
  const sum = shortHash(payload);
  const carrierText =
    placement.status && holds ? plainText(statusHeadOf(placement, status, sum), payload) : undefined;
  return { object: isAnnotated ? annotated(object, payload, placement, sum) : object, carrierText };
}

/** The head of the carrier in status. It has a sum of the payload, so that leaves that were taken out show. */
function statusHeadOf(
  { stamp, uid, isUnsummed }: Placement,
  status: Json | undefined,
  sum: string,
): JsonObject {
  const head = headOf(stamp ?? { uid, generation: undefined }, status);
  return isUnsummed ? head : { ...head, sum };
}

/**
 * Adds two carriers of which each holds something else: an annotation and a status carrier. Undefined where the object has
 * no room for both, since each decides only beside the other.
 */
export function attachUnequal(
  object: JsonObject,
  annotation: PayloadText,
  status: PayloadText,
  head: Pick<Placement, "isUnsummed" | "uid">,
): SerializedObject | undefined {
  if (!canHold(object.status)) return undefined;
  const placement = { annotation: true, status: false, isOverruling: true };
  const { object: annotated } = attach(object, annotation, placement);
  if (annotated === object) return undefined;
  return attach(annotated, status, { ...head, annotation: false, status: true });
}

/** A serialized object as one value. */
export function parseSerialized({ object, carrierText }: SerializedObject): JsonObject {
  if (carrierText === undefined) return object;
  const { status } = object;
  return set(object, "status", set(isObject(status) ? status : {}, carrierField, parseJson(carrierText)));
}

/** JSON text of a serialized object, in parts that the caller concatenates. */
export function writeSerialized({ object, carrierText }: SerializedObject): readonly string[] {
  if (carrierText === undefined) return [writeJson(object)];
  const status = own(object, "status");
  const others = isObject(status) ? set(status, carrierField, undefined) : {};
  const isLast = others === status && lastOf(object) === "status";
  const text = writeJson(isLast ? object : { ...set(object, "status", undefined), status: others });
  return [text.slice(0, -2), `${hasNoFields(others) ? "" : ","}"${carrierField}":`, carrierText, "}}"];
}

/** The last key of an object. The API server sends keys in order, and has none behind `status`. */
function lastOf(object: JsonObject): string | undefined {
  let last: string | undefined;
  for (const key in object) last = key;
  return last;
}

/** A short hash of a payload or a part of it: the same for equal content. */
export function fingerprint(content: Json | undefined): string {
  return shortHash(writeJson(content === undefined ? null : sorted(content)));
}

/** JSON text of a payload with sorted keys, as it stands in a carrier; `{}` for an empty one. */
export type PayloadText = string;

/** Writes a payload whose keys are in any order. */
export function writePayload({ hub, withheld, ...read }: Payload): PayloadText {
  return writeFreshPayload({ ...read, hub: hub && sorted(hub), withheld: withheld && sorted(withheld) });
}

/**
 * Writes a payload of which `hub` and `withheld` were just made by comparing, so that their keys are sorted: to look at them again
 * takes 3 to 10 % of most conversions that carry something.
 */
export function writeFreshPayload({ hub, spokes, stored, withheld }: Payload): PayloadText {
  // What is undefined is not written.
  return JSON.stringify({
    hub,
    spokes: spokes && sorted(spokes),
    stored: stored && sorted(stored),
    withheld,
  });
}

function shortHash(text: string): string {
  return digestOf(text).slice(0, 10);
}

/** Adds the annotation. A payload that is too large is compressed, then stripped of its status leaves, then left out. */
function annotated(object: JsonObject, payload: PayloadText, { stamp }: Placement, sum: string): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const before = own(metadata, "annotations");
  if (!canHold(before)) return object;
  const others = isObject(before) ? before : {};
  const key = `${carrierPrefix}-${sum}`;
  const room = annotationLimit - key.length - sizeOfAnnotations(others);
  const whole = plainText(headOf(stamp, before), payload);
  const text = fits(whole, room)
    ? whole
    : smallerTexts(headOf(stamp, before), payload).find((each) => fits(each, room));
  if (text === undefined) return object;
  const annotations: Record<string, Json> = { ...others };
  annotations[key] = text;
  return { ...object, metadata: { ...metadata, annotations } };
}

function carrierOf(carrier: JsonObject, isWhole: () => boolean): Carrier {
  const { uid, generation } = carrier;
  return {
    payload: payloadOf(carrier),
    isWhole,
    isSummed: carrier.sum !== undefined,
    uid: typeof uid === "string" ? uid : undefined,
    generation: typeof generation === "number" ? generation : undefined,
  };
}

function payloadOf({ hub, spokes, stored, withheld }: JsonObject): Payload {
  return {
    hub: isTree(hub) ? hub : undefined,
    spokes: isObject(spokes) ? treesOf(spokes) : undefined,
    stored: isObject(stored) ? stored : undefined,
    withheld: isTree(withheld) ? withheld : undefined,
  };
}

const isTrue = () => true;

/** A carrier in a view's status with leaves that were put into it or taken out on purpose. */
export function summed(carrier: JsonObject): JsonObject {
  return set(carrier, "sum", shortHash(writePayload(payloadOf(carrier))));
}

/** Whether the carrier in a view's status still has the leaves that it was made with. */
function isComplete(carrier: JsonObject): boolean {
  return carrier.sum === shortHash(writePayload(payloadOf(carrier)));
}

function byGeneration(a: Carrier, b: Carrier): number {
  return (b.generation ?? 0) - (a.generation ?? 0);
}

/** What a carrier has besides its payload: the format, the stamp of a view, and whether its container was empty. */
function headOf(stamp: Placement["stamp"], container: Json | undefined): JsonObject {
  const head: Record<string, Json> = { format };
  if (typeof stamp?.generation === "number") head.generation = stamp.generation;
  if (typeof stamp?.uid === "string") head.uid = stamp.uid;
  const was = emptyContainer(container);
  if (was !== undefined) head.was = was;
  return head;
}

/** Whether annotations or status can hold a carrier: an object can, and so can null or nothing, which becomes one. */
function canHold(container: Json | undefined): boolean {
  return container === undefined || container === null || isObject(container);
}

/** The mark `was` for a container that was `{}` or null before its carrier came, so that it is so again without it. */
function emptyContainer(container: Json | undefined): Json | undefined {
  if (container === null) return null;
  return isObject(container) && hasNoFields(container) ? {} : undefined;
}

function containerBefore({ was }: JsonObject): Json | undefined {
  return was === null || (isObject(was) && hasNoFields(was)) ? was : undefined;
}

/** Whether a text has at most so many bytes. No character takes more than three, so that most texts need no counting. */
function fits(text: string, bytes: number): boolean {
  return 3 * text.length <= bytes || byteLength(text) <= bytes;
}

/** Whether the annotations of an object take more bytes than the API server allows. */
export function isOverLimit(object: JsonObject): boolean {
  const annotations = get(object, "metadata", "annotations");
  return isObject(annotations) && hasCarrier(annotations) && sizeOfAnnotations(annotations) > annotationLimit;
}

/** The bytes of annotations as the API server counts them. */
export function sizeOfAnnotations(annotations: JsonObject): number {
  let bytes = 0;
  for (const key in annotations) {
    const value = fieldAt(annotations, key);
    bytes += byteLength(key) + (typeof value === "string" ? byteLength(value) : 0);
  }
  return bytes;
}

function treesOf(object: JsonObject): Readonly<Record<string, Tree>> {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Tree] => isTree(entry[1])),
  );
}

/** Whether a value is a tree with fields. A leaf at its root would hide the status leaves of the other carrier. */
function isTree(value: Json | undefined): value is Tree {
  return isObject(value) && readLeaf(value) === "node";
}
