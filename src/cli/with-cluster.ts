import { ClusterUnreachable, type Connection, connect } from "../cluster/api/connection.ts";
import { ApiServerError } from "../cluster/api/requests.ts";
import { withRetries } from "../cluster/api/retry.ts";
import { serverClock } from "../cluster/api/server-clock.ts";
import { UsageError } from "../errors.ts";
import type { Pause } from "../time.ts";

/** The clocks of a command that works with a cluster; `monotonic` is one in milliseconds that never jumps. */
export interface ClusterIo {
  readonly now: () => Date;
  readonly monotonic: () => number;
  readonly pause: Pause;
  readonly interrupt: AbortSignal;
}

/** A cluster, and the time of its API server. */
interface Cluster {
  readonly connection: Connection;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Works with the cluster of a kubeconfig, repeats requests that fail for a moment, and closes the connection in the end. Throws
 * UsageError where the cluster cannot be reached.
 */
export function withCluster<Result>(
  kubeconfig: string | undefined,
  { now, monotonic, pause, interrupt }: ClusterIo,
  work: (cluster: Cluster) => Promise<Result>,
): Promise<Result> {
  return withConnection(kubeconfig, (direct) =>
    work(serverClock(withRetries(direct, pause, interrupt), monotonic, now)),
  );
}

/** The same without repeating requests, for commands that only read. */
export async function withConnection<Result>(
  kubeconfig: string | undefined,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await connect(kubeconfig).catch(unreachable);
  try {
    return await work(connection).catch(unreachable);
  } finally {
    connection.close();
  }
}

/** Rethrows ClusterUnreachable as a UsageError: the kubeconfig or the address is the user's to correct. */
function unreachable(error: unknown): never {
  throw error instanceof ClusterUnreachable ? new UsageError(error.message, { cause: error }) : error;
}

/** Rethrows an ApiServerError as a UsageError. */
export function asUsage(error: unknown): never {
  throw error instanceof ApiServerError ? new UsageError(error.message, { cause: error }) : error;
}
