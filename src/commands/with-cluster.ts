import { type Connection, connect } from "../cluster/connection.ts";
import { type Pause, withRetries } from "../cluster/retry.ts";
import { serverClock } from "../cluster/server-clock.ts";
import { orUsage } from "./migrate.ts";

/** The clocks of a command that works with a cluster; `monotonic` is one in milliseconds that never jumps. */
export interface ClusterIo {
  readonly now: () => Date;
  readonly monotonic: () => number;
  readonly pause: Pause;
  readonly interrupt: AbortSignal;
}

/** A cluster, and the time of its API server. */
export interface Cluster {
  readonly connection: Connection;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Works with the cluster of a kubeconfig, repeats requests that fail for a moment, and closes the connection in the end. Throws
 * UsageError where the cluster cannot be reached.
 */
export async function withCluster<Result>(
  kubeconfig: string | undefined,
  { now, monotonic, pause, interrupt }: ClusterIo,
  work: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  const direct = await orUsage(() => connect(kubeconfig));
  try {
    return await orUsage(() => work(serverClock(withRetries(direct, pause, interrupt), monotonic, now)));
  } finally {
    direct.close();
  }
}
