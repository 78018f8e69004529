import { connect } from "node:tls";

/** How the liveness of a port is checked. */
interface LivenessOptions {
  /** The address that the port listens at. */
  readonly address: () => { readonly address: string; readonly port: number } | undefined;
  /** How many handshakes the port has completed with any client. */
  readonly completed: () => number;
  /** Milliseconds, from any start. */
  readonly clock: () => number;
  readonly milliseconds: number;
}

/**
 * Checks that the HTTPS port of this process completes a handshake, with this check or with any client meanwhile. Gives a
 * sentence if it does not. Within a second it gives the same result again, so that requests to `/livez` cannot load the port.
 */
export function livenessOf(options: LivenessOptions): () => Promise<string | undefined> {
  let checked = Number.NEGATIVE_INFINITY;
  let result: Promise<string | undefined> = Promise.resolve(undefined);
  let isChecking = false;
  return () => {
    if (isChecking || options.clock() - checked < reused) return result;
    isChecking = true;
    result = check(options).finally(() => {
      isChecking = false;
      checked = options.clock();
    });
    return result;
  };
}

const reused = 1_000;

async function check(options: LivenessOptions): Promise<string | undefined> {
  const { address, completed, milliseconds } = options;
  const listening = address();
  if (listening === undefined) return undefined;
  const before = completed();
  const fault = await shake(reachable(listening.address), listening.port, milliseconds);
  // If other clients completed theirs meanwhile, the port is alive and only this handshake was too slow.
  return fault === undefined || completed() > before
    ? undefined
    : `the HTTPS port completes no handshake: ${fault}`;
}

/** Makes a handshake with any certificate, since it is that of this process. Gives a sentence if it fails. */
function shake(host: string, port: number, milliseconds: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false });
    const settle = (fault: string | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(fault);
    };
    // After a long task the event loop runs timers first: the immediate lets it read what has arrived.
    const timer = setTimeout(
      () => setImmediate(() => settle(`none within ${milliseconds / 1000} s`)),
      milliseconds,
    );
    socket.once("secureConnect", () => settle(undefined));
    socket.on("error", (error) => settle(error.message));
    socket.once("close", () => settle("the connection was closed"));
  });
}

/** An address to connect to: a server on all addresses also listens on 127.0.0.1. */
function reachable(address: string): string {
  if (address !== "::" && address !== "0.0.0.0") return address;
  return "127.0.0.1";
}
