import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Restored, restoreAgreeing, type Writer } from "./agreement.ts";
import { agrees } from "./agrees.ts";
import {
  attach,
  attachUnequal,
  type Carrier,
  detach,
  type Payload,
  type PayloadText,
  parseSerialized,
  type SerializedObject,
  writeFreshPayload,
  writePayload,
} from "./carriers.ts";
import { complementOf } from "./complement.ts";
import { assembled, contentOf, withoutReserved } from "./content.ts";
import { placedInForce, sayable, sayableInForce, storable } from "./in-force.ts";
import { restore } from "./restore.ts";
import { isRoomInStatus } from "./room-in-status.ts";
import { fitInto } from "./shape.ts";
import { withoutSpoke, withSpoke } from "./stored-spokes.ts";
import type { Tree } from "./tree.ts";
import {
  memoryOf,
  onlyCarrier,
  remembered,
  storedPayload,
  trustedPayload,
  uidOf,
  unequalCopies,
} from "./trust.ts";
import {
  complementsOf,
  groupsAt,
  hubOf,
  image,
  imageOfFitted,
  type VersionChain,
  versionAt,
} from "./version-chain.ts";

/**
 * Converts an object between two versions, given by their indexes; at its own version it stays as it is. Nothing is lost:
 * what the other version cannot say travels in the carriers and comes back, each leaf only where it was not contradicted
 * since. Total: no object is refused, whatever its fields hold. Of metadata only annotations, and labels that a lens maps,
 * differ; it is always present, since the API server requires it of every converted object (apiextensions-apiserver,
 * pkg/apiserver/conversion/webhook_converter.go, restoreObjectMeta).
 */
export function convert(object: JsonObject, chain: VersionChain, from: number, to: number): JsonObject {
  return parseSerialized(convertSerialized(object, chain, from, to));
}

/** The same for a caller that writes the object as JSON: the carrier in its status is text already. */
export function convertSerialized(
  object: JsonObject,
  chain: VersionChain,
  from: number,
  to: number,
): SerializedObject {
  const hub = hubOf(chain);
  if (from === to) return { object, carrierText: undefined };
  if (to === hub) return toHub(object, chain, from);
  return toSpoke(from === hub ? object : parseSerialized(toHub(object, chain, from)), chain, to);
}

/** A hub object as a spoke shows it, in three steps. */
function toSpoke(object: JsonObject, chain: VersionChain, to: number): SerializedObject {
  const stored = readHub(object, chain, to);
  const view = viewOf(stored, chain, to);
  const payload = payloadOfView(stored, view, chain, to);
  const spoke = versionAt(chain, to);
  const { uid, generation } = stored.metadata;
  const placement = {
    stamp: { uid, generation },
    annotation: true,
    status: isRoomInStatus(spoke, view.shown),
  };
  return attach(assembled(stored.bare, spoke, view.shown, chain.mapped), payload, placement);
}

/** A hub object, read for one spoke. */
interface StoredHub {
  /** The object without its carriers. */
  readonly bare: JsonObject;
  readonly metadata: JsonObject;
  readonly content: JsonObject;
  readonly payload: Payload;
  /** What only this spoke can say. */
  readonly spokeOnly: Tree | undefined;
  /** The carriers that the object had. */
  readonly annotation: Carrier | undefined;
  readonly status: Carrier | undefined;
  /** Whether the payload is known to have all its leaves. */
  readonly isWhole: () => boolean;
  /** What only the hub can say, given what comes back of its content. */
  readonly hubOnly: (roundTripped: JsonObject) => Tree | undefined;
}

/** First step toward a spoke: takes the carriers out of the hub object, and finds what they store for this spoke. */
function readHub(object: JsonObject, chain: VersionChain, to: number): StoredHub {
  const { object: bare, annotations, status } = detach(object);
  const [annotation] = annotations;
  const payload = storedPayload(annotation, status);
  const content = contentOf(bare, chain.mapped);
  return {
    bare,
    metadata: isObject(bare.metadata) ? bare.metadata : {},
    content,
    payload,
    spokeOnly: payload.spokes?.[versionAt(chain, to).name],
    annotation,
    status,
    isWhole: () => annotation !== undefined || (status?.isWhole() ?? false),
    hubOnly: comparedOnce((back) => complementsOf(chain, to).hubOnly(content, back, back)),
  };
}

