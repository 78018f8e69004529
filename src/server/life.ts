/**
 * Where the service stands: it answers; it is `draining`, still answers, but asks to be sent nothing more; it is
 * `leaving`, finishes what it has begun and sends everybody else away.
 */
export type Stage = "open" | "draining" | "leaving";

/** Waits, or stops waiting when the signal says so; never rejects. Passed in, so that tests need not wait. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Waits by a timer that keeps no process alive. */
export const pause: Pause = (milliseconds, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      // A signal may live as long as the service, and be waited on again and again.
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds).unref();
    signal.addEventListener("abort", end);
  });
