import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import {
  annotationsIn,
  attach,
  carrierField,
  carrierPrefix,
  detach,
  isOverLimit,
  type Payload,
  writePayload,
} from "./carriers.ts";
import { taken, withoutContradicted, withoutContradictedOfNew } from "./contradicted.ts";
import { holdsLeaves, withStatusLeavesAtHub, withStatusLeavesAtSpoke } from "./kept-status.ts";
import { unowned } from "./ownership.ts";
import { isRoomInStatus } from "./room-in-status.ts";
import { type ChainVersion, hubOf, type VersionChain, versionAt } from "./version-chain.ts";

/** A write as its client sent it, before the server converts anything. */
export interface ClientWrite {
  readonly operation: "CREATE" | "UPDATE";
  readonly subresource: "" | "status";
  /** Whether the client wrote the hub version, the one that is stored. */
  readonly atHub: boolean;
}

/**
 * Puts back the carriers that the writer of an object may not change, as part of admission, and takes out what they hold of
 * values that this write replaces. Without it two writes in a row at the hub could each drop the carrier that the other one
 * keeps, and a client that may only write /status could change spec leaves. Conversion cannot do this, since it cannot
 * distinguish a write from a read.
 */
export function keep(
  object: JsonObject,
  oldObject: JsonObject | undefined,
  write: ClientWrite,
  chain: VersionChain,
): JsonObject {
  if (write.operation === "CREATE") return unowned(keptOfNew(object, write, chain));
  if (oldObject === undefined) return object;
  const isMain = write.subresource === "";
  const kept = (isMain ? keptOfMain : keptOfStatus)(object, oldObject, write, chain);
  return unowned(kept, taken(kept, oldObject, isMain ? "spec" : "status", chain), oldObject);
}

function keptOfNew(object: JsonObject, { atHub }: ClientWrite, chain: VersionChain): JsonObject {
  const sound = withoutDamaged(object);
  const own = atHub ? withoutStatusLeaves(sound) : withoutStamp(sound);
  return withRoom(withoutContradictedOfNew(own, chain), false);
}

/**
 * A create at a spoke from an export. If the spoke is stored, no conversion makes another carrier, and the one of the export
 * must count for the new object too, whatever its generation is by then.
 */
function withoutStamp(object: JsonObject): JsonObject {
  const { object: detached, annotations } = detach(object);
  const [carrier, ...others] = annotations;
  if (carrier === undefined || others.length > 0) return object;
  if (carrier.uid === undefined && carrier.generation === undefined) return object;
  const placement = { annotation: true, status: false };
  const { object: attached } = attach(detached, writePayload(carrier.payload), placement);
  return attached === detached ? object : set(attached, "status", own(object, "status"));
}

/** The API server itself keeps status on a write of the main endpoint. */
function keptOfMain(
  object: JsonObject,
  oldObject: JsonObject,
  { atHub }: ClientWrite,
  chain: VersionChain,
): JsonObject {
  const field = get(oldObject, "status", carrierField);
  const kept = atHub
    ? withAnnotationsOf(object, withoutDamaged(oldObject))
    : withOnlyCopy(withoutOutdated(withoutDamaged(object), oldObject), oldObject, field, chain);
  return withRoom(
    withoutContradicted(withFieldOfFile(kept, field), oldObject, "spec", chain),
    isObject(field),
  );
}

/** The API server itself keeps everything but status on a write of /status. */
function keptOfStatus(
  object: JsonObject,
  oldObject: JsonObject,
  { atHub }: ClientWrite,
  chain: VersionChain,
): JsonObject {
  if (!versionAt(chain, hubOf(chain)).carriesStatus) return object;
  const withLeaves = atHub ? withStatusLeavesAtHub : withStatusLeavesAtSpoke;
  const kept = withLeaves(object, oldObject);
  // A status for the carrier alone would have the server refuse a write that it accepts as its client sent it. The only copy stays.
  const isOnlyCopy =
    hasNoFields(carriersIn(oldObject)) && holdsLeaves(get(oldObject, "status", carrierField) ?? null);
  const isRoom = isOnlyCopy || isRoomInStatus(versionOf(object, chain), detach(kept).object);
  return withoutContradicted(isRoom ? kept : detachedStatus(object), oldObject, "status", chain);
}

/** The version at which an object was written; the hub if it names none of the chain. */
function versionOf({ apiVersion }: JsonObject, chain: VersionChain): ChainVersion {
  return chain.versions.find((each) => each.apiVersion === apiVersion) ?? versionAt(chain, hubOf(chain));
}

/** An object whose status has no carrier. */
function detachedStatus(object: JsonObject): JsonObject {
  return set(object, "status", detach(object).object.status);
}

/**
 * An object without carrier annotations that no conversion can read. Conversion drops them from views, but every read would
 * look at one that is stored with a hub object. They are damaged, so nothing is lost.
 */
function withoutDamaged(object: JsonObject): JsonObject {
  const damaged = [...annotationsIn(object)].flatMap(([key, carrier]) =>
    carrier === undefined ? [key] : [],
  );
  if (damaged.length === 0) return object;
  const others = Object.entries(carriersIn(object)).filter(([key]) => !damaged.includes(key));
  return withCarriers(object, Object.fromEntries(others));
}

/** An object with the carrier annotations of another one instead of its own. */
export function withAnnotationsOf(object: JsonObject, oldObject: JsonObject): JsonObject {
  return withCarriers(object, carriersIn(oldObject));
}

