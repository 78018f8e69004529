import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { type Carrier, fingerprint, type Payload } from "./carriers.ts";
import type { Tree } from "./tree.ts";

/** The payload stored with a hub object: spec leaves of the annotation if there is one, status leaves of status. */
export function storedPayload(annotation: Carrier | undefined, status: Carrier | undefined): Payload {
  return merged((annotation ?? status)?.payload ?? nothing, (status ?? annotation)?.payload ?? nothing);
}

const nothing: Payload = { hub: undefined, spokes: undefined, stored: undefined, withheld: undefined };

/** The payload of a view, and whether it has all leaves that the view was made with, or all of status if it has no others. */
interface TrustedPayload {
  readonly payload: Payload;
  readonly isWhole: () => boolean;
}

/**
 * The payload of a view, from the carriers that are trusted. Spec leaves: the annotation's, or those of the status carrier
 * if no annotation was made from this object or its stamp is lower. Status leaves: those of the status carrier, whatever its
 * stamp, else the annotation's if it was made from this very object. So a client of one endpoint cannot forge what only the
 * other one writes: on a write of /status the API server itself takes all but status from the stored object, converted
 * anew, and on any other write it takes status from there (apiextensions-apiserver, pkg/registry/customresource,
 * statusStrategy.PrepareForUpdate and customResourceStrategy.PrepareForUpdate). An annotation may be of a later generation than
 * its object: where a file that is applied has the generation of an earlier read, the API server compares what managers own
 * on an object that it has merged from the file and the stored one, before it sets the generation again.
 */
export function trustedPayload(
  object: JsonObject,
  annotations: readonly Carrier[],
  status: Carrier | undefined,
): TrustedPayload {
  const { uid, generation } = isObject(object.metadata) ? object.metadata : {};
  const isOfAnother = (carrier: Carrier) =>
    carrier.uid !== undefined && typeof uid === "string" && carrier.uid !== uid;
  const isOfLater = (carrier: Carrier) =>
    carrier.generation !== undefined && typeof generation === "number" && carrier.generation > generation;
  const annotation = annotations.find((each) => !isOfAnother(each));
  const statusCarrier = status === undefined || isOfAnother(status) || isOfLater(status) ? undefined : status;
  const isStatusNewer =
    statusCarrier !== undefined &&
    annotation !== undefined &&
    (statusCarrier.generation ?? 0) > (annotation.generation ?? 0);
  // An object created from an export: the annotation is the only carrier, made from the object that was exported.
  const exported = status === undefined && generation === 1 ? annotations[0] : undefined;
  const spec = isStatusNewer ? statusCarrier : (annotation ?? statusCarrier ?? exported);
  const statusSource =
    status ?? (annotation?.uid === (typeof uid === "string" ? uid : undefined) ? annotation : undefined);
  const payload = merged(spec?.payload ?? nothing, statusSource?.payload ?? nothing);
  return { payload, isWhole: (spec ?? statusSource)?.isWhole ?? (() => false) };
}

/** A payload with the status leaves of one payload and all other leaves of another. */
function merged(spec: Payload, status: Payload): Payload {
  if (spec === status) return spec;
  const hub = mergedParts(spec.hub, status.hub);
  const names = new Set([...Object.keys(spec.spokes ?? {}), ...Object.keys(status.spokes ?? {})]);
  const spokes = [...names].flatMap((name) => {
    const tree = mergedParts(spec.spokes?.[name], status.spokes?.[name]);
    return tree === undefined ? [] : [[name, tree] as const];
  });
  const stored = mergedParts(spec.stored, status.stored);
  const withheld = mergedParts(spec.withheld, status.withheld);
  return { hub, spokes: spokes.length === 0 ? undefined : Object.fromEntries(spokes), stored, withheld };
}

function mergedParts(spec: JsonObject | undefined, status: JsonObject | undefined): JsonObject | undefined {
  // Most often both carriers are equal.
  const both = spec === status ? (spec ?? {}) : set(spec ?? {}, "status", get(status, "status"));
  return hasNoFields(both) ? undefined : both;
}

/**
 * What a view remembers of the tree that is stored for its own spoke, where the way back would compute another one, with a
 * stale leaf or without a leaf, and of the carriers of the hub object, where they were not two equal ones. Without the
 * memory, a write that changes nothing would change what is stored. By part of the tree: `had` is what is stored, `made` the
 * fingerprint of what was computed. `at` says that the hub object had the carrier in status alone, `empty` which one it had
 * without leaves; `sum` is false where an earlier release stored none. One that had the annotation alone gets the other too:
 * server-side apply takes an annotation out of what it compares (its key follows its content), and a spoke's fields with it
 * where nothing else holds them. `of` has the uid of the carrier in status, if that is not the object's.
 */
