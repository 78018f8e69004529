import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { Metrics } from "../shared/metrics.ts";
import { badRequest, type Rejection, rawResponse } from "../shared/rejection.ts";
import { tooLarge } from "../shared/too-large.ts";
import type { Connections } from "./connections.ts";

/**
 * Answers a connection that sent something other than HTTP. It is closed once the responses to all of its earlier requests
 * have been sent.
 */
export function answerClientError(
  error: Error,
  socket: Duplex,
  connections: Connections,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): void {
  const pending = connections.pendingOn(socket);
  // Failed handshakes come here too. Ending such a connection would wait for its handshake.
  if (pending === undefined) return void socket.destroy();
  // Node emits the error again for each further chunk.
  if (broken.has(socket)) return;
  broken.add(socket);
  const rejection = rejectionOfCode("code" in error ? error.code : undefined);
  log.debug({ err: error, status: rejection?.code }, "a connection broke");
  if (rejection === undefined || !socket.writable) return void socket.destroy();
  const last = pending.findLast(({ headersSent, req }) => headersSent || req.complete);
  if (last === undefined) {
    metrics.countRejected(rejection.code);
    socket.end(rawResponse(rejection), () => socket.destroy());
    return;
  }
  // A rejection sent before that response would be taken for the response to an earlier request.
  if (!last.headersSent) last.shouldKeepAlive = false;
  last.once("close", () => socket.end(() => socket.destroy()));
}

const broken = new WeakSet<Duplex>();

/** The rejection for an error code of Node.js; undefined if the connection itself is gone. */
function rejectionOfCode(code: unknown): Rejection | undefined {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { code: 431, message: "the headers are larger than 16 KiB" };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return tooLarge.chunkExtensions;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: 408, message: "the request did not arrive in time" };
    default:
      return String(code).startsWith("HPE_") ? badRequest("this is not HTTP/1.1") : undefined;
  }
}
