import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { isAligned, isMark, keysOfNode } from "./aligned-list.ts";
import {
  attach,
  type Carrier,
  detach,
  type Payload,
  type Placement,
  parseSerialized,
  writePayload,
} from "./carriers.ts";
import { contentOf } from "./content.ts";
import { convert, spokeOnlyOf } from "./convert.ts";
import { readLeaf } from "./leaf.ts";
import { withoutRemoved } from "./removed-objects.ts";
import { storedPayload, trustedPayload } from "./trust.ts";
import { hubOf, image, type VersionChain, versionAt } from "./version-chain.ts";

/** The part of an object that a write changes: its status, or all the rest. */
type Part = "spec" | "status";

/**
 * A written object whose carriers no longer hold what other versions said of values that this write replaces or removes.
 * Otherwise `1.5s`, once replaced by 60 at the hub, would come back when the hub removes the 60; and a list item that is
 * removed and made again would get back what a spoke once said of it. Only admission sees the object before and after, and
 * only the carrier on the side that is written can be changed: it decides over the other one from then on.
 */
export function withoutContradicted(
  object: JsonObject,
  oldObject: JsonObject,
  part: Part,
  chain: VersionChain,
): JsonObject {
  const version = chain.versions.findIndex(({ apiVersion }) => apiVersion === object.apiVersion);
  if (version < 0) return object;
  const next = taken(object, oldObject, part, chain);
  const { object: bare, annotations, status } = detach(next);
  const atHub = version === hubOf(chain);
  const payload = atHub
    ? storedPayload(annotations[0], status)
    : trustedPayload(bare, annotations, status).payload;
  const hub = atHub ? payload.hub : hubLeaves(payload.hub, { bare, oldObject, chain, version });
  const isKept = hub === payload.hub;
  if (isKept && (payload.spokes === undefined || isUnchanged(bare, oldObject, chain))) return object;
  const { uid, generation } = isObject(oldObject.metadata) ? oldObject.metadata : {};
  const placed = { ...(atHub ? { uid: textOf(uid) } : { stamp: { uid, generation } }), isOverruling: true };
  const holding = (each: JsonObject, spokes: Spokes) => {
    const text = writePayload({ ...payload, hub, spokes: hasNoFields(spokes) ? undefined : spokes });
    return part === "spec"
      ? withAnnotation(each, text, placed, holdsLeaves(status))
      : withStatusCarrier(each, text, placed, !atHub || holdsLeaves(annotations[0]));
  };
  if (payload.spokes === undefined) return holding(object, {});
  const known = atHub ? knownLeaves(oldObject, payload.spokes, part, chain) : payload.spokes;
  const current = known === payload.spokes ? next : holding(next, known);
  const spokes = validLeaves(convert(current, chain, version, hubOf(chain)), known, part, chain);
  return equal(spokes, payload.spokes) && isKept ? object : holding(object, spokes);
}

/**
 * An object that is created from an export, without what other versions said of values that its client has replaced since: its
 * leaves are compared with what the object itself says, since there is no other one before it.
 */
export function withoutContradictedOfNew(object: JsonObject, chain: VersionChain): JsonObject {
  const version = chain.versions.findIndex(({ apiVersion }) => apiVersion === object.apiVersion);
  // The API server drops the status of a new object, with the carrier in it.
  const made = set(object, "status", undefined);
  const { object: bare, annotations } = detach(made);
  const [annotation, ...others] = annotations;
  // An export has one annotation.
  if (version < 0 || annotation === undefined || others.length > 0) return object;
  const atHub = version === hubOf(chain);
  const payload = atHub
    ? storedPayload(annotation, undefined)
    : trustedPayload(bare, annotations, undefined).payload;
  if (payload.spokes === undefined) return object;
  const spokes = validLeaves(convert(made, chain, version, hubOf(chain)), payload.spokes, "spec", chain);
  if (equal(spokes, payload.spokes)) return object;
  const text = writePayload({ ...payload, spokes: hasNoFields(spokes) ? undefined : spokes });
  return withAnnotation(object, text, atHub ? {} : { stamp: annotation }, false);
}

/** What only the hub has, without what is in objects that the client of a spoke removed. */
function hubLeaves(tree: Payload["hub"], { bare, oldObject, chain, version }: SpokeWrite): Payload["hub"] {
  if (tree === undefined) return undefined;
  const hub = hubOf(chain);
  const said = (object: JsonObject) => image(contentOf(object, chain.mapped), chain, version, hub);
  const images = () => ({ before: said(detach(oldObject).object), after: said(bare) });
  const left = withoutRemoved(tree, versionAt(chain, hub).shape, images);
  return hasNoFields(left) ? undefined : left;
}

