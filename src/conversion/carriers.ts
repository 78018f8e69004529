import { hash } from "node:crypto";
import { parseJson, writeJson } from "../json/exact.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import {
  annotationLimit,
  format,
  isForeign,
  plainText,
  type Reading,
  readTexts,
  smallerTexts,
  textOf,
} from "./carrier-text.ts";
import type { TreeText } from "./complement-code.ts";
import { readLeaf, sorted, type Tree } from "./tree.ts";

/** Annotations whose key starts so are the engine's: they carry what the other version cannot say. */
export const carrierPrefix = "antechamber.dev/conversion-data";

/** The field of status that is the engine's: every generated schema declares it, so that the server keeps it. */
export const carrierField = "conversionData";

/** What a carrier says besides who it is for. Both carriers of one object hold the same. */
export interface Payload {
  /** In a spoke's view: the leaves that only the hub can say. */
  readonly hub?: Tree | undefined;
  /** By name of a spoke, the leaves that only it can say: all of them in the hub, those of other spokes in a view. */
  readonly spokes?: Readonly<Record<string, Tree>> | undefined;
  /** In a view: what is stored for this very spoke, where that is not what the way back would make. */
  readonly stored?: JsonObject | undefined;
}

/** A carrier as it was read: its payload, and the stamp of a view. */
export interface Carrier {
  readonly payload: Payload;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
}

/** An object without its carriers, and the carriers. Damaged ones are dropped; of an unknown format none is touched. */
export interface Detached {
  readonly object: JsonObject;
  /** From annotations; the one of the highest generation first. */
  readonly annotations: readonly Carrier[];
  readonly status: Carrier | undefined;
}

/** Takes the carriers out of an object; a container that was there only for them goes too. */
export function detach(object: JsonObject): Detached {
  const { status } = object;
  const marked = get(object, "metadata", "annotations");
  const field = own(status, carrierField);
  const ours = isObject(field) && field.format === format ? field : undefined;
  const bare =
    isObject(marked) && hasCarrier(marked) ? withoutAnnotations(object, marked, ours) : noneOf(object);
  if (!isObject(status) || field === undefined || isForeign(field)) return bare;
  const rest = set(status, carrierField, undefined);
  const kept = !hasNoFields(rest) ? rest : isObject(field) ? wasOf(field) : undefined;
  return {
    object: set(bare.object, "status", kept),
    annotations: bare.annotations,
    status: ours === undefined ? undefined : carrierOf(ours),
  };
}

function noneOf(object: JsonObject): Detached {
  return { object, annotations: noCarriers, status: undefined };
}

const noCarriers: readonly Carrier[] = [];

function withoutAnnotations(object: JsonObject, marked: JsonObject, field: JsonObject | undefined): Detached {
  const annotations: Carrier[] = [];
  const rest: [string, Json][] = [];
  let left: Json | undefined;
  const read = readAnnotations(marked, field);
  for (const [key, value] of Object.entries(marked)) {
    const text = read.has(key) ? read.get(key) : "other";
    if (text === "other") rest.push([key, value]);
    else if (text !== undefined) {
      annotations.push(carrierOf(text));
      // Null is what was there, not nothing.
      if (left === undefined) left = wasOf(text);
    }
  }
  const kept = rest.length > 0 ? Object.fromEntries(rest) : left;
  return {
    object: set(object, "metadata", set(object.metadata as JsonObject, "annotations", kept)),
    annotations: annotations.sort(byGeneration),
    status: undefined,
  };
}

/** What the annotations with our prefix hold. */
function readAnnotations(marked: JsonObject, field: JsonObject | undefined): ReadonlyMap<string, Reading> {
  const keys = Object.keys(marked).filter((key) => key.startsWith(carrierPrefix));
  // Most often both carriers are one text: to write the one that is read already takes less than to read the other.
  const known = field === undefined ? undefined : textOf(field);
  const others = keys.filter((key) => marked[key] !== known);
  const readings = readTexts(others.map((key) => marked[key] as Json));
  const read = new Map<string, Reading>(others.map((key, at) => [key, readings[at]]));
  for (const key of keys) if (!read.has(key)) read.set(key, field);
  return read;
}

