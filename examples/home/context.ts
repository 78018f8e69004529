import type { Bridge } from "./bridge.ts";
import type { Cache, Cluster, Light, Lock, Room } from "./cluster.ts";

/** The field manager of everything that the controllers apply. */
export const manager = "home-controller";

/** How many objects each controller works on at once. */
export const workers = 8;

/** What the controllers share. */
export interface Context {
  readonly cluster: Cluster;
  readonly rooms: Cache<Room>;
  readonly lights: Cache<Light>;
  readonly locks: Cache<Lock>;
  readonly bridge: Bridge;
  readonly now: () => Date;
  readonly onError: (key: string, error: unknown, failures: number) => void;
  readonly signal: AbortSignal;
}
