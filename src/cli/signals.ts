import type { Logger } from "pino";
import type { Service } from "../server/service.ts";
import { explain, note } from "./console.ts";

/** The first signal drains and ends with 0; a second one does not wait. */
export function drainOnSignal(service: Service, log: Logger): void {
  let draining = false;
  const stop = (signal: NodeJS.Signals) => {
    if (draining) process.exit(1);
    draining = true;
    log.info({ signal }, "draining; a second signal stops at once");
    // Whoever presses Ctrl-C has no balancer that must be given time to send reviews elsewhere.
    service.drain(signal === "SIGINT" ? 0 : undefined).then(
      () => process.exit(0),
      (error: unknown) => process.exit(explain(error)),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

/** The first signal ends what is begun in good order; a second one does not wait. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
    note("ending after the objects that are being written; a second signal stops at once");
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}

/** The first signal ends what may be ended at any time; a second one does not wait even for that. */
export function interruptOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? process.exit(1) : controller.abort());
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}
