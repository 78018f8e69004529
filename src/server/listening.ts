import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";

type Server = HttpServer | HttpsServer;

/** Listens; rejects where the port cannot be had. What goes wrong later is told to the log. */
export function listen(server: Server, port: number, host: string | undefined, log: Logger): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      // Such as no file descriptor left for the next connection: unheard, it would end the process.
      server.on("error", (error) => log.error({ err: error }, "a port failed"));
      resolve();
    });
  });
}

/** Stops listening and cuts every connection off. */
export function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // An error means that it did not listen, which is as good.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The port that a server listens on; 0 where it does not. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}