/**
 * A write at a spoke without annotations from an earlier read, such as those in a file that is applied again and again: the
 * stored ones stand. Otherwise a write that changes nothing else would still make its client the manager of an annotation.
 * In server-side apply the API server itself replaces the stored annotation where an applier takes back a field: by one that
 * conversion made, of the same generation.
 */
function withoutOutdated(object: JsonObject, oldObject: JsonObject): JsonObject {
  const [stored, written] = [carriersIn(oldObject), carriersIn(object)];
  if (equal(stored, written)) return object;
  const read = annotationsIn(object);
  const isStored = ([key, text]: readonly [string, Json]) => stored[key] === text;
  const hasStored = Object.entries(written).some(isStored);
  const kept = Object.entries(written).filter((each) => {
    const carrier = read.get(each[0]);
    return !isObject(carrier) || (hasStored ? isStored(each) : !isOutdated(carrier, oldObject));
  });
  if (kept.length === Object.keys(written).length) return object;
  const isRead = kept.some(([key]) => isObject(read.get(key)));
  return withCarriers(object, { ...(isRead ? {} : stored), ...Object.fromEntries(kept) });
}

/**
 * A write at a spoke with the stored annotation, if that is the only copy although the kind has a status: the spoke is stored,
 * and no conversion has made another one since the object was created.
 */
function withOnlyCopy(
  object: JsonObject,
  oldObject: JsonObject,
  field: Json | undefined,
  chain: VersionChain,
): JsonObject {
  const spoke = chain.versions.find(({ apiVersion }) => apiVersion === object.apiVersion);
  if (field !== undefined || !spoke?.carriesStatus || !hasNoFields(carriersIn(object))) return object;
  return withAnnotationsOf(object, oldObject);
}

/** Whether a carrier was made from another object, or from another generation of this one. */
function isOutdated(carrier: JsonObject, { metadata }: JsonObject): boolean {
  return ["uid", "generation"].some((name) => {
    const stamp = get(carrier, name);
    return stamp !== undefined && stamp !== get(metadata, name);
  });
}

/** An object whose status holds the stored carrier instead of one that a file brings along, which the server would ignore. */
function withFieldOfFile(object: JsonObject, field: Json | undefined): JsonObject {
  const { status } = object;
  const isOther =
    isObject(status) && Object.hasOwn(status, carrierField) && !equal(status[carrierField], field);
  return isOther ? set(object, "status", set(status, carrierField, field)) : object;
}

/**
 * An object whose annotations are within the API server's limit: where a user's annotations leave no room, our own is
 * compressed, and left out if there is another copy of it in status.
 */
function withRoom(object: JsonObject, hasOtherCopy: boolean): JsonObject {
  if (!isOverLimit(object)) return object;
  const { object: bare, annotations } = detach(set(object, "status", undefined));
  const [carrier] = annotations;
  if (carrier === undefined) return object;
  const { payload, uid, generation } = carrier;
  const placement = { stamp: { uid, generation }, annotation: true, status: false };
  const { object: attached } = attach(bare, writePayload(payload), placement);
  if (attached === bare && !hasOtherCopy) return object;
  return set(attached, "status", own(object, "status"));
}

/** A create at the hub from an export: the API server drops status on create, and its leaves go with it. */
function withoutStatusLeaves(object: JsonObject): JsonObject {
  const { object: detached, annotations } = detach(object);
  const [carrier] = annotations;
  if (carrier === undefined) return object;
  const { hub, spokes = {}, stored } = carrier.payload;
  const payload: Payload = present([
    ["hub", withoutStatus(hub)],
    [
      "spokes",
      unlessEmpty(
        present(Object.entries(spokes).map(([name, tree]) => [name, withoutStatus(tree)] as const)),
      ),
    ],
    ["stored", withoutStatus(stored)],
  ]);
  // An export has one annotation. Of several, a later read might find another one first.
  const isKept =
    equal(payload.hub, hub) && equal(payload.spokes, carrier.payload.spokes) && equal(payload.stored, stored);
  if (annotations.length === 1 && isKept) return object;
  const { object: attached } = attach(detached, writePayload(payload), { annotation: true, status: false });
  return set(attached, "status", own(object, "status"));
}

/** A tree without its status leaves; undefined where there were no others. */
function withoutStatus(tree: JsonObject | undefined): JsonObject | undefined {
  return tree === undefined ? undefined : unlessEmpty(set(tree, "status", undefined));
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return hasNoFields(object) ? undefined : object;
}

/** An object with other carrier annotations, behind the annotations of users. */
function withCarriers(object: JsonObject, carriers: JsonObject): JsonObject {
  if (equal(carriersIn(object), carriers)) return object;
  const annotations = get(object, "metadata", "annotations");
  const others = Object.entries(isObject(annotations) ? annotations : {}).filter(([key]) => !isCarrier(key));
  const merged = Object.fromEntries([...others, ...Object.entries(carriers)]);
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return set(object, "metadata", set(metadata, "annotations", unlessEmpty(merged)));
}

function carriersIn(object: JsonObject): JsonObject {
  const annotations = get(object, "metadata", "annotations");
  return Object.fromEntries(
    Object.entries(isObject(annotations) ? annotations : {}).filter(([key]) => isCarrier(key)),
  );
}

function isCarrier(key: string): boolean {
  return key.startsWith(carrierPrefix);
}

function present(entries: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined),
  );
}
