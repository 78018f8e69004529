import type { ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import { largeBody } from "../large/large.ts";
import type { Limits } from "../shared/limits.ts";
import { callerOf } from "./caller.ts";
import {
  addressesOf,
  type Caller,
  type Connection,
  closesBefore,
  type PendingResponse,
} from "./connection.ts";

/** How the connections of a server are limited. */
interface ConnectionsOptions {
  readonly limits: Pick<Limits, "connections" | "handshakes" | "handshakeMilliseconds" | "callMilliseconds">;
  readonly log: Logger;
  /** Milliseconds, from any start. */
  readonly clock: () => number;
}

/**
 * The connections of an HTTPS server, and the responses pending on each. At the limit a new connection replaces the least
 * useful one of the caller that holds most.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #callers = new Map<string, Caller>();
  // The TCP socket of a handshake and the TLS socket that results from it have only their addresses in common.
  readonly #handshakes = new Map<string, Connection>();
  readonly #established = new WeakMap<object, Connection>();
  #uses = 0;
  #pending = 0;
  #completed = 0;
  #resolveIdle: (() => void) | undefined;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.on("secureConnection", (socket) => this.#establish(socket));
  }

  /** How many handshakes have been completed. */
  completed(): number {
    return this.#completed;
  }

  /** Notes a pending response. Returns the function to call, once, when it closes. */
  enter(response: ServerResponse): () => void {
    const connection = this.#established.get(response.req.socket);
    const pending = { response, since: this.#options.clock() };
    this.#pending += 1;
    if (connection !== undefined) {
      connection.pending.push(pending);
      this.#markUsed(connection);
    }
    return () => {
      this.#pending -= 1;
      if (this.#pending === 0) this.#resolveIdle?.();
      if (connection === undefined) return;
      connection.pending.splice(connection.pending.indexOf(pending), 1);
      this.#markUsed(connection);
    };
  }

  /** The responses pending on a socket, in order; undefined if its handshake has not been completed. */
  pendingOn(socket: object): readonly ServerResponse[] | undefined {
    return this.#established.get(socket)?.pending.map(({ response }) => response);
  }

  /** Resolves when no response is pending, and no request has arrived that was not read yet. */
  async idle(): Promise<void> {
    do {
      await new Promise<void>((resolve) => {
        if (this.#pending === 0) resolve();
        else this.#resolveIdle = resolve;
      });
      // One whole turn of the event loop reads what has arrived. On a busy machine that may be a request of seconds ago.
      await nextTurn();
      await nextTurn();
    } while (this.#pending > 0);
  }

  /** Closes connections whose handshake takes too long, and those whose caller must have given up its request by now. */
  check(): void {
    const { clock, limits } = this.#options;
    const now = clock();
    for (const connection of this.#open) {
      const { isEstablished, since, pending } = connection;
      const isLate = isEstablished
        ? now - (pending[0]?.since ?? now) > limits.callMilliseconds
        : now - since > limits.handshakeMilliseconds;
      if (isLate) this.#close(connection, "it takes too long");
    }
  }

  #accept(socket: Socket): void {
    const addresses = addressesOf(socket);
    // The client reset the connection before it was accepted.
    if (addresses === undefined) return void socket.destroy();
    const connection: Connection = {
      socket,
      addresses,
      caller: this.#addTo(callerOf(socket)),
      since: this.#options.clock(),
      pending: [],
      isEstablished: false,
      used: 0,
    };
    this.#markUsed(connection);
    connection.caller.handshakes += 1;
    this.#handshakes.set(addresses, connection);
    this.#open.add(connection);
    socket.once("close", () => this.#forget(connection));
    this.#makeRoomFor(connection);
  }

  #establish(socket: Socket): void {
    const connection = this.#handshakes.get(addressesOf(socket) ?? "");
    // It was closed here while the last message of its handshake was on its way.
    if (connection === undefined) return void socket.destroy();
    this.#endHandshake(connection);
    this.#removeFrom(connection.caller);
    connection.caller = this.#addTo(callerOf(socket));
    connection.isEstablished = true;
    this.#markUsed(connection);
    this.#completed += 1;
    this.#established.set(socket, connection);
    socket.allowHalfOpen = true;
    socket.once("end", () => connection.pending.some(isToLargeBody) && socket.destroy());
    socket.once("close", () => closePipelined(connection));
  }

  #makeRoomFor(newcomer: Connection): void {
    const { limits } = this.#options;
    if (newcomer.caller.handshakes > limits.handshakes) {
      const isRival = ({ caller, isEstablished }: Connection) => caller === newcomer.caller && !isEstablished;
      this.#close(this.#leastUseful(newcomer, isRival), "its caller has too many unfinished handshakes");
    }
    if (this.#open.size <= limits.connections) return;
    this.#close(
      this.#leastUseful(newcomer, () => true),
      "a new connection replaces it",
    );
  }

  /** The first to close of those that a condition admits; the newcomer itself if there is no other. */
  #leastUseful(newcomer: Connection, isCandidate: (connection: Connection) => boolean): Connection {
    let least = newcomer;
    for (const each of this.#open) {
      if (each === newcomer || !isCandidate(each)) continue;
      if (least === newcomer || closesBefore(each, least)) least = each;
    }
    return least;
  }

  #close(connection: Connection, reason: string): void {
    this.#options.log.debug({ caller: connection.caller.name, reason }, "a connection is closed");
    this.#forget(connection);
    connection.socket.destroy();
  }

  /** Forgets a connection; idempotent. */
  #forget(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    if (!connection.isEstablished) this.#endHandshake(connection);
    this.#removeFrom(connection.caller);
  }

  #endHandshake(connection: Connection): void {
    connection.caller.handshakes -= 1;
    this.#handshakes.delete(connection.addresses);
  }

  #markUsed(connection: Connection): void {
    this.#uses += 1;
    connection.used = this.#uses;
  }

  #addTo(name: string): Caller {
    const caller = this.#callers.get(name) ?? { name, open: 0, handshakes: 0 };
    caller.open += 1;
    this.#callers.set(name, caller);
    return caller;
  }

  #removeFrom(caller: Caller): void {
    caller.open -= 1;
    if (caller.open === 0) this.#callers.delete(caller.name);
  }
}

/**
 * Whether a response is to a large body. A client that half-closes its connection may wait for the response or may have given
 * it up: the two look the same from here. A small review is answered in either case; a large one costs too much to be answered
 * for a client that may have left.
 */
function isToLargeBody({ response }: PendingResponse): boolean {
  return Number(response.req.headers["content-length"] ?? 0) >= largeBody;
}

/** Closes the responses that wait for an earlier one in a pipeline: Node 22 closes only the one that is being sent. */
function closePipelined({ pending }: Connection): void {
  for (const each of [...pending]) {
    const { response } = each;
    if (response.socket !== null) continue;
    response.destroy();
    // A version of Node that closes it has done so before the immediate runs, and it is not pending any more.
    setImmediate(() => pending.includes(each) && response.emit("close"));
  }
}
