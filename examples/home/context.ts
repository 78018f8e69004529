import type { Bridge } from "./bridge.ts";
import type { Cache, Cluster, Light, Lock, Room } from "./cluster.ts";

/** The field manager of everything that the controllers apply. */
export const manager = "home-controller";

/**
 * How many objects each controller works on at once, and how many of those may be ones that no user waits for: thousands of
 * them, after a power failure, would keep the API server busy.
 */
export const concurrency = { workers: 8, ordinaryWorkers: 2 } as const;

/** What the controllers share. */
export interface Context {
  readonly cluster: Pick<Cluster, "apply">;
  readonly rooms: Cache<Room>;
  readonly lights: Cache<Light>;
  readonly locks: Cache<Lock>;
  readonly bridge: Pick<Bridge, "connection" | "state" | "set" | "subscribe">;
  readonly now: () => Date;
  readonly onError: (key: string, error: unknown, failures: number) => void;
  readonly signal: AbortSignal;
}