/** The same function, which keeps its last result: the same image is compared for agreement and for what is carried. */
function comparedOnce<Found>(compare: (image: JsonObject) => Found): (image: JsonObject) => Found {
  let last: { readonly image: JsonObject; readonly found: Found } | undefined;
  return (image) => {
    if (last?.image !== image) last = { image, found: compare(image) };
    return last.found;
  };
}

/** What a spoke shows of a hub object. */
interface View {
  /** By the lenses alone. */
  readonly image: JsonObject;
  /** With what only the spoke can say; the very same object where that is nothing. */
  readonly content: JsonObject;
  /** What the hub would show of the content. */
  readonly roundTripped: JsonObject;
  /** The content that the CRD in force has a place for; the very same object where that is all. */
  readonly shown: JsonObject;
}

/** Second step: maps the hub's content through the lenses, and puts back what only the spoke can say. */
function viewOf(stored: StoredHub, chain: VersionChain, to: number): View {
  const { content, spokeOnly } = stored;
  const hub = hubOf(chain);
  const said = fitInto(content, versionAt(chain, hub).shape);
  const mapped = imageOfFitted(said, chain, hub, to);
  const isSaid = (image: JsonObject) => stored.hubOnly(image) === undefined;
  const reading = { writer: hub, said, at: to, isWhole: stored.isWhole, isSaid };
  const restored = putBack(mapped, spokeOnly, chain, reading);
  const whole = withoutReserved(restored.object, chain.mapped);
  const isSettled = whole === restored.object;
  const roundTripped = isSettled ? restored.image : image(whole, chain, to, hub);
  return { image: mapped, content: whole, roundTripped, shown: placedInForce(whole, mapped, chain, to) };
}

/** The words that leaves must not contradict: what a writer said in its version, and the version that the leaves belong to. */
interface Reading {
  readonly writer: number;
  /** Fitted into the shape of that version. */
  readonly said: JsonObject;
  readonly at: number;
  /** Whether all leaves that the writer got are there. From a part of them nothing follows. */
  readonly isWhole: () => boolean;
  readonly isSaid?: Writer["isSaid"];
  readonly isReadBack?: Writer["isReadBack"];
}

/** Puts leaves back into what the lenses show of a writer's words. */
function putBack(
  plain: JsonObject,
  tree: Tree | undefined,
  chain: VersionChain,
  { writer, said, at, ...more }: Reading,
): Restored {
  const { shape, inForce = shape } = versionAt(chain, writer);
  return restoreAgreeing(plain, tree, versionAt(chain, at).shape, {
    grouped: groupsAt(chain, at, writer),
    said,
    shape: inForce,
    imageOf: (object) =>
      object === plain ? imageOfFitted(plain, chain, at, writer) : image(object, chain, at, writer),
    ...more,
  });
}

/**
 * Third step: compares the view with what the way back would make of it. The payload is what only the hub can say, what
 * is stored for other spokes, and a memory of what is stored for this one where the way back would store something else.
 */
function payloadOfView(stored: StoredHub, view: View, chain: VersionChain, to: number): PayloadText {
  const { content, payload, spokeOnly } = stored;
  const { roundTripped } = view;
  const { isWhole, withheld } = withheldOf(view, chain, to);
  // A release that does not know what was withheld reads the view without it.
  const shown = isWhole ? roundTripped : image(view.shown, chain, to, hubOf(chain));
  const hubOnly = isWhole
    ? stored.hubOnly(roundTripped)
    : complementsOf(chain, to).hubOnly(content, shown, roundTripped);
  const memory = memoryOf(spokeOnly, recomputed(stored, view, chain, to), payload, stored);
  const spokes = withoutSpoke(payload.spokes, versionAt(chain, to).name);
  const remembers = spokeOnly !== undefined && isApplied(stored.metadata, undefined, chain, to);
  const kept = remembers ? { ...memory, applied: true } : memory;
  return writeFreshPayload({ hub: hubOnly, spokes, stored: kept, withheld });
}

