import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import {
  attach,
  carrierField,
  carrierPrefix,
  damagedIn,
  detach,
  type Payload,
  writePayload,
} from "./carriers.ts";

/** A write as its client sent it, before the server converts anything. */
export interface ClientWrite {
  readonly operation: "CREATE" | "UPDATE";
  readonly subresource: "" | "status";
  /** Whether the client wrote the hub version, the one that is stored. */
  readonly atHub: boolean;
}

/**
 * Puts back the carriers that the writer of an object may not change, as part of admission. Without it two writes in a row
 * at the hub could each drop the carrier that the other one keeps, and a client that may only write /status could change
 * spec leaves. Conversion cannot do this, since it cannot distinguish a write from a read.
 */
export function keep(object: JsonObject, oldObject: JsonObject | undefined, write: ClientWrite): JsonObject {
  if (write.operation === "CREATE") {
    const sound = withoutDamaged(object);
    return write.atHub ? withoutStatusLeaves(sound) : sound;
  }
  if (oldObject === undefined) return object;
  // The API server itself keeps status on a main write, and everything else on a write of /status.
  if (write.subresource === "") {
    return write.atHub ? withAnnotationsOf(object, withoutDamaged(oldObject)) : withoutDamaged(object);
  }
  return write.atHub ? withFieldOf(object, oldObject) : withSpecLeavesOf(object, oldObject);
}

/**
 * An object without carrier annotations that no conversion can read. Conversion drops them from views, but every read would
 * look at one that is stored with a hub object. They are damaged, so nothing is lost.
 */
function withoutDamaged(object: JsonObject): JsonObject {
  const damaged = new Set(damagedIn(object));
  if (damaged.size === 0) return object;
  const annotations = Object.entries(get(object, "metadata", "annotations") as JsonObject);
  const others = annotations.filter(([key]) => !damaged.has(key));
  const kept = others.length > 0 ? Object.fromEntries(others) : undefined;
  return set(object, "metadata", set(objectOr(object.metadata), "annotations", kept));
}

/** An object with the carrier annotations of another one instead of its own. */
export function withAnnotationsOf(object: JsonObject, oldObject: JsonObject): JsonObject {
  const [stored, written] = [carriersIn(oldObject), carriersIn(object)];
  if (equal(stored, written)) return object;
  const annotations = get(object, "metadata", "annotations");
  const others = Object.entries(isObject(annotations) ? annotations : {}).filter(([key]) => !isCarrier(key));
  const merged = Object.fromEntries([...others, ...Object.entries(stored)]);
  const kept = Object.keys(merged).length > 0 ? merged : undefined;
  return set(object, "metadata", set(objectOr(object.metadata), "annotations", kept));
}

/** Status leaves are the writer's where none are stored: so an export is restored, its status after the rest of it. */
function withFieldOf(object: JsonObject, oldObject: JsonObject): JsonObject {
  const [stored, written] = [oldObject, object].map((each) => get(each, "status", carrierField));
  return withField(object, stored ?? statusLeavesOf(written));
}

/** A hub's carrier with its status leaves alone: a writer of /status may not set leaves of spec. */
function statusLeavesOf(field: Json | undefined): Json | undefined {
  const spokes = get(field, "spokes");
  if (!isObject(field) || !isObject(spokes)) return undefined;
  const trees = Object.entries(spokes).flatMap(([name, tree]) => {
    const status = get(tree, "status");
    return status === undefined ? [] : [[name, { status }] as const];
  });
  return trees.length === 0 ? undefined : set(field, "spokes", Object.fromEntries(trees));
}

/**
 * A write of /status at a spoke: only the status leaves of the status carrier are the writer's. A client that dropped the
 * carrier, because it does not know the field, gets it back whole, since the annotation may have been left out for its size.
 */
function withSpecLeavesOf(object: JsonObject, oldObject: JsonObject): JsonObject {
  const [written, stored] = [get(object, "status", carrierField), get(oldObject, "status", carrierField)];
  if (!isObject(written) || !isObject(stored)) return withField(object, stored);
  const trees = ["hub", "stored", "withheld"].map(
    (name) => [name, withStatusOf(stored[name], written[name])] as const,
  );
  const spokes = get(stored, "spokes");
  const spokeTrees = isObject(spokes)
    ? Object.entries(spokes).map(
        ([name, tree]) => [name, withStatusOf(tree, get(written, "spokes", name))] as const,
      )
    : [];
  let field = stored;
  for (const [name, tree] of trees) field = set(field, name, tree);
  return withField(object, spokeTrees.length === 0 ? field : set(field, "spokes", present(spokeTrees)));
}

/** A tree with its status leaves from another one. */
function withStatusOf(tree: Json | undefined, other: Json | undefined): Json | undefined {
  const both = set(objectOr(tree), "status", get(other, "status"));
  return hasNoFields(both) ? tree : both;
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
  const status = get(object, "status", carrierField);
  const { object: attached } = attach(detached, writePayload(payload), { annotation: true, status: false });
  return withField(attached, status);
}

/** A tree without its status leaves; undefined where there were no others. */
function withoutStatus(tree: JsonObject | undefined): JsonObject | undefined {
  return tree === undefined ? undefined : unlessEmpty(set(tree, "status", undefined));
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return hasNoFields(object) ? undefined : object;
}

function withField(object: JsonObject, kept: Json | undefined): JsonObject {
  const { status } = object;
  const field = isObject(kept) ? set(kept, "was", wasWritten(status)) : kept;
  if (equal(get(status, carrierField), field)) return object;
  if (status !== undefined && status !== null && !isObject(status)) return object;
  return set(object, "status", set(objectOr(status), carrierField, field));
}

/** What the carrier has to remember of a status that the writer left empty beside it, as `{}` or null. */
function wasWritten(status: Json | undefined): Json | undefined {
  if (status === null || !isObject(status)) return status;
  const [only, ...more] = Object.keys(status);
  if (only === undefined) return status;
  return only === carrierField && more.length === 0 ? get(status, carrierField, "was") : undefined;
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

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
