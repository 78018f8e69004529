import { type ClusterResponse, ClusterUnreachable, type Connection } from "./connection.ts";

/** Waits; sooner over when the signal says so. Never rejects. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/**
 * The connection, asking again what may go better the next time: where the server says after how many seconds, up to ten
 * times; else what failed inside it, or was not answered, a few times. Only for requests that may be repeated. A server
 * that never answered is not asked twice: its address is wrong.
 */
export function withRetries(connection: Connection, pause: Pause, signal: AbortSignal): Connection {
  let reached = false;
  return {
    ...connection,
    request: async (method, path, details) => {
      for (let attempt = 1; ; attempt++) {
        const answer = await connection.request(method, path, details).catch((error: unknown) => {
          if (!(error instanceof ClusterUnreachable) || !reached || attempt > waits.length) throw error;
          return undefined;
        });
        reached ||= answer !== undefined;
        const wait = answer === undefined ? waits[attempt - 1] : waitAfter(answer, attempt);
        if (answer !== undefined && (wait === undefined || signal.aborted)) return answer;
        await pause(wait ?? 0, signal);
      }
    },
  };
}

/** What a server that is started again needs; twenty seconds in all. */
const waits = [200, 1_000, 2_000, 4_000, 6_000, 6_000];

/** Milliseconds until the same may be asked again; undefined where that would change nothing. */
function waitAfter({ status, retryAfter }: ClusterResponse, attempt: number): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  if (retryAfter !== undefined) return attempt <= 10 ? Math.min(retryAfter, 30) * 1000 : undefined;
  return attempt <= 2 ? waits[attempt - 1] : undefined;
}
