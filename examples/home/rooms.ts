import type { RoomV1 } from "../../webhooks/home/room/types.ts";
import { type Applied, apiVersion, type Metadata, type OwnerReference, type Stored } from "./cluster.ts";
import { includes, type Readiness, readyCondition, valueAt } from "./conditions.ts";
import type { Light, Lock } from "./lights.ts";

export type Room = Stored<RoomV1>;

/** What is applied to a Light or Lock of a Room. */
export interface Member extends Applied {
  readonly kind: "Light" | "Lock";
}

/** The Lights and Locks of a Room that exist, by name. */
export interface Present {
  readonly light: (name: string) => Light | undefined;
  readonly lock: (name: string) => Lock | undefined;
}

/**
 * What a Room wants of its Lights and Locks. Server-side apply with it creates those that do not exist. Of a Light that the
 * Room names no longer, the controller applies no field at all, which removes the owner reference and every field
 * that the Room alone had set: the Light stays, as the lamp does.
 */
export function membersOf(room: Room): readonly Member[] {
  const lights = (room.spec?.lights ?? []).map(
    ({ name, ...spec }): Member => ({ kind: "Light", metadata: memberOf(room, name), spec }),
  );
  const locks = (room.spec?.locks ?? []).map(
    ({ name, state }): Member => ({
      kind: "Lock",
      metadata: memberOf(room, name),
      spec: state === undefined ? {} : { desiredState: state },
    }),
  );
  return [...lights, ...locks];
}

function memberOf(room: Room, name: string): Applied["metadata"] {
  return { name, namespace: room.metadata.namespace, ownerReferences: [referenceTo(room)] };
}

function referenceTo({ metadata: { name, uid } }: Room): OwnerReference {
  return { apiVersion, kind: "Room", name, uid, controller: true };
}

/**
 * Whether applying would change nothing: the object has every field, and the manager has applied no others that it would
 * have to remove, as managedFields record. It saves a request; the API server would come to the same conclusion.
 */
export function isAsApplied(present: Light | Lock | undefined, member: Member, manager: string): boolean {
  const { metadata, spec = {} } = member;
  if (!includes(present, { metadata, spec })) return false;
  const entry = present?.metadata.managedFields?.find(
    (each) => each.manager === manager && each.operation === "Apply" && each.subresource === undefined,
  );
  const owned = valueAt(entry, "fieldsV1", "f:spec") ?? {};
  const ownedFields = Object.keys(owned).filter((name) => name !== ".");
  return entry !== undefined && ownedFields.length === Object.keys(spec).length;
}

/** The Room that a Light or Lock belongs to. */
export function ownerOf(metadata: Metadata): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.kind === "Room" && owner.controller === true);
}

/** The status of a Room; `denials` are what the API server said of members that it rejected. */
export function statusOfRoom(room: Room, present: Present, denials: readonly string[], now: Date): Applied {
  const { name, namespace, generation } = room.metadata;
  const wanted = room.spec?.lights ?? [];
  const lights = wanted.map((light) => {
    const currentBrightness = present.light(light.name)?.status?.currentBrightness;
    return { name: light.name, ...(currentBrightness !== undefined && { currentBrightness }) };
  });
  const readiness = readinessOf(room, present, denials);
  const conditions = [readyCondition(readiness, { generation, conditions: room.status?.conditions, now })];
  return {
    kind: "Room",
    metadata: { name, namespace },
    status: { observedGeneration: generation, lights, conditions },
  };
}

function readinessOf(room: Room, present: Present, denials: readonly string[]): Readiness {
  if (denials.length > 0)
    return { status: "False", reason: "Denied", message: denials.join("; ").slice(0, 1000) };
  const behind = [...lightsBehind(room, present), ...locksBehind(room, present)];
  if (behind.length === 0)
    return { status: "True", reason: "AsAsked", message: "all lights and locks do what spec asks" };
  return { status: "False", reason: "Converging", message: messageOf(behind) };
}

function lightsBehind(room: Room, { light }: Present): readonly string[] {
  return (room.spec?.lights ?? []).flatMap(({ name, brightness }) => {
    const current = light(name)?.status?.currentBrightness;
    return brightness === undefined || brightness === current
      ? []
      : [`light ${name} is at ${current ?? "an unknown brightness"}, not at ${brightness}`];
  });
}

function locksBehind(room: Room, { lock }: Present): readonly string[] {
  return (room.spec?.locks ?? []).flatMap(({ name, state }) => {
    const current = lock(name)?.status?.currentState;
    return state === undefined || state === current
      ? []
      : [`lock ${name} is ${current ?? "in an unknown state"}, not ${state}`];
  });
}

const mostNamed = 3;

function messageOf(behind: readonly string[]): string {
  const more = behind.length - mostNamed;
  return behind.slice(0, mostNamed).join("; ") + (more > 0 ? `; and ${more} more` : "");
}
