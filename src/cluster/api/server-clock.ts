import type { Connection } from "./connection.ts";

/** The time of an API server, as its responses say it. */
interface ServerClock {
  /** Milliseconds since 1970; before the first response, those of this machine. */
  readonly now: () => number;
  /** The connection whose responses set the clock. */
  readonly connection: Connection;
}

/**
 * Follows the clock of the API server, which is the one that verifies certificates: the clock of this machine may be wrong, or
 * jump. Between responses it follows `monotonic`, in milliseconds.
 */
export function serverClock(connection: Connection, monotonic: () => number, local: () => Date): ServerClock {
  let heard: { readonly time: number; readonly at: number } | undefined;
  return {
    now: () => (heard === undefined ? local().getTime() : heard.time + monotonic() - heard.at),
    connection: {
      ...connection,
      request: async (method, path, details) => {
        const answer = await connection.request(method, path, details);
        if (answer.date !== undefined) heard = closer(heard, answer.date.getTime(), monotonic());
        return answer;
      },
    },
  };
}

/** A Date header has whole seconds: within one second of what we have, ours is as good, and runs evenly. */
function closer(
  heard: { readonly time: number; readonly at: number } | undefined,
  time: number,
  at: number,
): { readonly time: number; readonly at: number } {
  if (heard === undefined) return { time, at };
  const expected = heard.time + at - heard.at;
  return expected >= time && expected < time + 1_000 ? heard : { time, at };
}
