import { keyOf, type Light, type Lock, rejectionOf } from "./cluster.ts";
import { includes, isNew } from "./conditions.ts";
import { type Context, concurrency, manager } from "./context.ts";
import { behindIn, isAsApplied, type Member, membersOf, releasesOf, roomOf, statusOfRoom } from "./rooms.ts";
import { type Attempt, type Progress, WorkQueue } from "./work-queue.ts";

/** Makes a Light or Lock urgent. */
type Hurry = Readonly<Record<Member["kind"], (key: string) => void>>;

/** Starts the controller from Rooms to their Lights and Locks, and from those to the status of the Rooms. */
export function startRoomController(context: Context, hurry: Hurry): void {
  const { rooms, lights, locks, onError, signal } = context;
  const work = (key: string, { isUrgent }: Attempt) => reconcile(key, context, isUrgent ? hurry : undefined);
  const queue = new WorkQueue(work, { ...concurrency, onError, signal });
  const addRoom = ({ metadata }: Light | Lock) => {
    const room = roomOf(metadata);
    if (room !== undefined) queue.add(`${metadata.namespace}/${room.name}`);
  };
  rooms.subscribe((room) => (isNew(room) ? queue.addUrgent(keyOf(room)) : queue.add(keyOf(room))));
  lights.subscribe(addRoom);
  locks.subscribe(addRoom);
}

async function reconcile(key: string, context: Context, hurry: Hurry | undefined): Promise<Progress> {
  const { cluster, rooms, lights, locks, now } = context;
  const room = rooms.get(key);
  if (room === undefined || room.metadata.deletionTimestamp !== undefined) return "done";
  const { namespace } = room.metadata;
  const members = [
    ...membersOf(room),
    ...releasesOf(room, "Light", lights.list(namespace)),
    ...releasesOf(room, "Lock", locks.list(namespace)),
  ];
  const outcomes = await Promise.all(members.map((member) => applyMember(member, context)));
  const denials = outcomes.filter((denial) => denial !== undefined);
  const present = {
    light: (name: string) => lights.get(`${namespace}/${name}`),
    lock: (name: string) => locks.get(`${namespace}/${name}`),
  };
  // A user waits for all of the Room, also for a device that forgot its state while the Room was written.
  const behind = behindIn(room, present);
  for (const { kind, name } of behind) hurry?.[kind](`${namespace}/${name}`);
  const applied = statusOfRoom(room, present, denials, now());
  if (!includes(room.status, applied.status)) await cluster.apply(applied, manager);
  return behind.length > 0 && denials.length === 0 ? "pending" : "done";
}

/** Applies a member unless it is as it should be. Returns why the API server denied it; throws what may be retried. */
async function applyMember(member: Member, { cluster, lights, locks }: Context): Promise<string | undefined> {
  const { kind, metadata } = member;
  const present = (kind === "Light" ? lights : locks).get(`${metadata.namespace}/${metadata.name}`);
  if (isAsApplied(present, member)) return undefined;
  try {
    await cluster.apply(member, manager);
    return undefined;
  } catch (error) {
    const rejection = rejectionOf(error);
    if (rejection === undefined || !denied.has(rejection.code)) throw error;
    return rejection.message;
  }
}

/** The same request would be rejected again: the object itself is at fault. */
const denied: ReadonlySet<number> = new Set([400, 403, 422]);
