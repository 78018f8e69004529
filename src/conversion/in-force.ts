import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import { isMark } from "./aligned-list.ts";
import { carrierField } from "./carriers.ts";
import { complementOf } from "./complement.ts";
import { orderKey, readLeaf } from "./leaf.ts";
import { fieldsOutside, narrowed, placeIn } from "./narrow.ts";
import { restore } from "./restore.ts";
import { below, fitInto, fits, type Shape } from "./shape.ts";
import { fromChild, type Tree } from "./tree.ts";
import { withoutUnsaid } from "./unsaid.ts";
import { type ChainVersion, hubOf, type VersionChain, versionAt, versionChainOf } from "./version-chain.ts";

// A release may know fields that the CRD of the cluster does not have yet, or no longer. The API server prunes them from
// every object that conversion returns (apiextensions-apiserver, pkg/apiserver, schemaCoercingConverter), so what such a field
// shows would be lost with the next write. What an object shows is therefore fitted into the CRD as well, and the rest is
// carried, as by a release that does not know the field. What an object says is read in full: replicas learn of a new CRD at
// different moments, and a field that was shown or written must count for all of them.

/** The shapes of a CRD's versions, by their names. */
export type CrdShapes = ReadonlyMap<string, Shape>;

/**
 * The chain of a kind while CRDs are in force: a version shows only what all of them have a place for. The hub's fields that
 * some of the recent CRDs have no place for are always carried, so that a replica which still takes one of those to be in force
 * knows that the stored object has them. The same chain where all of them have a place for everything.
 */
export function chainInForce(
  chain: VersionChain,
  crds: readonly CrdShapes[],
  recent: readonly CrdShapes[] = crds,
): VersionChain {
  const versions = chain.versions.map((version) => versionInForce(version, crds));
  const hub = versionAt(chain, hubOf(chain));
  const inDoubt = fieldsOutside(hub.shape, shapeInForce(hub, recent));
  const isSame = versions.every((version, at) => version === chain.versions[at]);
  return isSame && inDoubt.length === 0 ? chain : versionChainOf(versions, inDoubt, chain.converter);
}

/** A version that a CRD does not have is neither asked for nor stored, so it stays as it is. */
function shapeInForce({ name, shape }: ChainVersion, crds: readonly CrdShapes[]): Shape {
  return crds.flatMap((crd) => crd.get(name) ?? []).reduce(narrowed, shape);
}

function versionInForce(version: ChainVersion, crds: readonly CrdShapes[]): ChainVersion {
  const inForce = shapeInForce(version, crds);
  if (inForce === version.shape) return version;
  const field = below(below(inForce, "status"), carrierField);
  return { ...version, inForce, carriesStatus: version.carriesStatus && field !== undefined };
}

/**
 * What a spoke shows of its content: all that the CRD in force has a place for, and of what the lenses mapped only values of its
 * types. Leaves that were put back have any type, and stay as they are where the API server does not prune them.
 */
export function placedInForce(
  content: JsonObject,
  mapped: JsonObject,
  chain: VersionChain,
  at: number,
): JsonObject {
  const { inForce } = versionAt(chain, at);
  return inForce === undefined
    ? content
    : prunedFields(withoutOutside(content, mapped, undefined, chain, at), inForce);
}

/**
 * Hub content without what the API server would prune when it stores it, of what a spoke said: a leaf keeps that for the
 * spoke. Where the view carries a leaf of such a field, the stored object has the field, so that a CRD with it is in force
 * already, and the spoke's word goes there.
 */
export function storable(
  content: JsonObject,
  mapped: JsonObject,
  carried: Tree | undefined,
  chain: VersionChain,
): JsonObject {
  return withoutOutside(content, mapped, carried, chain, hubOf(chain));
}

/**
 * What the lenses show a spoke, as far as its client could have said it: a field for which the CRD in force has no place counts
 * only where it is said. So a leaf keeps none absent that an older release did not know.
 */
export function sayableInForce(
  shown: JsonObject,
  said: JsonObject,
  chain: VersionChain,
  at: number,
): JsonObject {
  const { inForce, shape } = versionAt(chain, at);
  return inForce === undefined ? shown : withoutUnsaid(shown, said, fitInto(shown, inForce), shape);
}

/** Content without those values of a mapped object for which the CRD in force has no place, unless a leaf is carried for them. */
function withoutOutside(
  content: JsonObject,
  mapped: JsonObject,
  carried: Tree | undefined,
  chain: VersionChain,
  at: number,
): JsonObject {
  const { inForce, shape } = versionAt(chain, at);
  const kept = inForce === undefined ? mapped : fitInto(mapped, inForce);
  if (kept === mapped) return content;
  const outside = complementOf(kept, mapped, mapped, shape);
  const doubtless = outside && carried ? leavesBeside(outside, carried) : outside;
  return restore(content, doubtless, shape);
}

/** What the maker of a view withheld, as far as a version of this release can say it; the maker may know more. */
export function sayable(withheld: Tree | undefined, shape: Shape): Tree | undefined {
  if (withheld === undefined) return undefined;
  const leaf = readLeaf(withheld);
  if (leaf !== "node") return leaf?.value !== undefined && fits(leaf.value, shape) ? withheld : undefined;
  const left = Object.entries(withheld).flatMap(([name, child]): readonly (readonly [string, Json])[] => {
    if (describesList(name)) return [[name, child]];
    const place = shape.items ?? placeIn(shape, fromChild(name));
    const below = place && isObject(child) ? sayable(child, place) : undefined;
    return below === undefined ? [] : [[name, below]];
  });
  return left.every(([name]) => describesList(name)) ? undefined : Object.fromEntries(left);
}

/** Whether the child of a node says something about its list, and nothing about an item. */
function describesList(name: string): boolean {
  return name === orderKey || isMark(name);
}

/** The leaves of a tree where another one has no value, neither as a leaf nor within one. */
function leavesBeside(tree: Tree, other: Json | undefined, around?: Json): Tree | undefined {
  const leaf = other === undefined ? undefined : readLeaf(other);
  const value = leaf === undefined || leaf === "node" ? around : leaf.value;
  const node = leaf === "node" && isObject(other) ? other : {};
  if (readLeaf(tree) !== "node") return value === undefined && !hasValue(node) ? tree : undefined;
  const left = Object.entries(tree).flatMap(([name, child]): readonly (readonly [string, Json])[] => {
    if (!isObject(child)) return [[name, child]];
    const beside = leavesBeside(child, own(node, name), own(value, fromChild(name)));
    return beside === undefined ? [] : [[name, beside]];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Whether a leaf has a value, or a leaf below a node. */
function hasValue(tree: Tree): boolean {
  const leaf = readLeaf(tree);
  if (leaf !== "node") return leaf?.value !== undefined;
  return Object.values(tree).some((child) => isObject(child) && hasValue(child));
}

function pruned(value: Json, shape: Shape): Json {
  if (isObject(value)) return prunedFields(value, shape);
  const { items } = shape;
  if (!isArray(value) || items === undefined) return value;
  const kept = value.map((item) => pruned(item, items));
  return kept.every((item, at) => item === value[at]) ? value : kept;
}

function prunedFields(object: JsonObject, shape: Shape): JsonObject {
  const entries = Object.entries(object);
  const kept = entries.flatMap(([name, value]) => {
    const place = placeIn(shape, name);
    return place === undefined ? [] : [[name, pruned(value, place)] as const];
  });
  const isSame = kept.length === entries.length && kept.every(([name, value]) => value === object[name]);
  return isSame ? object : Object.fromEntries(kept);
}
