import type { ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { callerOf } from "./caller.ts";
import { type Caller, type Connection, closesBefore, type Owed, placeOf } from "./connection.ts";
import type { Limits } from "./limits.ts";
import { SlotList } from "./slot-list.ts";

/** What connections are looked after with. */
export interface ConnectionsOptions {
  readonly limits: Pick<Limits, "connections" | "handshakes" | "handshakeMilliseconds" | "callMilliseconds">;
  readonly log: Logger;
  /** Milliseconds, from any start. */
  readonly clock: () => number;
}

/**
 * The connections of an HTTPS server, and the answers that are owed on each. At the limit a newcomer takes the place of the
 * least useful connection of the caller that holds most.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new SlotList<Connection>();
  readonly #callers = new Map<string, Caller>();
  // The TCP socket of a handshake and the TLS socket that comes of it have only their addresses in common.
  readonly #handshakes = new Map<string, Connection>();
  readonly #established = new WeakMap<object, Connection>();
  #uses = 0;
  #owed = 0;
  #completed = 0;
  #tellIdle: (() => void) | undefined;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    server.on("connection", (socket: Socket) => this.#enter(socket));
    server.on("secureConnection", (socket) => this.#establish(socket));
  }

  /** How many handshakes have been completed. */
  completed(): number {
    return this.#completed;
  }

  /** Notes that an answer is owed, until its response closes. */
  owe(response: ServerResponse): void {
    const connection = this.#established.get(response.req.socket);
    const owed = { response, since: this.#options.clock() };
    this.#owed += 1;
    if (connection !== undefined) {
      connection.owed.push(owed);
      this.#use(connection);
    }
    response.once("close", () => {
      this.#owed -= 1;
      if (this.#owed === 0) this.#tellIdle?.();
      if (connection === undefined) return;
      connection.owed.splice(connection.owed.indexOf(owed), 1);
      this.#use(connection);
    });
  }

  /** The answers that are owed on a socket, in their order; undefined where its handshake is not over. */
  owedOn(socket: object): readonly ServerResponse[] | undefined {
    return this.#established.get(socket)?.owed.map(({ response }) => response);
  }

  /** Resolves when no answer is owed. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#owed === 0) resolve();
      else this.#tellIdle = resolve;
    });
  }

  /** Closes what takes too long: handshakes, and calls whose callers have given up by now. */
  check(): void {
    const { clock, limits } = this.#options;
    const now = clock();
    for (const connection of this.#open) {
      const { isEstablished, since, owed } = connection;
      const isLate = isEstablished
        ? now - (owed[0]?.since ?? now) > limits.callMilliseconds
        : now - since > limits.handshakeMilliseconds;
      if (isLate) this.#close(connection, "it takes too long");
    }
  }

  #enter(socket: Socket): void {
    const place = placeOf(socket);
    // It was reset before it was accepted.
    if (place === undefined) return void socket.destroy();
    const connection: Connection = {
      socket,
      place,
      caller: this.#join(callerOf(socket)),
      since: this.#options.clock(),
      owed: [],
      isEstablished: false,
      isGone: false,
      used: 0,
      leave: () => {},
    };
    this.#use(connection);
    connection.caller.handshakes += 1;
    this.#handshakes.set(place, connection);
    connection.leave = this.#open.enter(connection);
    socket.once("close", () => this.#leave(connection));
    this.#makeRoomFor(connection);
  }

  #establish(socket: Socket): void {
    const connection = this.#handshakes.get(placeOf(socket) ?? "");
    // It was closed while its last message was on its way.
    if (connection === undefined) return void socket.destroy();
    this.#endHandshake(connection);
    this.#part(connection.caller);
    connection.caller = this.#join(callerOf(socket));
    connection.isEstablished = true;
    this.#use(connection);
    this.#completed += 1;
    this.#established.set(socket, connection);
    socket.allowHalfOpen = true;
    socket.once("end", () => connection.owed.some(isLarge) && socket.destroy());
    socket.once("close", () => abandon(connection));
  }

  #makeRoomFor(newcomer: Connection): void {
    const { limits } = this.#options;
    if (newcomer.caller.handshakes > limits.handshakes) {
      const isRival = ({ caller, isEstablished }: Connection) => caller === newcomer.caller && !isEstablished;
      this.#close(this.#leastUseful(newcomer, isRival), "its caller began too many handshakes");
    }
    if (this.#open.size <= limits.connections) return;
    this.#close(
      this.#leastUseful(newcomer, () => true),
      "another one needs its place",
    );
  }

  /** The first one to close of those that may be; the newcomer itself where there is no other. */
  #leastUseful(newcomer: Connection, may: (connection: Connection) => boolean): Connection {
    let least = newcomer;
    for (const each of this.#open) {
      if (each !== newcomer && may(each) && (least === newcomer || closesBefore(each, least))) least = each;
    }
    return least;
  }

  #close(connection: Connection, reason: string): void {
    this.#options.log.debug({ caller: connection.caller.name, reason }, "a connection is closed");
    this.#leave(connection);
    connection.socket.destroy();
  }

  /** Forgets a connection; once forgotten it is not counted again. */
  #leave(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    connection.leave();
    if (!connection.isEstablished) this.#endHandshake(connection);
    this.#part(connection.caller);
  }

  #endHandshake(connection: Connection): void {
    connection.caller.handshakes -= 1;
    this.#handshakes.delete(connection.place);
  }

  #use(connection: Connection): void {
    this.#uses += 1;
    connection.used = this.#uses;
  }

  #join(name: string): Caller {
    const caller = this.#callers.get(name) ?? { name, open: 0, handshakes: 0 };
    caller.open += 1;
    this.#callers.set(name, caller);
    return caller;
  }

  #part(caller: Caller): void {
    caller.open -= 1;
    if (caller.open === 0) this.#callers.delete(caller.name);
  }
}

/**
 * Whether an answer is to a large body. A client that shuts its side waits for its answer, or it has given its call up: they look the
 * same from here. What is small is answered all the same, a large review is not worked on for a client that may be gone.
 */
function isLarge({ response }: Owed): boolean {
  return Number(response.req.headers["content-length"] ?? 0) >= 256 * 1024;
}

/** Closes the responses that wait behind another one: Node 22 closes none but the one that is being sent. */
function abandon({ owed }: Connection): void {
  for (const waiting of [...owed]) {
    const { response } = waiting;
    if (response.socket !== null) continue;
    response.destroy();
    // Where Node has closed it, which it does before, no answer is owed any more.
    setImmediate(() => owed.includes(waiting) && response.emit("close"));
  }
}
