/**
 * The stages of a service's life. `open`: it answers. `draining`: it answers but is not ready, so that callers go elsewhere.
 * `leaving`: it finishes the requests that it has begun and rejects new ones.
 */
export type Stage = "open" | "draining" | "leaving";

/** Waits until the time is over or the signal is aborted; never rejects. Passed in, so that tests need not wait. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** A clock that is never set, and calls after a time; the process may end before. */
export const timers = {
  clock: (): number => performance.now(),
  schedule: (milliseconds: number, call: () => void): { readonly cancel: () => void } => {
    const timer = setTimeout(call, milliseconds).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Calls after the requests of this moment, most of which are answered within milliseconds. */
export function soon(call: () => void): void {
  timers.schedule(100, call);
}

/** Waits by a timer that does not keep the process alive. */
export const pause: Pause = (milliseconds, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      // A signal may live as long as the service; listeners would pile up on it.
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds).unref();
    signal.addEventListener("abort", end);
  });

/** A time as a sentence has it, without milliseconds: `2026-11-24T12:00:00Z`. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A duration in its largest unit, rounded up: `7 d`, `5 h`, `12 s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const units = [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ["s", 1];
  return `${Math.ceil(seconds / length)} ${unit}`;
}
