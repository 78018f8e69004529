import { hash } from "node:crypto";
import { writeJson } from "../json/exact.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { annotationLimit, format, isForeign, readText, texts } from "./carrier-text.ts";
import { readLeaf, sorted, type Tree } from "./tree.ts";

/** Annotations whose key starts so are the engine's: they carry what the other version cannot say. */
export const carrierPrefix = "antechamber.dev/conversion-data";

/** The field of status that is the engine's: every generated schema declares it, so that the server keeps it. */
export const carrierField = "conversionData";

/** What a carrier says besides who it is for. Both carriers of one object hold the same. */
export interface Cargo {
  /** In a spoke's view: the leaves that only the hub can say. */
  readonly hub?: Tree;
  /** By name of a spoke, the leaves that only it can say: all of them in the hub, those of other spokes in a view. */
  readonly spokes?: Readonly<Record<string, Tree>>;
  /** In a view: what is stored for this very spoke, where that is not what the way back would make. */
  readonly stored?: JsonObject;
}

/** A carrier as it was read: its cargo, and the stamp of a view. */
export interface Carrier {
  readonly cargo: Cargo;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
}

/** An object without its carriers, and the carriers. Damaged ones are dropped; of an unknown format none is touched. */
export interface Unloaded {
  readonly object: JsonObject;
  /** From annotations; the one of the highest generation first. */
  readonly annotations: readonly Carrier[];
  readonly status: Carrier | undefined;
}

/** Takes the carriers out of an object; a container that was there only for them goes too. */
export function unload(object: JsonObject): Unloaded {
  const annotations: Carrier[] = [];
  let bare = object;
  const { metadata, status } = object;
  const marked = get(metadata, "annotations");
  if (isObject(marked) && Object.keys(marked).some((key) => key.startsWith(carrierPrefix))) {
    const rest: [string, Json][] = [];
    let left: Json | undefined;
    for (const [key, value] of Object.entries(marked)) {
      const text = key.startsWith(carrierPrefix) ? readText(value) : "other";
      if (text === "other") rest.push([key, value]);
      else if (text !== undefined) {
        annotations.push(carrierOf(text));
        // Null is what was there, not nothing.
        if (left === undefined) left = wasOf(text);
      }
    }
    const kept = rest.length > 0 ? Object.fromEntries(rest) : left;
    bare = set(bare, "metadata", set(metadata as JsonObject, "annotations", kept));
  }
  const field = get(status, carrierField);
  if (!isObject(status) || field === undefined || isForeign(field)) {
    return { object: bare, annotations: annotations.sort(byGeneration), status: undefined };
  }
  const rest = set(status, carrierField, undefined);
  const kept = Object.keys(rest).length > 0 ? rest : isObject(field) ? wasOf(field) : undefined;
  return {
    object: set(bare, "status", kept),
    annotations: annotations.sort(byGeneration),
    status: isObject(field) && field.format === format ? carrierOf(field) : undefined,
  };
}

/** Where the carriers of an object go: which of the two, and the stamp of a view. */
export interface Load {
  readonly stamp?: { readonly uid: Json | undefined; readonly generation: Json | undefined };
  readonly annotation: boolean;
  readonly status: boolean;
}

/** Puts a cargo into an object's carriers. The annotation is left out where there is nothing in it to lose. */
export function load(object: JsonObject, cargo: Cargo, where: Load): JsonObject {
  const content = contentOf(cargo);
  const head = { format, ...stampOf(where.stamp) };
  const { status } = object;
  const field = { ...head, ...wasFor(status), ...content };
  const loaded =
    where.status && canHold(status)
      ? set(object, "status", { ...(isObject(status) ? status : {}), [carrierField]: field })
      : object;
  return where.annotation && Object.keys(content).length > 0 ? annotated(loaded, head, content) : loaded;
}

/** One text for a cargo or a part of it: the same for the same content. */
export function fingerprint(content: Json | undefined): string {
  return shortHash(writeJson(content === undefined ? null : sorted(content)));
}

/** A cargo in one order. The hub's leaves are made in it; what comes from a carrier has whatever order the server gave it. */
function contentOf({ hub, spokes, stored }: Cargo): JsonObject {
  return {
    ...(hub === undefined ? {} : { hub }),
    ...(spokes === undefined ? {} : { spokes: sorted(spokes) }),
    ...(stored === undefined ? {} : { stored: sorted(stored) }),
  };
}

function shortHash(text: string): string {
  return hash("sha256", text).slice(0, 10);
}

/** Adds the annotation; what is too large is compressed, then goes without its status leaves, then stays away. */
function annotated(object: JsonObject, head: JsonObject, content: JsonObject): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const before = get(metadata, "annotations");
  if (!canHold(before)) return object;
  const others = isObject(before) ? before : {};
  const contentText = writeJson(content);
  const key = `${carrierPrefix}-${shortHash(contentText)}`;
  const room = annotationLimit - key.length - sizeOf(others);
  const text = texts({ ...head, ...wasFor(before) }, content, contentText).find((each) => fits(each, room));
  if (text === undefined) return object;
  return set(object, "metadata", set(metadata, "annotations", { ...others, [key]: text }));
}

function carrierOf({ hub, spokes, stored, uid, generation }: JsonObject): Carrier {
  return {
    cargo: {
      ...(isTree(hub) ? { hub } : {}),
      ...(isObject(spokes) ? { spokes: treesOf(spokes) } : {}),
      ...(isObject(stored) ? { stored } : {}),
    },
    uid: typeof uid === "string" ? uid : undefined,
    generation: typeof generation === "number" ? generation : undefined,
  };
}

function byGeneration(a: Carrier, b: Carrier): number {
  return (b.generation ?? 0) - (a.generation ?? 0);
}

function stampOf(stamp: Load["stamp"]): JsonObject {
  const { uid, generation } = stamp ?? {};
  return {
    ...(typeof generation === "number" ? { generation } : {}),
    ...(typeof uid === "string" ? { uid } : {}),
  };
}

/** Whether a container can take a carrier: it is one, or nothing is there. */
function canHold(container: Json | undefined): boolean {
  return container === undefined || container === null || isObject(container);
}

/** What remembers that a carrier's container was there before it and empty: `{}` or null. Else it goes with the carrier. */
function wasFor(container: Json | undefined): JsonObject {
  if (container === null) return { was: null };
  return isObject(container) && Object.keys(container).length === 0 ? { was: {} } : {};
}

function wasOf({ was }: JsonObject): Json | undefined {
  return was === null || (isObject(was) && Object.keys(was).length === 0) ? was : undefined;
}

/** Whether a text has no more bytes than that. None has more than three a character, so that most need no counting. */
function fits(text: string, bytes: number): boolean {
  return 3 * text.length <= bytes || Buffer.byteLength(text) <= bytes;
}

function sizeOf(annotations: JsonObject): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
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