/** What a view does not show although its spoke can say it, as leaves. */
function withheldOf({ content, shown }: View, chain: VersionChain, to: number) {
  if (shown === content) return { isWhole: true, withheld: undefined };
  return { isWhole: false, withheld: complementOf(content, shown, shown, versionAt(chain, to).shape) };
}

/** What only a spoke says of a hub object, as the way back would compute it: without leaves that the hub contradicts. */
export function spokeOnlyOf(object: JsonObject, chain: VersionChain, spoke: number): Tree | undefined {
  const stored = readHub(object, chain, spoke);
  return recomputed(stored, viewOf(stored, chain, spoke), chain, spoke);
}

function recomputed(
  { content, metadata }: StoredHub,
  view: View,
  chain: VersionChain,
  to: number,
): Tree | undefined {
  const imageAfterDefaults = afterDefaults(content, view.image, chain, to);
  const { ofApplied, spokeOnly } = complementsOf(chain, to);
  const complement = isApplied(metadata, undefined, chain, to) ? ofApplied : spokeOnly;
  return complement(view.content, view.image, imageAfterDefaults);
}

/**
 * Whether a manager has applied an object at a spoke, if that makes a difference to what is stored for it. Server-side apply
 * takes managedFields out of what it converts, so a view remembers it.
 */
function isApplied(
  metadata: Json | undefined,
  memory: JsonObject | undefined,
  chain: VersionChain,
  spoke: number,
): boolean {
  const { ofApplied, spokeOnly } = complementsOf(chain, spoke);
  if (ofApplied === spokeOnly) return false;
  if (get(memory, "applied") === true) return true;
  const entries = get(metadata, "managedFields");
  const { apiVersion } = versionAt(chain, spoke);
  const isApply = (entry: Json) =>
    get(entry, "operation") === "Apply" && get(entry, "apiVersion") === apiVersion;
  return isArray(entries) && entries.some(isApply);
}

/** A spoke's view as the hub object that is stored, in three steps. */
function toHub(object: JsonObject, chain: VersionChain, from: number): SerializedObject {
  const view = readView(object, chain, from);
  const restored = hubContentOf(view, chain, from);
  const hubContent = restored.object;
  const spokes = spokesOf(view, restored, chain, from);
  const hub = versionAt(chain, hubOf(chain));
  const hubObject = assembled(view.bare, hub, hubContent, chain.mapped);
  return withCarriers(hubObject, spokes, view, isRoomInStatus(hub, hubContent));
}

/** The hub object with what it stores for spokes, in the carriers that it had before where a write changed nothing. */
function withCarriers(
  object: JsonObject,
  spokes: Payload["spokes"],
  { bare, payload: { stored } }: WrittenView,
  carriesStatus: boolean,
): SerializedObject {
  const copies = carriesStatus ? unequalCopies(stored, spokes, bare.metadata) : undefined;
  const head = { isUnsummed: get(stored, "sum") === false, uid: uidOf(stored, spokes, bare.metadata) };
  const both = copies && attachUnequal(object, textOfSpokes(copies[0]), textOfSpokes(copies[1]), head);
  if (both !== undefined) return both;
  const before = onlyCarrier(stored, spokes);
  // Where status has lost its room, the annotation holds what status alone held.
  const only = before === "status" && !carriesStatus ? undefined : before;
  if (spokes === undefined && only === undefined) return { object, carrierText: undefined };
  return attach(object, textOfSpokes(spokes), {
    annotation: only !== "status",
    status: carriesStatus && only !== "annotation",
    isOverruling: spokes === undefined,
    ...head,
  });
}

function textOfSpokes(spokes: Payload["spokes"]): PayloadText {
  return writePayload({ spokes });
}

/** A spoke's view, as a client wrote it. */
interface WrittenView {
  /** The object without its carriers. */
  readonly bare: JsonObject;
  readonly content: JsonObject;
  readonly payload: Payload;
  readonly isWhole: () => boolean;
}

/**
 * First step toward the hub: takes the carriers out of the view, decides which of them to trust, and puts back what was not
 * shown for want of a place.
 */
