import { type Cache, type Cluster, isDenied, keyOf, rejectionOf, splitKey } from "./cluster.ts";
import { includes } from "./conditions.ts";
import type { Light, Lock } from "./lights.ts";
import { isAsApplied, type Member, membersOf, ownerOf, type Room, statusOfRoom } from "./rooms.ts";
import { WorkQueue } from "./work-queue.ts";

export interface RoomControllerOptions {
  readonly cluster: Cluster;
  readonly rooms: Cache<Room>;
  readonly lights: Cache<Light>;
  readonly locks: Cache<Lock>;
  readonly manager: string;
  readonly workers: number;
  readonly now: () => Date;
  readonly onError: (key: string, error: unknown, failures: number) => void;
}

/** From Rooms to their Lights and Locks, and from those to the status of the Rooms. */
export class RoomController {
  readonly queue: WorkQueue;
  readonly #options: RoomControllerOptions;
  /** The Lights and Locks that belong, or belonged, to each Room. */
  readonly #owned = new Map<string, Set<string>>();

  constructor(options: RoomControllerOptions) {
    this.#options = options;
    const { workers, onError, rooms, lights, locks } = options;
    this.queue = new WorkQueue((key) => this.#reconcile(key), { workers, onError });
    rooms.subscribe((room) => this.queue.add(keyOf(room)));
    lights.subscribe((light) => this.#see("Light", light));
    locks.subscribe((lock) => this.#see("Lock", lock));
  }

  #see(kind: Member["kind"], { metadata }: Light | Lock): void {
    const room = ownerOf(metadata)?.name;
    if (room === undefined) return;
    const key = `${metadata.namespace}/${room}`;
    const owned = this.#owned.get(key) ?? new Set();
    this.#owned.set(key, owned.add(`${kind}/${metadata.name}`));
    this.queue.add(key);
  }

  async #reconcile(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const room = this.#options.rooms.get(name, namespace);
    if (room === undefined || room.metadata.deletionTimestamp !== undefined) return;
    const members = membersOf(room);
    const denials: string[] = [];
    for (const member of [...members, ...this.#leftOver(room, members)]) {
      const denial = await this.#applyMember(member);
      if (denial !== undefined) denials.push(denial);
    }
    await this.#report(room, denials);
  }

  /** What releases the Lights and Locks that still belong to the Room, though it no longer names them. */
  #leftOver(room: Room, members: readonly Member[]): readonly Member[] {
    const { namespace, uid } = room.metadata;
    const wanted = new Set(members.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    return [...(this.#owned.get(keyOf(room)) ?? [])].flatMap((key) => {
      if (wanted.has(key)) return [];
      const member: Member = {
        kind: key.startsWith("Light/") ? "Light" : "Lock",
        metadata: { name: key.slice(key.indexOf("/") + 1), namespace },
      };
      const present = this.#present(member);
      return present !== undefined && ownerOf(present.metadata)?.uid === uid ? [member] : [];
    });
  }

  #present({ kind, metadata: { name, namespace } }: Member): Light | Lock | undefined {
    const { lights, locks } = this.#options;
    return (kind === "Light" ? lights : locks).get(name, namespace);
  }

  /** Applies a member unless it is as it should be. Returns why the API server denied it; throws what may be retried. */
  async #applyMember(member: Member): Promise<string | undefined> {
    const { cluster, manager } = this.#options;
    if (isAsApplied(this.#present(member), member, manager)) return undefined;
    try {
      await cluster.apply(member.kind === "Light" ? "lights" : "locks", member, manager);
      return undefined;
    } catch (error) {
      if (!isDenied(error)) throw error;
      return rejectionOf(error)?.message;
    }
  }

  async #report(room: Room, denials: readonly string[]): Promise<void> {
    const { cluster, lights, locks, manager, now } = this.#options;
    const { namespace } = room.metadata;
    const of =
      <Kind>(cache: Cache<Kind>) =>
      (name: string) =>
        cache.get(name, namespace);
    const applied = statusOfRoom(room, { light: of(lights), lock: of(locks) }, denials, now());
    if (!includes(room.status, applied.status)) await cluster.applyStatus("rooms", applied, manager);
  }
}
