import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { type Carrier, fingerprint, type Payload } from "./carriers.ts";
import type { Tree } from "./tree.ts";

/** The payload stored with a hub object: spec leaves of the annotation if there is one, status leaves of status. */
export function storedPayload(annotation: Carrier | undefined, status: Carrier | undefined): Payload {
  return merged((annotation ?? status)?.payload ?? nothing, (status ?? annotation)?.payload ?? nothing);
}

const nothing: Payload = { hub: undefined, spokes: undefined, stored: undefined, withheld: undefined };

/** The payload of a view, and whether it has all leaves that the view was made with. */
export interface TrustedPayload {
  readonly payload: Payload;
  readonly isWhole: () => boolean;
}

/**
 * The payload of a view, from the carriers that are trusted. Spec leaves: the annotation's, or those of the status carrier
 * if no annotation was made from this object or its stamp is lower. Status leaves: those of the status carrier, whatever its
 * stamp, else the annotation's if it was made from this very object. So a client of one endpoint cannot forge what only the
 * other one writes: on a write of /status the API server itself takes all but status from the stored object, converted
 * anew, and on any other write it takes status from there (apiextensions-apiserver, pkg/registry/customresource,
 * statusStrategy.PrepareForUpdate and customResourceStrategy.PrepareForUpdate).
 */
export function trustedPayload(
  object: JsonObject,
  annotations: readonly Carrier[],
  status: Carrier | undefined,
): TrustedPayload {
  const { uid, generation } = isObject(object.metadata) ? object.metadata : {};
  const isOfAnother = (carrier: Carrier) =>
    (carrier.uid !== undefined && typeof uid === "string" && carrier.uid !== uid) ||
    (carrier.generation !== undefined && typeof generation === "number" && carrier.generation > generation);
  const annotation = annotations.find((each) => !isOfAnother(each));
  const statusCarrier = status === undefined || isOfAnother(status) ? undefined : status;
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
  return { payload, isWhole: spec?.isWhole ?? (() => false) };
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

/** Which carriers a hub object had, and whether the one in status had a sum. */
interface StoredCarriers {
  readonly hasAnnotation: boolean;
  readonly hasStatus: boolean;
  readonly isSummed: boolean;
}

/**
 * What a view remembers of the tree that is stored for its own spoke, where the way back would compute another one, with a
 * stale leaf, without a leaf, or with both carriers where the hub object had one. Without the memory, a write that changes
 * nothing would change what is stored. By part of the tree: `had` is what is stored, `made` the fingerprint of what was
 * computed; `at` is the only carrier that the hub object had; `sum` is false where an earlier release stored none.
 */
export function memoryOf(
  stored: Tree | undefined,
  computed: Tree | undefined,
  payload: Payload,
  { hasAnnotation, hasStatus, isSummed }: StoredCarriers,
): JsonObject | undefined {
  if (stored === computed && payload.spokes === undefined) return undefined;
  const isOne = payload.spokes !== undefined && hasAnnotation !== hasStatus;
  const at = isOne ? (hasAnnotation ? "annotation" : "status") : undefined;
  const memory: Record<string, Json> = {};
  for (const part of stored === computed ? [] : parts) {
    const [had, made] = [partOf(stored, part), partOf(computed, part)];
    if (equal(had, made)) continue;
    memory[part] = { made: fingerprint(made), ...(had && { had }) };
  }
  if (at !== undefined) memory.at = at;
  if (payload.spokes !== undefined && !isSummed) memory.sum = false;
  return hasNoFields(memory) ? undefined : memory;
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
  const [spec, status] = parts.map((part) => {
    const computedPart = partOf(computed, part);
    const memo = memory[part];
    if (!isObject(memo) || memo.made !== fingerprint(computedPart)) return computedPart;
    return isObject(memo.had) ? memo.had : undefined;
  });
  const before = mergedParts(spec, status);
  return mayStay(before) ? before : computed;
}

/** The status leaves of a tree, or all others. */
function partOf(tree: Tree | undefined, part: "spec" | "status"): Tree | undefined {
  if (tree === undefined) return undefined;
  const status = own(tree, "status");
  if (part === "status") return status === undefined ? undefined : { status };
  const rest = set(tree, "status", undefined);
  return hasNoFields(rest) ? undefined : rest;
}