export function memoryOf(
  stored: Tree | undefined,
  computed: Tree | undefined,
  payload: Payload,
  { annotation, status, metadata }: Copies,
): JsonObject | undefined {
  if (stored === computed && annotation === undefined && status === undefined) return undefined;
  const memory: Record<string, Json> = {};
  for (const part of stored === computed ? [] : parts) {
    const [had, made] = [partOf(stored, part), partOf(computed, part)];
    if (equal(had, made)) continue;
    memory[part] = { made: fingerprint(made), ...(had && { had }) };
  }
  if (annotation === undefined || status === undefined) {
    const at = status === undefined ? "annotation" : "status";
    if (payload.spokes === undefined && (annotation ?? status) !== undefined) memory.empty = at;
    else if (payload.spokes !== undefined && at === "status")
      memory.at = { made: fingerprint(payload.spokes) };
  } else if (!equal(annotation.payload.spokes, status.payload.spokes)) {
    const idle = merged(status.payload, annotation.payload).spokes ?? {};
    const [spec, rest] = parts.map((part) => mapTrees(idle, (tree) => partOf(tree, part)));
    const { generation = null } = metadata;
    memory.apart = { generation, made: fingerprint(payload.spokes), ...(spec && { spokes: spec }) };
    if (rest !== undefined) memory.status = { ...objectOr(memory.status), apart: rest };
  }
  if (status !== undefined && !status.isSummed) memory.sum = false;
  if (status !== undefined && status.uid !== own(metadata, "uid"))
    memory.of = { uid: status.uid ?? null, made: fingerprint(payload.spokes) };
  return hasNoFields(memory) ? undefined : memory;
}

/** Where a hub object has its carrier again, if it had one alone and a write changed nothing of it; undefined for both. */
export function onlyCarrier(
  memory: JsonObject | undefined,
  spokes: Payload["spokes"],
): "annotation" | "status" | undefined {
  const empty = get(memory, "empty");
  if (spokes === undefined) return empty === "annotation" || empty === "status" ? empty : undefined;
  return get(memory, "at", "made") === fingerprint(spokes) ? "status" : undefined;
}

/** The carriers that a hub object had. */
interface Copies {
  readonly annotation: Carrier | undefined;
  readonly status: Carrier | undefined;
  readonly metadata: JsonObject;
}

/**
 * The uid that the carrier in a hub object's status gets: the object's, by which the keeper tells an earlier copy of it from an
 * export; as long as the leaves stay as they were stored, what they were stored with.
 */
export function uidOf(
  memory: JsonObject | undefined,
  spokes: Payload["spokes"],
  metadata: Json | undefined,
): string | undefined {
  const of = get(memory, "of");
  const uid = isObject(of) && of.made === fingerprint(spokes) ? of.uid : get(metadata, "uid");
  return typeof uid === "string" ? uid : undefined;
}

/**
 * What the annotation and the status carrier of a hub object hold, if they held different things before: a leaf that
 * the keeper could take out of one of them only is stale in the other one. The first write that changes spec, or what decides
 * of the two, makes them equal.
 */
export function unequalCopies(
  memory: JsonObject | undefined,
  stored: Payload["spokes"],
  metadata: Json | undefined,
): readonly [annotation: Payload["spokes"], status: Payload["spokes"]] | undefined {
  const apart = get(memory, "apart");
  if (!isObject(apart) || apart.made !== fingerprint(stored)) return undefined;
  if (!equal(apart.generation, get(metadata, "generation") ?? null)) return undefined;
  const [spec, status] = [apart.spokes, get(memory, "status", "apart")].map((trees) => ({
    spokes: isObject(trees) ? mapTrees(trees, (tree) => (isObject(tree) ? tree : undefined)) : undefined,
  }));
  const trusted = { spokes: stored };
  return [merged(trusted, status ?? {}).spokes, merged(spec ?? {}, trusted).spokes];
}

function mapTrees(
  trees: JsonObject,
  map: (tree: JsonObject) => JsonObject | undefined,
): Readonly<Record<string, Tree>> | undefined {
  const mapped = Object.entries(trees).flatMap(([name, tree]) => {
    const after = isObject(tree) ? map(tree) : undefined;
    return after === undefined ? [] : [[name, after] as const];
  });
  return mapped.length === 0 ? undefined : Object.fromEntries(mapped);
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

const parts = ["spec", "status"] as const;

/**
 * The tree to store for a spoke: the one that was stored before, as long as the way back still computes what it computed
 * then and `mayStay` allows it; else the one that is computed now.
 */
export function remembered(
  computed: Tree | undefined,
  memory: JsonObject | undefined,
  mayStay: (tree: Tree | undefined) => boolean,
): Tree | undefined {
  if (memory === undefined) return computed;
  const kept = parts.filter((part) => {
    const memo = memory[part];
    return isObject(memo) && memo.made === fingerprint(partOf(computed, part));
  });
  // To ask whether leaves may stay takes a conversion.
  if (kept.length === 0) return computed;
  const [spec, status] = parts.map((part) => {
    if (!kept.includes(part)) return partOf(computed, part);
    const had = get(memory, part, "had");
    return isObject(had) ? had : undefined;
  });
  const before = mergedParts(spec, status);
  if (!mayStay(before)) return computed;
  return before;
}

/** The status leaves of a tree, or all others. */
function partOf(tree: Tree | undefined, part: "spec" | "status"): Tree | undefined {
  if (tree === undefined) return undefined;
  const status = own(tree, "status");
  if (part === "status") return status === undefined ? undefined : { status };
  const rest = set(tree, "status", undefined);
  return hasNoFields(rest) ? undefined : rest;
}
