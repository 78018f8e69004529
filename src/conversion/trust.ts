import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { type Carrier, fingerprint, type Payload } from "./carriers.ts";
import type { Tree } from "./tree.ts";

/** What is stored with a hub object: spec leaves from the annotation if there is one, status leaves from status. */
export function storedPayload(annotation: Carrier | undefined, status: Carrier | undefined): Payload {
  return merged((annotation ?? status)?.payload ?? nothing, (status ?? annotation)?.payload ?? nothing);
}

const nothing: Payload = { hub: undefined, spokes: undefined, stored: undefined };

/**
 * What a view's carriers are believed. Spec leaves: the annotation, or the status copy if there is no annotation of
 * ours or its stamp is higher. Status leaves: the status copy, whatever its stamp, else the annotation if it is this
 * very object's. So neither endpoint can forge what only the other one may write (kubernetes.md 4.4, 8a).
 */
export function trustedPayload(
  object: JsonObject,
  annotations: readonly Carrier[],
  status: Carrier | undefined,
): Payload {
  const { uid, generation } = isObject(object.metadata) ? object.metadata : {};
  const isStranger = (carrier: Carrier) =>
    (carrier.uid !== undefined && typeof uid === "string" && carrier.uid !== uid) ||
    (carrier.generation !== undefined && typeof generation === "number" && carrier.generation > generation);
  const ours = annotations.find((each) => !isStranger(each));
  const known = status === undefined || isStranger(status) ? undefined : status;
  const newer = known !== undefined && ours !== undefined && (known.generation ?? 0) > (ours.generation ?? 0);
  // An export that is created anew: the annotation is the only copy, and was made for the object it once was.
  const restored = status === undefined && generation === 1 ? annotations[0] : undefined;
  const spec = newer ? known : (ours ?? known ?? restored);
  const statusSource =
    status ?? (ours?.uid === (typeof uid === "string" ? uid : undefined) ? ours : undefined);
  return merged(spec?.payload ?? nothing, statusSource?.payload ?? nothing);
}

/** One payload of two: all but status from the one, status from the other. */
function merged(spec: Payload, status: Payload): Payload {
  if (spec === status) return spec;
  const hub = mergedParts(spec.hub, status.hub);
  const names = new Set([...Object.keys(spec.spokes ?? {}), ...Object.keys(status.spokes ?? {})]);
  const spokes = [...names].flatMap((name) => {
    const tree = mergedParts(spec.spokes?.[name], status.spokes?.[name]);
    return tree === undefined ? [] : [[name, tree] as const];
  });
  const stored = mergedParts(spec.stored, status.stored);
  return { hub, spokes: spokes.length === 0 ? undefined : Object.fromEntries(spokes), stored };
}

function mergedParts(spec: JsonObject | undefined, status: JsonObject | undefined): JsonObject | undefined {
  // Most often both carriers say the same.
  const both = spec === status ? (spec ?? {}) : set(spec ?? {}, "status", get(status, "status"));
  return hasNoFields(both) ? undefined : both;
}

/**
 * What a view must remember of the carrier that is stored for its own spoke, where the way back would make another:
 * a stale leaf, a missing one, or one carrier where there should be two. Else a write that changes nothing would.
 */
export function memoryOf(
  had: Tree | undefined,
  made: Tree | undefined,
  stored: Payload,
  annotation: boolean,
  status: boolean,
): JsonObject | undefined {
  if (had === made && stored.spokes === undefined) return undefined;
  const at =
    stored.spokes === undefined || annotation === status ? undefined : annotation ? "annotation" : "status";
  const memory: Record<string, Json> = {};
  for (const part of had === made ? [] : parts) {
    const [before, makes] = [partOf(had, part), partOf(made, part)];
    if (equal(before, makes)) continue;
    memory[part] = { made: fingerprint(makes), ...(before && { had: before }) };
  }
  if (at !== undefined) memory.at = at;
  return hasNoFields(memory) ? undefined : memory;
}

const parts = ["spec", "status"] as const;

/**
 * The complement to store: what was stored before, as long as the way back still makes what it made then and what was
 * stored may stay; else what is made now.
 */
export function remembered(
  made: Tree | undefined,
  memory: JsonObject | undefined,
  mayStay: (tree: Tree | undefined) => boolean,
): Tree | undefined {
  if (memory === undefined) return made;
  const [spec, status] = parts.map((part) => {
    const makes = partOf(made, part);
    const memo = memory[part];
    if (!isObject(memo) || memo.made !== fingerprint(makes)) return makes;
    return isObject(memo.had) ? memo.had : undefined;
  });
  const before = mergedParts(spec, status);
  return mayStay(before) ? before : made;
}

/** The part of a tree that is status, or all the rest of it. */
function partOf(tree: Tree | undefined, part: "spec" | "status"): Tree | undefined {
  if (tree === undefined) return undefined;
  const status = own(tree, "status");
  if (part === "status") return status === undefined ? undefined : { status };
  const rest = set(tree, "status", undefined);
  return hasNoFields(rest) ? undefined : rest;
}
