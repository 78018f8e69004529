import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** One connection, from its first packet until it closes. */
export interface Connection {
  /** The TCP socket, also under TLS. */
  readonly socket: Socket;
  readonly place: string;
  /** Its address, and from the handshake on perhaps its certificate. */
  caller: Caller;
  /** When it was accepted. */
  readonly since: number;
  /** The answers that are owed, in the order of their requests. */
  readonly owed: Owed[];
  isEstablished: boolean;
  isGone: boolean;
  /** Rises with each use of any connection. */
  used: number;
  leave: () => void;
}

/** An answer that is owed. */
export interface Owed {
  readonly response: ServerResponse;
  /** When the request's headers had come. */
  readonly since: number;
}

/** How much a caller holds. */
export interface Caller {
  readonly name: string;
  /** Its connections, and how many of them are unfinished handshakes. */
  open: number;
  handshakes: number;
}

/**
 * Whether one connection has to make room before another one: that of the caller that holds more; of one caller's an
 * unfinished handshake, then one without a call, and always the one that was used longest ago.
 */
export function closesBefore(one: Connection, other: Connection): boolean {
  if (one.caller.open !== other.caller.open) return one.caller.open > other.caller.open;
  const [oneUse, otherUse] = [usefulness(one), usefulness(other)];
  return oneUse === otherUse ? one.used < other.used : oneUse < otherUse;
}

function usefulness({ isEstablished, owed }: Connection): number {
  if (!isEstablished) return 0;
  return owed.length === 0 ? 1 : 2;
}

/** Both ends' addresses, which no other open connection has; undefined for a socket that has closed. */
export function placeOf(socket: Socket): string | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || localAddress === undefined) return undefined;
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