interface SpokeWrite {
  readonly bare: JsonObject;
  readonly oldObject: JsonObject;
  readonly chain: VersionChain;
  readonly version: number;
}

type Spokes = NonNullable<Payload["spokes"]>;

/**
 * The leaves that are stored with a hub object, without those that it contradicts already. There are some only where the
 * carrier on the side that is written was lost: the other one may be older than the last write, in which the keeper could
 * change the lost one alone.
 */
function knownLeaves(oldObject: JsonObject, spokes: Spokes, part: Part, chain: VersionChain): Spokes {
  const { annotations, status } = detach(oldObject);
  const written = part === "spec" ? annotations[0] : status;
  // Leaves that the client brought along, as in the status of an export, are not stored yet.
  if (written !== undefined || !equal(storedPayload(annotations[0], status).spokes, spokes)) return spokes;
  const valid = validLeaves(oldObject, spokes, part, chain);
  return equal(valid, spokes) ? spokes : valid;
}

/** Whether a carrier has leaves: then one without leaves has to overrule it. */
function holdsLeaves(carrier: Carrier | undefined): boolean {
  const { hub = {}, spokes = {} } = carrier?.payload ?? {};
  return !hasNoFields(hub) || !hasNoFields(spokes);
}

/**
 * What the API server takes of a write: on each endpoint it keeps what the other one writes, and always uid and generation. A
 * file or an old copy has others, or none: by those a stored carrier could count as one of a later generation, or a new one as older.
 */
export function taken(
  object: JsonObject,
  oldObject: JsonObject,
  part: Part,
  chain: VersionChain,
): JsonObject {
  if (part === "status") return set(oldObject, "status", object.status);
  const { uid, generation } = isObject(oldObject.metadata) ? oldObject.metadata : {};
  const stamped = set(set(object, "metadata", "uid", uid), "metadata", "generation", generation);
  const { carriesStatus } = versionAt(chain, hubOf(chain));
  return carriesStatus ? set(stamped, "status", oldObject.status) : stamped;
}

function isUnchanged(bare: JsonObject, oldObject: JsonObject, { mapped }: VersionChain): boolean {
  return equal(contentOf(bare, mapped), contentOf(detach(oldObject).object, mapped));
}

/** The leaves of each spoke that still hold of a hub object, in the part that is written; all of the rest. */
function validLeaves(hubObject: JsonObject, spokes: Spokes, part: Part, chain: VersionChain): Spokes {
  const trees = Object.entries(spokes).flatMap(([name, tree]) => {
    const spoke = chain.versions.findIndex((each) => each.name === name);
    // A version that was removed since, and the written one, whose leaves its conversion makes anew.
    if (spoke < 0 || spoke === hubOf(chain)) return [[name, tree] as const];
    const valid = common(tree, spokeOnlyOf(hubObject, chain, spoke));
    const [spec, status] = part === "spec" ? [valid, tree] : [tree, valid];
    const kept = set(isObject(spec) ? spec : {}, "status", get(status, "status"));
    return hasNoFields(kept) ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(trees);
}

/**
 * Of the leaves that are stored those that would be made now, as they would be made: a leaf is not made any more where the
 * spoke shows something else. None is added, since the client said nothing of it. A list without keys, whose items are known
 * by their place among others, is taken as it would be made.
 */
function common(tree: Json, made: Json | undefined): Json | undefined {
  if (!isNode(tree) || !isNode(made) || !equal(keysOfNode(tree), keysOfNode(made))) return made;
  const children = Object.entries(tree).flatMap(([name, child]) => {
    const both = common(child, get(made, name));
    return both === undefined ? [] : [[name, both] as const];
  });
  return children.some(([name]) => !isMark(name)) ? Object.fromEntries(children) : undefined;
}

/** Whether a tree has a child for each field or key. */
function isNode(tree: Json | undefined): tree is JsonObject {
  return isObject(tree) && readLeaf(tree) === "node" && !isAligned(tree);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

type Placed = Pick<Placement, "stamp" | "uid" | "isOverruling">;

function withAnnotation(object: JsonObject, text: string, placed: Placed, isOther: boolean): JsonObject {
  const { object: bare } = detach(set(object, "status", undefined));
  const placement = { ...placed, isOverruling: isOther, annotation: true, status: false };
  return set(attach(bare, text, placement).object, "status", object.status);
}

function withStatusCarrier(object: JsonObject, text: string, placed: Placed, isOther: boolean): JsonObject {
  const { status } = detach(set(object, "metadata", {})).object;
  if (status !== undefined && status !== null && !isObject(status)) return object;
  if (text === "{}" && !isOther) return set(object, "status", status);
  const placement = { ...placed, annotation: false, status: true };
  const carried = parseSerialized(attach(status === undefined ? {} : { status }, text, placement));
  return set(object, "status", carried.status);
}
