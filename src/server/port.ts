import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Logger } from "pino";
import { SlotList } from "./slot-list.ts";

/** A server's port, from `listen` to `shut`. */
export class Port {
  readonly #server: HttpServer | HttpsServer;
  readonly #log: Logger;
  // Node's own closeAllConnections passes over a connection whose TLS handshake is not over yet, and waits for it.
  readonly #sockets = new SlotList<Socket>();
  #tellEmpty: (() => void) | undefined;

  constructor(server: HttpServer | HttpsServer, log: Logger) {
    this.#server = server;
    this.#log = log;
    server.on("connection", (socket: Socket) => {
      const leave = this.#sockets.enter(socket);
      socket.once("close", () => {
        leave();
        if (this.#sockets.size === 0) this.#tellEmpty?.();
      });
    });
  }

  /** The port that is listened on; 0 while there is none. */
  number(): number {
    return this.address()?.port ?? 0;
  }

  /** The address and port that are listened on; undefined while there are none. */
  address(): AddressInfo | undefined {
    return (this.#server.address() as AddressInfo | null) ?? undefined;
  }

  /** Listens; rejects where the port cannot be had. What goes wrong later is told to the log. */
  listen(port: number, host: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off("error", reject);
        // Such as no file descriptor left for the next connection: unheard, it would end the process.
        this.#server.on("error", (error) => this.#log.error({ err: error }, "a port failed"));
        resolve();
      });
    });
  }

  /** Resolves when no connection is open. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#sockets.size === 0) resolve();
      else this.#tellEmpty = resolve;
    });
  }

  /** Stops listening and cuts every connection off. */
  shut(): Promise<void> {
    return new Promise((resolve) => {
      // An error means that it did not listen, which is as good.
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}
