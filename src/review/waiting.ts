/** Whether an answer may still be put off for a reason: while it lasts, the API server is told to ask again. */
export type MayWait = (reason: string) => boolean;

/**
 * Puts answers off for a while and no longer. A reason is remembered from the first time that it is given; asked again
 * long after, it begins anew.
 */
export function patience(now: () => Date, milliseconds = 5_000): MayWait {
  const since = new Map<string, number>();
  return (reason) => {
    const present = now().getTime();
    const first = since.get(reason);
    const began = first === undefined || present - first > milliseconds * forgotten ? present : first;
    since.delete(reason);
    since.set(reason, began);
    // Reasons name what somebody wrote: without an end anybody could fill the memory with them.
    const [oldest] = since.keys();
    if (since.size > most && oldest !== undefined) since.delete(oldest);
    return present - began < milliseconds;
  };
}

/** A namespace that stayed unknown for so many times the patience may be a new one of the same name. */
const forgotten = 12;

const most = 1_000;
