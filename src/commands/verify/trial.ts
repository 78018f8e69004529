import { Worker } from "node:worker_threads";
import { fromText, type Order, type Telling } from "./telling.ts";

/** What listening to a trial needs. */
export interface Hearing {
  readonly hear: (telling: Telling) => void;
  /** Told what a kind prints while it is tried. */
  readonly note: (line: string) => void;
  /** Ends the trial at once. */
  readonly interrupt: AbortSignal;
}

/** Tries laws in a thread of its own until all is told, or until it is interrupted; rejects where the thread fails. */
export function tryLaws(order: Order, { hear, note, interrupt }: Hearing): Promise<void> {
  if (interrupt.aborted) return Promise.resolve();
  const worker = new Worker(entry, { workerData: order, stdout: true, resourceLimits });
  const stop = () => void worker.terminate();
  interrupt.addEventListener("abort", stop, { once: true });
  worker.stdout.setEncoding("utf8").on("data", (text: string) => note(text.trimEnd()));
  worker.on("message", (text: string) => interrupt.aborted || hear(fromText(text)));
  return new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) => {
      if (code === 0 || interrupt.aborted) resolve();
      else reject(new Error(`the trial ended with ${code} before it was done`));
    });
  }).finally(() => interrupt.removeEventListener("abort", stop));
}

// A case needs a few megabytes; without a limit the thread lets garbage grow to gigabytes before it looks at it.
const resourceLimits = { maxOldGenerationSizeMb: 512 };

const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
