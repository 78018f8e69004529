import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { badRequest, type Refusal, rawAnswerOf } from "./refusal.ts";
import type { Desk } from "./review.ts";

/** Answers a connection on which something came that is not HTTP, and closes it. */
export function answerBroken(
  error: Error,
  socket: Duplex,
  unanswered: Iterable<ServerResponse>,
  { log, metrics }: Pick<Desk, "log" | "metrics">,
): void {
  const refusal = refusalOf("code" in error ? error.code : undefined);
  log.debug({ err: error, status: refusal.code }, "a connection broke");
  // With an answer still owed to an earlier request, or half given, this one would be taken for it.
  const owed = [...unanswered].some(
    (response) => response.socket === socket && (response.headersSent || response.req.complete),
  );
  if (owed || !socket.writable) {
    socket.destroy();
    return;
  }
  metrics.countRefused(refusal.code);
  socket.end(rawAnswerOf(refusal), () => socket.destroy());
}

function refusalOf(code: unknown): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { code: 431, message: "the headers are larger than 16 KiB" };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { code: 413, message: "the chunk extensions are larger than 16 KiB" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: 408, message: "the request did not come in time" };
    default:
      return badRequest("this is not HTTP/1.1");
  }
}
