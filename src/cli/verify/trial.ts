import { Worker } from "node:worker_threads";
import { decode, type TrialMessage, type TrialOrder } from "./messages.ts";

/** Where a trial reports. */
interface TrialIo {
  readonly onMessage: (message: TrialMessage) => void;
  /** Receives what a kind prints while it is tested. */
  readonly note: (line: string) => void;
  /** Stops the trial at once. */
  readonly interrupt: AbortSignal;
}

/** Tests laws in a separate thread until it is done or interrupted; rejects if the thread fails. */
export function tryLaws(order: TrialOrder, { onMessage, note, interrupt }: TrialIo): Promise<void> {
  if (interrupt.aborted) return Promise.resolve();
  const worker = new Worker(entry, { workerData: order, stdout: true, resourceLimits });
  const stop = () => void worker.terminate();
  interrupt.addEventListener("abort", stop, { once: true });
  worker.stdout.setEncoding("utf8").on("data", (text: string) => note(text.trimEnd()));
  worker.on("message", (text: string) => interrupt.aborted || onMessage(decode(text)));
  return new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) => {
      if (code === 0 || interrupt.aborted) resolve();
      else reject(new Error(`the thread that tests the laws exited early, with code ${code}`));
    });
  }).finally(() => interrupt.removeEventListener("abort", stop));
}

// A case needs a few megabytes; without a limit the heap of the thread grows to gigabytes before a collection.
const resourceLimits = { maxOldGenerationSizeMb: 512 };

const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
