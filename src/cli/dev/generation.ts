import { Worker } from "node:worker_threads";
import type { DevMessage, DevOrder } from "./messages.ts";

/** A service that runs in a thread, with one state of the kinds. */
export interface Generation {
  readonly description: Extract<DevMessage, { type: "serving" }>;
  /** Settles when the thread has ended, with the reason if it ended by itself. */
  readonly ended: Promise<string | undefined>;
  /** Stops it after the reviews in progress, at once if that takes more than seconds. */
  readonly stop: () => Promise<void>;
}

/** Starts a service for the kinds as their files are now; a sentence if they are invalid. */
export async function startGeneration(order: DevOrder): Promise<Generation | string> {
  const worker = new Worker(entry, { workerData: order });
  const { promise: ended, resolve: end } = Promise.withResolvers<string | undefined>();
  // A module that throws, while it is loaded or later, ends the thread.
  worker.on("error", (error: unknown) => end(stackOf(error)));
  worker.once("exit", (code) =>
    end(code === 0 ? undefined : `the thread of the service ended with code ${code}`),
  );
  const message = await Promise.race([
    new Promise<DevMessage>((resolve) => worker.once("message", resolve)),
    ended.then((reason) => invalid(reason ?? "the kinds ended the thread of the service")),
  ]);
  if (message.type === "invalid") {
    await worker.terminate();
    return message.sentence;
  }
  const stop = async () => {
    worker.postMessage("stop");
    const timer = setTimeout(() => void worker.terminate(), mostStopping);
    await ended;
    clearTimeout(timer);
  };
  return { description: message, ended, stop };
}

function invalid(sentence: string): DevMessage {
  return { type: "invalid", sentence };
}

const mostStopping = 5_000;

const entry = new URL(
  import.meta.url.endsWith(".ts") ? "./service-thread.ts" : "./service-thread.js",
  import.meta.url,
);

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