function readView(object: JsonObject, chain: VersionChain, from: number): WrittenView {
  const { object: bare, annotations, status } = detach(object);
  const { payload, isWhole } = trustedPayload(bare, annotations, status);
  const shown = contentOf(bare, chain.mapped);
  const { shape } = versionAt(chain, from);
  const restored = restore(shown, sayable(payload.withheld, shape), shape);
  const content = restored === shown ? shown : withoutReserved(restored, chain.mapped);
  return { bare, content, payload, isWhole };
}

/** Second step: maps the view's content through the lenses, and puts back what only the hub can say. */
function hubContentOf(view: WrittenView, chain: VersionChain, from: number): Restored {
  const { content, payload, isWhole } = view;
  const hub = hubOf(chain);
  const said = fitInto(content, versionAt(chain, from).shape);
  const mapped = imageOfFitted(said, chain, from, hub);
  const { shape, inForce = shape } = versionAt(chain, hub);
  // The hub then contradicts nothing that the spoke says, so that it gets back what the hub cannot say.
  const isReadBack = (all: Restored) =>
    agrees(mapped, all.object, all.object, inForce) || readsAsWritten(view, all, chain, from);
  const reading = { writer: from, said, at: hub, isWhole, isReadBack };
  const restored = putBack(mapped, payload.hub, chain, reading);
  const object = withoutReserved(storable(restored.object, mapped, payload.hub, chain), chain.mapped);
  return object === restored.object ? restored : { object, image: image(object, chain, hub, from) };
}

/** Whether a spoke will show what its client wrote. */
function readsAsWritten(view: WrittenView, restored: Restored, chain: VersionChain, from: number): boolean {
  const { mapped, tree } = onlySaidBy(view, restored, chain, from);
  return equal(shownWith(tree, mapped, restored.object, chain, from), view.content);
}

/** What only a spoke can say of what its client wrote, and what it shows without that. */
function onlySaidBy(
  { bare, content, payload }: WrittenView,
  { object: hubContent, image: whole }: Restored,
  chain: VersionChain,
  from: number,
) {
  const mapped = sayableInForce(whole, content, chain, from);
  const wholeAfterDefaults = afterDefaults(hubContent, whole, chain, from);
  const imageAfterDefaults =
    wholeAfterDefaults === whole ? mapped : sayableInForce(wholeAfterDefaults, content, chain, from);
  const { ofApplied, spokeOnly: ofOthers } = complementsOf(chain, from);
  const complement = isApplied(bare.metadata, payload.stored, chain, from) ? ofApplied : ofOthers;
  return { mapped, tree: complement(content, mapped, imageAfterDefaults) };
}

/** Third step: what the hub object has to store for spokes: what only this one can say, and what is stored for others. */
function spokesOf(
  view: WrittenView,
  restored: Restored,
  chain: VersionChain,
  from: number,
): Payload["spokes"] {
  const { content, payload } = view;
  const { mapped, tree: computed } = onlySaidBy(view, restored, chain, from);
  // A stale leaf becomes valid again where the hub once more says what it said then: what was stored before may stay only
  // if the spoke then shows what its client wrote.
  const isReadBack = (tree: Tree | undefined) =>
    equal(shownWith(tree, mapped, restored.object, chain, from), content);
  const found = remembered(computed, payload.stored, isReadBack);
  return withSpoke(payload.spokes, versionAt(chain, from).name, found);
}

/** What a spoke shows of hub content with leaves of its own. */
function shownWith(
  tree: Tree | undefined,
  mapped: JsonObject,
  hubContent: JsonObject,
  chain: VersionChain,
  at: number,
): JsonObject {
  if (tree === undefined) return mapped;
  const hub = hubOf(chain);
  const said = fitInto(hubContent, versionAt(chain, hub).shape);
  return putBack(mapped, tree, chain, { writer: hub, said, at, isWhole: () => true }).object;
}

/** What a spoke shows of hub content once the API server has filled in the hub's schema defaults, as it does on reading. */
function afterDefaults(
  hubContent: JsonObject,
  shown: JsonObject,
  chain: VersionChain,
  to: number,
): JsonObject {
  const hub = hubOf(chain);
  const defaulted = versionAt(chain, hub).defaulted(hubContent);
  return defaulted === hubContent ? shown : image(defaulted, chain, hub, to);
}
