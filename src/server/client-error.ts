import type { Duplex } from "node:stream";
import type { Connections } from "./connections.ts";
import { badRequest, type Rejection, rawAnswerOf } from "./rejection.ts";
import type { ServerContext } from "./review.ts";

/** Answers a connection on which something came that is not HTTP, and closes it once all answers that it is owed are sent. */
export function answerClientError(
  error: Error,
  socket: Duplex,
  connections: Connections,
  { log, metrics }: Pick<ServerContext, "log" | "metrics">,
): void {
  const owed = connections.owedOn(socket);
  // Failed handshakes come here too; to end such a connection would wait for its handshake.
  if (owed === undefined) return void socket.destroy();
  // Each further piece of what is not HTTP comes here anew.
  if (broken.has(socket)) return;
  broken.add(socket);
  const rejection = rejectionOf("code" in error ? error.code : undefined);
  log.debug({ err: error, status: rejection?.code }, "a connection broke");
  if (rejection === undefined || !socket.writable) return void socket.destroy();
  const last = owed.findLast(({ headersSent, req }) => headersSent || req.complete);
  if (last === undefined) {
    metrics.countRejected(rejection.code);
    socket.end(rawAnswerOf(rejection), () => socket.destroy());
    return;
  }
  // Until then this one would be taken for the answer to an earlier request.
  if (!last.headersSent) last.shouldKeepAlive = false;
  last.once("close", () => socket.end(() => socket.destroy()));
}

const broken = new WeakSet<Duplex>();

/** What to say of an error; undefined where the connection itself is gone. */
function rejectionOf(code: unknown): Rejection | undefined {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { code: 431, message: "the headers are larger than 16 KiB" };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { code: 413, message: "the chunk extensions are larger than 16 KiB" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: 408, message: "the request did not come in time" };
    default:
      return String(code).startsWith("HPE_") ? badRequest("this is not HTTP/1.1") : undefined;
  }
}
