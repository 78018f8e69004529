/** Whether a request may still wait for a reason: if so, it gets a 503, and the API server retries. */
export type MayWait = (reason: string) => boolean;

/**
 * Lets requests wait for a reason for so many milliseconds after it was first given. After twelve times as long
 * the reason counts as a new one.
 */
export function patience(now: () => Date, milliseconds = 5_000): MayWait {
  const since = new Map<string, number>();
  return (reason) => {
    const present = now().getTime();
    const first = since.get(reason);
    const began = first === undefined || present - first > milliseconds * remembered ? present : first;
    since.delete(reason);
    since.set(reason, began);
    // Reasons contain names that clients choose, so their number must be limited.
    const [oldest] = since.keys();
    if (since.size > most && oldest !== undefined) since.delete(oldest);
    return present - began < milliseconds;
  };
}

/** How many times the waiting time a reason is remembered: then its namespace may be a new one of the same name. */
const remembered = 12;

const most = 1_000;
