import { connect } from "node:tls";

/** What a port's liveness is asked with. */
export interface LivenessOptions {
  /** The address that the port listens at. */
  readonly address: () => { readonly address: string; readonly port: number } | undefined;
  /** How many handshakes the port has completed with any client. */
  readonly completed: () => number;
  /** Milliseconds, from any start. */
  readonly clock: () => number;
  readonly milliseconds: number;
}

/**
 * Asks the HTTPS port of this process for a handshake, as a client would. Gives a sentence where it completes none, with that
 * client or another one. Asked again within a second it gives the same answer: questions are no way to load the port.
 */
export function livenessOf(options: LivenessOptions): () => Promise<string | undefined> {
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  let isAsking = false;
  return () => {
    if (isAsking || options.clock() - asked < reused) return answer;
    isAsking = true;
    answer = ask(options).finally(() => {
      isAsking = false;
      asked = options.clock();
    });
    return answer;
  };
}

const reused = 1_000;

async function ask(options: LivenessOptions): Promise<string | undefined> {
  const { address, completed, milliseconds } = options;
  const listening = address();
  if (listening === undefined) return undefined;
  const before = completed();
  const fault = await shake(reachable(listening.address), listening.port, milliseconds);
  // Where others had theirs meanwhile, this process was too busy for one of its own.
  return fault === undefined || completed() > before
    ? undefined
    : `the HTTPS port completes no handshake: ${fault}`;
}

/** Shakes hands, whatever the certificate: it is this process's own. Gives a sentence where that fails. */
function shake(host: string, port: number, milliseconds: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false });
    const settle = (fault: string | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(fault);
    };
    // What has come is read before it is judged: a loop that was busy hears its timers first.
    const timer = setTimeout(
      () => setImmediate(() => settle(`none within ${milliseconds / 1000} s`)),
      milliseconds,
    );
    socket.once("secureConnect", () => settle(undefined));
    socket.on("error", (error) => settle(error.message));
    socket.once("close", () => settle("the connection was closed"));
  });
}

/** An address to connect to: what listens on all addresses also listens on that one. */
function reachable(address: string): string {
  if (address !== "::" && address !== "0.0.0.0") return address;
  return "127.0.0.1";
}