/** The keys of an object's carrier annotations that are damaged, or hold more than any that the engine writes. */
export function damagedIn(object: JsonObject): readonly string[] {
  const marked = get(object, "metadata", "annotations");
  if (!isObject(marked) || !hasCarrier(marked)) return [];
  const field = get(object, "status", carrierField);
  const ours = isObject(field) && field.format === format ? field : undefined;
  return [...readAnnotations(marked, ours)].flatMap(([key, read]) => (read === undefined ? [key] : []));
}

function hasCarrier(annotations: JsonObject): boolean {
  for (const key in annotations) if (key.startsWith(carrierPrefix)) return true;
  return false;
}

/** Where the carriers of an object go: which of the two, and the stamp of a view. */
export interface Placement {
  readonly stamp?: { readonly uid: Json | undefined; readonly generation: Json | undefined };
  readonly annotation: boolean;
  readonly status: boolean;
}

/** An object with its carriers. The one in status is a text still: whoever writes the object has no need to read it. */
export interface SerializedObject {
  /** The object without the field of status. */
  readonly object: JsonObject;
  /** Text of the field of status; undefined where there is none. */
  readonly field: string | undefined;
}

/** Puts the text of a payload into an object's carriers. The annotation is left out where there is nothing in it to lose. */
export function attach(object: JsonObject, content: PayloadText, where: Placement): SerializedObject {
  const { status } = object;
  const holds = canHold(status);
  const field = where.status && holds ? plainText(headOf(where.stamp, status), content) : undefined;
  // What is kept in status alone must go somewhere else where status is something that a forged leaf made of it.
  const isAnnotated = where.annotation || (where.status && !holds);
  if (!isAnnotated || content === "{}") return { object, field };
  // Both carriers are one text, unless one of them stands where there was an empty container.
  const text = field !== undefined && wasFor(status) === undefined ? field : undefined;
  return { object: annotated(object, content, where, text), field };
}

/** A loaded object as one value. */
export function parseSerialized({ object, field }: SerializedObject): JsonObject {
  if (field === undefined) return object;
  const { status } = object;
  return set(object, "status", set(isObject(status) ? status : {}, carrierField, parseJson(field)));
}

/** JSON text of a loaded object, in parts. */
export function writeSerialized({ object, field }: SerializedObject): readonly string[] {
  if (field === undefined) return [writeJson(object)];
  const status = own(object, "status");
  const beside = isObject(status) ? set(status, carrierField, undefined) : {};
  const isLast = beside === status && lastOf(object) === "status";
  const text = writeJson(isLast ? object : { ...set(object, "status", undefined), status: beside });
  return [text.slice(0, -2), `${hasNoFields(beside) ? "" : ","}"${carrierField}":`, field, "}}"];
}

/** The last key of an object. The server sends keys in order, and knows none behind `status`. */
function lastOf(object: JsonObject): string | undefined {
  let last: string | undefined;
  for (const key in object) last = key;
  return last;
}

/** One text for a payload or a part of it: the same for the same content. */
export function fingerprint(content: Json | undefined): string {
  const text = writeJson(content === undefined ? null : sorted(content));
  return fingerprints.get(text) ?? remember(text);
}

// Small parts come again and again: one shared word with one of a few values.
const fingerprints = new Map<string, string>();

function remember(text: string): string {
  const print = shortHash(text);
  if (text.length > 200) return print;
  if (fingerprints.size >= 1000) fingerprints.clear();
  fingerprints.set(text, print);
  return print;
}

/** Text of a payload as it stands in a carrier, in one order for the same content; `{}` for an empty one. */
export type PayloadText = string;

/** The text of a payload, which has whatever order the server gave it. */
export function writePayload({ hub, spokes, stored }: Payload): PayloadText {
  return writePayloadWith(hub === undefined ? undefined : writeJson(sorted(hub)), { spokes, stored });
}

