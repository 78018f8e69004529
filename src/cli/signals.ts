import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Service } from "../server/service.ts";
import { consoleOf, reportError, type Terminal } from "./console.ts";

/** The first signal drains the service and exits with 0; a second one exits at once. */
export function drainOnSignal(service: Service, log: Logger, terminal: Terminal): void {
  let draining = false;
  const stop = (signal: NodeJS.Signals) => {
    if (draining) return terminal.exit(1);
    draining = true;
    log.info({ signal }, "draining; a second signal stops at once");
    // After Ctrl-C there is no load balancer that needs time to stop sending reviews.
    service.drain(signal === "SIGINT" ? 0 : undefined).then(
      () => terminal.exit(0),
      (error: unknown) => terminal.exit(reportError(error, consoleOf(terminal))),
    );
  };
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
}

/** What runs until it is stopped, or fails by itself. */
interface Stoppable {
  /** Settles with the reason if it ended by itself. */
  readonly failed: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** The first signal stops it and exits with 0; a second one exits at once. If it fails, the process exits with 3. */
export function stopOnSignal(running: Stoppable, terminal: Terminal): void {
  let isStopping = false;
  const { note } = consoleOf(terminal);
  const end = (code: number) =>
    running.stop().then(
      () => terminal.exit(code),
      (error: unknown) => terminal.exit(reportError(error, { note })),
    );
  const stop = () => {
    if (isStopping) return terminal.exit(1);
    isStopping = true;
    note("stopping; a second signal stops at once");
    end(0);
  };
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
  running.failed.then((reason) => {
    note(`the API server ended by itself:\n${reason}`);
    end(3);
  });
}

/** The first signal aborts after the work in progress; a second one exits at once. */
function abortOnSignal(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) return terminal.exit(1);
    controller.abort();
    consoleOf(terminal).note("stopping after the writes in progress; a second signal stops at once");
  };
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
  return controller.signal;
}

/** The input and output of commands that change a cluster, or read much of it. */
export function clusterIo(terminal: Terminal) {
  return {
    ...consoleOf(terminal),
    now: () => new Date(),
    monotonic: () => performance.now(),
    pause: (milliseconds: number, signal: AbortSignal) =>
      wait(milliseconds, undefined, { signal }).catch(() => {}),
    interrupt: abortOnSignal(terminal),
    progressEvery: terminal.stderr.isTTY ? 1_000 : 10_000,
  };
}

/** The first signal aborts the work in progress, with its name as the reason; a second one exits at once. */
export function interruptOnSignal(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) =>
    controller.signal.aborted ? terminal.exit(1) : controller.abort(signal);
  terminal.on("SIGTERM", stop);
  terminal.on("SIGINT", stop);
  return controller.signal;
}
