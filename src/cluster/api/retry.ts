import type { Pause } from "../../time.ts";
import { type ClusterResponse, ClusterUnreachable, type Connection } from "./connection.ts";

/**
 * The connection with retries: up to ten if the server sends Retry-After, else a few after a server error or without a
 * response. Only for idempotent requests. A server that never responded is not retried, since its address is probably wrong.
 */
export function withRetries(connection: Connection, pause: Pause, signal: AbortSignal): Connection {
  let hasResponded = false;
  return {
    ...connection,
    request: async (method, path, details) => {
      for (let attempt = 1; ; attempt++) {
        const answer = await connection.request(method, path, details).catch((error: unknown) => {
          if (!(error instanceof ClusterUnreachable) || !hasResponded || attempt > waits.length) throw error;
          return undefined;
        });
        hasResponded ||= answer !== undefined;
        const wait = answer === undefined ? waits[attempt - 1] : waitAfter(answer, attempt);
        if (answer !== undefined && (wait === undefined || signal.aborted)) return answer;
        await pause(wait ?? 0, signal);
      }
    },
  };
}

/** Long enough for a restart of the server: twenty seconds in all. */
const waits = [200, 1_000, 2_000, 4_000, 6_000, 6_000];

/** Milliseconds until the next retry; undefined if a retry would not help. */
function waitAfter({ status, retryAfter }: ClusterResponse, attempt: number): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  if (retryAfter !== undefined) return attempt <= 10 ? Math.min(retryAfter, 30) * 1000 : undefined;
  return attempt <= 2 ? waits[attempt - 1] : undefined;
}
