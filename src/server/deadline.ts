import { parseDuration } from "../go/time.ts";

/**
 * How long a caller waits for its response, in milliseconds: the `timeout` in the query of the URL, which API servers set
 * (`?timeout=10s`), from 1 to 30 s. Thirty seconds if there is none or it cannot be read.
 */
export function timeoutOf(url: string): number {
  const text = /[?&]timeout=([^&#]{1,100})/.exec(url)?.[1];
  const nanoseconds = text === undefined ? undefined : parseDuration(decoded(text));
  return nanoseconds === undefined
    ? longest
    : Math.min(Math.max(Number(nanoseconds) / 1e6, shortest), longest);
}

const shortest = 1_000;
const longest = 30_000;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Malformed percent-encoding: not a duration.
    return "";
  }
}

/** The result of work, or undefined if it takes longer; a later result is discarded. */
export async function within<Result>(
  work: Promise<Result>,
  milliseconds: number,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(milliseconds, 0), undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