/** The same for one whose hub's leaves are text already. */
export function writePayloadWith(
  hub: TreeText | undefined,
  { spokes, stored }: Omit<Payload, "hub">,
): PayloadText {
  const content: Record<string, Json> = {};
  if (spokes !== undefined) content.spokes = sorted(spokes);
  if (stored !== undefined) content.stored = sorted(stored);
  const others = writeJson(content);
  if (hub === undefined) return others;
  return others === "{}" ? `{"hub":${hub}}` : `{"hub":${hub},${others.slice(1)}`;
}

function shortHash(text: string): string {
  return hash("sha256", text).slice(0, 10);
}

/** Adds the annotation; what is too large is compressed, then goes without its status leaves, then stays away. */
function annotated(
  object: JsonObject,
  content: PayloadText,
  { stamp }: Placement,
  plain: string | undefined,
): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const before = own(metadata, "annotations");
  if (!canHold(before)) return object;
  const others = isObject(before) ? before : {};
  const key = `${carrierPrefix}-${shortHash(content)}`;
  const room = annotationLimit - key.length - sizeOf(others);
  const whole =
    plain !== undefined && wasFor(before) === undefined ? plain : plainText(headOf(stamp, before), content);
  const text = fits(whole, room)
    ? whole
    : smallerTexts(headOf(stamp, before), content).find((each) => fits(each, room));
  if (text === undefined) return object;
  const annotations: Record<string, Json> = { ...others };
  annotations[key] = text;
  return { ...object, metadata: { ...metadata, annotations } };
}

function carrierOf({ hub, spokes, stored, uid, generation }: JsonObject): Carrier {
  return {
    payload: {
      hub: isTree(hub) ? hub : undefined,
      spokes: isObject(spokes) ? treesOf(spokes) : undefined,
      stored: isObject(stored) ? stored : undefined,
    },
    uid: typeof uid === "string" ? uid : undefined,
    generation: typeof generation === "number" ? generation : undefined,
  };
}

function byGeneration(a: Carrier, b: Carrier): number {
  return (b.generation ?? 0) - (a.generation ?? 0);
}

/** What stands before the content: the format, the stamp of a view, and what its container was. */
function headOf(stamp: Placement["stamp"], container: Json | undefined): JsonObject {
  const head: Record<string, Json> = { format };
  if (typeof stamp?.generation === "number") head.generation = stamp.generation;
  if (typeof stamp?.uid === "string") head.uid = stamp.uid;
  const was = wasFor(container);
  if (was !== undefined) head.was = was;
  return head;
}

/** Whether a container can take a carrier: it is one, or nothing is there. */
function canHold(container: Json | undefined): boolean {
  return container === undefined || container === null || isObject(container);
}

/** What remembers that a carrier's container was there before it and empty: `{}` or null. Else it goes with the carrier. */
function wasFor(container: Json | undefined): Json | undefined {
  if (container === null) return null;
  return isObject(container) && hasNoFields(container) ? {} : undefined;
}

function wasOf({ was }: JsonObject): Json | undefined {
  return was === null || (isObject(was) && hasNoFields(was)) ? was : undefined;
}

/** Whether a text has no more bytes than that. None has more than three a character, so that most need no counting. */
function fits(text: string, bytes: number): boolean {
  return 3 * text.length <= bytes || Buffer.byteLength(text) <= bytes;
}

function sizeOf(annotations: JsonObject): number {
  let bytes = 0;
  for (const key in annotations) {
    const value = annotations[key];
    bytes += Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0);
  }
  return bytes;
}

function treesOf(object: JsonObject): Readonly<Record<string, Tree>> {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Tree] => isTree(entry[1])),
  );
}

/** Whether a carrier holds leaves by place. A leaf in the place of all would hide the status leaves of the other carrier. */
function isTree(value: Json | undefined): value is Tree {
  return isObject(value) && readLeaf(value) === "node";
}
