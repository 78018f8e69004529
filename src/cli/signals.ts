import type { Logger } from "pino";
import type { Service } from "../server/service.ts";
import { consoleOf, explain, type Terminal } from "./console.ts";

/** The first signal drains and ends with 0; a second one does not wait. */
export function drainOnSignal(service: Service, log: Logger, terminal: Terminal): void {
  let draining = false;
  const stop = (signal: NodeJS.Signals) => {
    if (draining) return terminal.exit(1);
    draining = true;
    log.info({ signal }, "draining; a second signal stops at once");
    // Whoever presses Ctrl-C has no balancer that must be given time to send reviews elsewhere.
    service.drain(signal === "SIGINT" ? 0 : undefined).then(
      () => terminal.exit(0),
      (error: unknown) => terminal.exit(explain(error, consoleOf(terminal))),
    );
  };
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
}

/** The first signal ends what is begun in good order; a second one does not wait. */
export function abortOnSignal(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) return terminal.exit(1);
    controller.abort();
    consoleOf(terminal).note(
      "ending after the objects that are being written; a second signal stops at once",
    );
  };
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
  return controller.signal;
}

/** The first signal ends what may be ended at any time; a second one does not wait even for that. */
export function interruptOnSignal(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? terminal.exit(1) : controller.abort());
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
  return controller.signal;
}
