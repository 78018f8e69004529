import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limits } from "./limits.ts";
import { type Rejection, statusOf } from "./rejection.ts";

/** Answers with a JSON text that comes in parts, in one write. */
export function reply(
  response: ServerResponse,
  code: number,
  parts: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): void {
  // To count the bytes of a text that was put together copies it; what is only written is copied once.
  let text = "";
  let bytes = 0;
  for (const part of parts) {
    text += part;
    bytes += Buffer.byteLength(part);
  }
  response.writeHead(code, headersOf(bytes, headers));
  // Where characters are bytes none needs to be encoded.
  response.end(text, bytes === text.length ? "latin1" : "utf8");
}

/**
 * Answers with a rejection. A short body that nobody reads is passed over and the connection lives on; else it is closed,
 * but not before the sender had time to read the answer: closing while bytes still come in makes the kernel reset the
 * connection, and the answer is lost.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: Rejection,
  limits: Limits,
): void {
  const text = statusOf(rejection);
  const { code, headers = {} } = rejection;
  const toCome = bytesToCome(request);
  const closes = headers.Connection === "close" || !response.shouldKeepAlive || toCome > passedOver;
  // A caller who asked whether to send its body, and is told this instead, sends none.
  const asked = request.headers.expect !== undefined && !request.readableDidRead;
  if (!closes || asked || toCome === 0) {
    reply(response, code, [text], asked ? { ...headers, Connection: "close" } : headers);
    return;
  }
  response.writeHead(code, headersOf(Buffer.byteLength(text), { ...headers, Connection: "close" }));
  response.write(text);
  linger(request, response, limits);
}

/** What is read to the end for the sake of the connection. */
const passedOver = 64 * 1024;

function headersOf(
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Record<string, string | number> {
  return { "Content-Type": "application/json", "Content-Length": bytes, ...headers };
}

function bytesToCome(request: IncomingMessage): number {
  if (request.complete) return 0;
  if (request.headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(request.headers["content-length"] ?? 0);
}

function linger(request: IncomingMessage, response: ServerResponse, limits: Limits): void {
  const end = () => response.end();
  let left = limits.lingerBytes;
  const timer = setTimeout(end, limits.lingerMilliseconds).unref();
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  });
  request.on("end", end);
  response.on("close", () => clearTimeout(timer));
}
