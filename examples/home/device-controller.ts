import {
  type Applied,
  type Cache,
  type Cluster,
  keyOf,
  type Metadata,
  type Plural,
  splitKey,
} from "./cluster.ts";
import { includes, type Readiness } from "./conditions.ts";
import { type DeviceFollower, unreachable, type Wish } from "./device-follower.ts";
import type { DeviceState } from "./devices.ts";
import { WorkQueue } from "./work-queue.ts";

/** A kind whose objects stand for devices. */
export interface DeviceKind<Kind> {
  readonly plural: Plural;
  readonly wishOf: (object: Kind) => Wish;
  readonly statusOf: (
    object: Kind,
    state: DeviceState | undefined,
    readiness: Readiness,
    now: Date,
  ) => Applied;
}

export interface DeviceControllerOptions<Kind> {
  readonly cluster: Cluster;
  readonly cache: Cache<Kind>;
  readonly follower: DeviceFollower;
  readonly manager: string;
  readonly workers: number;
  readonly now: () => Date;
  readonly onError: (key: string, error: unknown, failures: number) => void;
}

/** A device may miss a few commands before its object says that it cannot be reached. */
const toleratedFailures = 3;

/** From the objects of a kind to their devices, and from the devices to the status of the objects. */
export class DeviceController<Kind extends { readonly metadata: Metadata; readonly status?: unknown }> {
  readonly queue: WorkQueue;
  readonly #kind: DeviceKind<Kind>;
  readonly #options: DeviceControllerOptions<Kind>;
  readonly #keys = new Map<string, string>();

  constructor(kind: DeviceKind<Kind>, options: DeviceControllerOptions<Kind>) {
    this.#kind = kind;
    this.#options = options;
    const { workers, onError, cache } = options;
    this.queue = new WorkQueue((key, failures) => this.#reconcile(key, failures), { workers, onError });
    cache.subscribe((object) => {
      const key = keyOf(object);
      this.#keys.set(kind.wishOf(object).id, key);
      this.queue.add(key);
    });
  }

  /** Looks at the object of a device, or at all without an id. */
  look(id?: string): void {
    const keys = id === undefined ? [...this.#keys.values()] : [this.#keys.get(id)];
    for (const key of keys) if (key !== undefined) this.queue.add(key);
  }

  async #reconcile(key: string, failures: number): Promise<void> {
    const [namespace, name] = splitKey(key);
    const { cache, follower } = this.#options;
    const object = cache.get(name, namespace);
    if (object === undefined) return;
    const wish = this.#kind.wishOf(object);
    try {
      const { current, readiness, again, sent } = await follower.follow(wish);
      if (again !== undefined) setTimeout(() => this.queue.add(key), again).unref();
      // A device that was just asked says in a moment what came of it.
      if (sent !== true || wish.fade > 0) await this.#report(object, current, readiness);
    } catch (error) {
      const readiness = unreachable(error);
      if (failures >= toleratedFailures) await this.#report(object, undefined, readiness);
      throw error;
    }
  }

  async #report(object: Kind, state: DeviceState | undefined, readiness: Readiness): Promise<void> {
    const { plural, statusOf } = this.#kind;
    const applied = statusOf(object, state, readiness, this.#options.now());
    if (!includes(object.status, applied.status))
      await this.#options.cluster.applyStatus(plural, applied, this.#options.manager);
  }
}
