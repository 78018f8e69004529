import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Logger } from "pino";

/** The port of a server, from `listen` to `shut`. */
export class Port {
  readonly #server: HttpServer | HttpsServer;
  readonly #log: Logger;
  // Node's closeAllConnections leaves out connections whose TLS handshake is unfinished, and then waits for them.
  readonly #sockets = new Set<Socket>();
  #resolveEmpty: (() => void) | undefined;

  constructor(server: HttpServer | HttpsServer, log: Logger) {
    this.#server = server;
    this.#log = log;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#resolveEmpty?.();
      });
    });
  }

  /** The port that the server listens on; 0 while it does not listen. */
  number(): number {
    return this.address()?.port ?? 0;
  }

  /** The address and port that the server listens on; undefined while it does not listen. */
  address(): AddressInfo | undefined {
    return (this.#server.address() as AddressInfo | null) ?? undefined;
  }

  /** Listens; rejects if the port is not available. Later errors are logged. */
  listen(port: number, host: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off("error", reject);
        // For instance when there is no file descriptor for a connection. Without a listener it would end the process.
        this.#server.on("error", (error) => this.#log.error({ err: error }, "a port failed"));
        resolve();
      });
    });
  }

  /** Resolves when no connection is open. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#sockets.size === 0) resolve();
      else this.#resolveEmpty = resolve;
    });
  }

  /** Stops listening and destroys all connections. */
  shut(): Promise<void> {
    return new Promise((resolve) => {
      // An error means that the server was not listening.
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}
