import { type Applied, apiVersion, type Light, type Lock, type Metadata, type Room } from "./cluster.ts";
import { includes, type Readiness, readyStatus, valueAt } from "./conditions.ts";
import { manager } from "./context.ts";

/** What is applied to a Light or Lock of a Room. */
export interface Member extends Applied {
  readonly kind: "Light" | "Lock";
}

/** What a Room wants of its Lights and Locks. Applying it creates those that do not exist. */
export function membersOf({ metadata, spec: { lights = [], locks = [] } = {} }: Room): readonly Member[] {
  const { namespace, uid } = metadata;
  const owner = { apiVersion, kind: "Room", name: metadata.name, uid, controller: true };
  const member = (kind: Member["kind"], name: string, spec: object): Member => ({
    kind,
    metadata: { name, namespace, ownerReferences: [owner] },
    spec,
  });
  return [
    ...lights.map(({ name, ...spec }) => member("Light", name, spec)),
    ...locks.map(({ name, state }) =>
      member("Lock", name, state === undefined ? {} : { desiredState: state }),
    ),
  ];
}

/**
 * What releases a Light or Lock that belongs to a Room which no longer names it: an apply without any field, which removes the
 * owner reference and every field that the Room alone had set. The Light stays, as the lamp does.
 */
export function releasesOf(
  room: Room,
  kind: Member["kind"],
  objects: readonly (Light | Lock)[],
): readonly Member[] {
  const { lights = [], locks = [] } = room.spec ?? {};
  const names = new Set((kind === "Light" ? lights : locks).map(({ name }) => name));
  return objects
    .filter(({ metadata }) => roomOf(metadata)?.uid === room.metadata.uid && !names.has(metadata.name))
    .map(({ metadata: { name, namespace } }) => ({ kind, metadata: { name, namespace } }));
}

/** The reference of a Light or Lock to the Room that it belongs to. */
export function roomOf({ ownerReferences = [] }: Metadata) {
  return ownerReferences.find((owner) => owner.kind === "Room" && owner.controller === true);
}

/**
 * Whether applying would change nothing: the object has every field, and the manager has applied no others that it would
 * have to remove, as managedFields record. It saves a request; the API server would come to the same conclusion.
 */
export function isAsApplied(present: Light | Lock | undefined, { metadata, spec = {} }: Member): boolean {
  if (!includes(present, { metadata, spec })) return false;
  const entry = present?.metadata.managedFields?.find(
    (each) => each.manager === manager && each.operation === "Apply" && each.subresource === undefined,
  );
  const owned = Object.keys(valueAt(entry, "fieldsV1", "f:spec") ?? {}).filter((name) => name !== ".");
  return entry !== undefined && owned.length === Object.keys(spec).length;
}

/** The Lights and Locks that exist in the namespace of a Room, by name. */
interface Present {
  readonly light: (name: string) => Light | undefined;
  readonly lock: (name: string) => Lock | undefined;
}

/** The status of a Room; `denials` are the API server's messages about members that it rejected. */
export function statusOfRoom(room: Room, present: Present, denials: readonly string[], now: Date): Applied {
  const { name, namespace } = room.metadata;
  const lights = (room.spec?.lights ?? []).map((light) => {
    const currentBrightness = present.light(light.name)?.status?.currentBrightness;
    return { name: light.name, ...(currentBrightness !== undefined && { currentBrightness }) };
  });
  const status = { lights, ...readyStatus(room, readinessOf(room, present, denials), now) };
  return { kind: "Room", metadata: { name, namespace }, status };
}

function readinessOf(room: Room, present: Present, denials: readonly string[]): Readiness {
  if (denials.length > 0)
    return { status: "False", reason: "Denied", message: denials.join("; ").slice(0, 1000) };
  const behind = behindIn(room, present).map(({ message }) => message);
  if (behind.length === 0)
    return { status: "True", reason: "AsAsked", message: "all lights and locks do what spec asks" };
  const more = behind.length > mostNamed ? `; and ${behind.length - mostNamed} more` : "";
  return { status: "False", reason: "Converging", message: behind.slice(0, mostNamed).join("; ") + more };
}

const mostNamed = 3;

/** A Light or Lock that is not as its Room wants it. */
interface Behind {
  readonly kind: Member["kind"];
  readonly name: string;
  readonly message: string;
}

/** The Lights and Locks that are not as the Room wants them. */
export function behindIn(
  { spec: { lights = [], locks = [] } = {} }: Room,
  present: Present,
): readonly Behind[] {
  const states = [
    ...lights.map(({ name, brightness }) => {
      const current = present.light(name)?.status?.currentBrightness;
      return { kind: "Light" as const, name, wanted: brightness, current };
    }),
    ...locks.map(({ name, state }) => {
      const current = present.lock(name)?.status?.currentState;
      return { kind: "Lock" as const, name, wanted: state, current };
    }),
  ];
  return states
    .filter(({ wanted, current }) => wanted !== undefined && wanted !== current)
    .map(({ kind, name, wanted, current = "in an unknown state" }) => {
      const message = `${kind.toLowerCase()} ${name} is ${current}, not ${wanted}`;
      return { kind, name, message };
    });
}
