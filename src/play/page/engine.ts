import type { Reply } from "../protocol.ts";

/** The engine in a worker. */
export interface Engine {
  /**
   * Asks for a method of the worker. Rejects with its error, and with `Stopped` when the worker is stopped before.
   * @throws never synchronously
   */
  readonly ask: <Result>(
    method: string,
    argument: unknown,
    tell?: (progress: unknown) => void,
  ) => Promise<Result>;
  /** Ends the worker and what runs in it. */
  readonly stop: () => void;
}

/** Why a question has no answer: the worker was stopped. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly tell: (progress: unknown) => void;
}

/** Starts a worker with the engine, whose code stands in the page. */
export function startEngine(): Engine {
  const code = document.getElementById("worker")?.textContent ?? "";
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address);
  const waiting = new Map<number, Waiting>();
  let last = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    if (asked === undefined) return;
    if ("progress" in data) return asked.tell(data.progress);
    waiting.delete(data.id);
    if ("error" in data) asked.reject(new Error(data.error));
    else asked.resolve(data.result as never);
  });
  worker.addEventListener("error", ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(`the engine did not start: ${message}`));
    waiting.clear();
  });
  return {
    ask: (method, argument, tell = () => {}) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject, tell });
        worker.postMessage({ id: last, method, argument });
      }),
    stop: () => {
      worker.terminate();
      URL.revokeObjectURL(address);
      for (const { reject } of waiting.values()) reject(new Stopped("the engine was stopped"));
      waiting.clear();
    },
  };
}
