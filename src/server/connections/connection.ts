import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** One connection, from its first packet until it closes. */
export interface Connection {
  /** The TCP socket, also under TLS. */
  readonly socket: Socket;
  /** The addresses and ports of both ends. */
  readonly addresses: string;
  /** Known by its address, and after the handshake by its certificate if it showed a trusted one. */
  caller: Caller;
  /** When it was accepted. */
  readonly since: number;
  /** The responses that have not closed, in the order of their requests. */
  readonly pending: PendingResponse[];
  isEstablished: boolean;
  /** Rises with each use of any connection. */
  used: number;
}

/** A response that has not closed. */
export interface PendingResponse {
  readonly response: ServerResponse;
  /** When the headers of its request had arrived. */
  readonly since: number;
}

/** The connections of one caller. */
export interface Caller {
  readonly name: string;
  /** How many are open, and how many of these are unfinished handshakes. */
  open: number;
  handshakes: number;
}

/**
 * Whether one connection is closed before another to make room: first those of the caller that holds most. Of one caller's
 * connections first unfinished handshakes, then idle ones, and among equals the one that was used longest ago.
 */
export function closesBefore(one: Connection, other: Connection): boolean {
  if (one.caller.open !== other.caller.open) return one.caller.open > other.caller.open;
  const [oneUse, otherUse] = [usefulness(one), usefulness(other)];
  return oneUse === otherUse ? one.used < other.used : oneUse < otherUse;
}

function usefulness({ isEstablished, pending }: Connection): number {
  if (!isEstablished) return 0;
  return pending.length === 0 ? 1 : 2;
}

/** The addresses and ports of both ends, which identify an open connection; undefined for a closed socket. */
export function addressesOf(socket: Socket): string | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || localAddress === undefined) return undefined;
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
