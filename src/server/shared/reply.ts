import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Limits } from "./limits.ts";
import { type Rejection, rejectionBody } from "./rejection.ts";

/** Sends a JSON text that comes in parts, headers and body in one write. */
export function reply(
  response: ServerResponse,
  code: number,
  parts: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): void {
  // Text that is only written is copied once; counting the bytes of a concatenation, or joining, would copy it before.
  let text = "";
  let bytes = 0;
  for (const part of parts) {
    text += part;
    bytes += Buffer.byteLength(part);
  }
  response.writeHead(code, headersOf(bytes, headers));
  // Where every character is one byte, Node need not look for others again.
  response.end(text, bytes === text.length ? "latin1" : "utf8");
}

/** Sends a short JSON text that is encoded already. */
export function replyWithBytes(
  response: ServerResponse,
  text: Uint8Array,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, headersOf(text.length, headers));
  response.end(text);
}

/** Sends a long JSON text in pieces, each when the client takes more: to encrypt it all at once would block the event loop. */
export function replyAtLength(
  response: ServerResponse,
  text: Uint8Array,
  headers: Readonly<Record<string, string>>,
  code = 200,
): void {
  response.writeHead(code, headersOf(text.length, headers));
  Readable.from(piecesOf(text)).pipe(response);
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const pieceBytes = 64 * 1024;

/**
 * Sends a rejection. The rest of a short body is discarded and the connection stays open. Otherwise the connection is closed,
 * but only after the client had time to read the response: if bytes arrive on a closed connection the kernel resets it, and
 * the client loses the response.
 */
export function replyWithRejection(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: Rejection,
  limits: Limits,
): void {
  const text = rejectionBody(rejection);
  const { code, headers = {} } = rejection;
  const bytesToCome = remainingBytes(request);
  const closes = headers.Connection === "close" || !response.shouldKeepAlive || bytesToCome > maxDiscarded;
  // A client that expected `100 Continue` and gets this response instead does not send its body.
  const sendsNoBody = request.headers.expect !== undefined && !request.readableDidRead;
  if (!closes || sendsNoBody || bytesToCome === 0) {
    reply(response, code, [text], sendsNoBody ? { ...headers, Connection: "close" } : headers);
    return;
  }
  response.writeHead(code, headersOf(Buffer.byteLength(text), { ...headers, Connection: "close" }));
  response.write(text);
  linger(request, response, limits);
}

/** Bytes of a rejected body that are read to keep its connection. */
const maxDiscarded = 64 * 1024;

function headersOf(
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Record<string, string | number> {
  return { "Content-Type": "application/json", "Content-Length": bytes, ...headers };
}

function remainingBytes(request: IncomingMessage): number {
  if (request.complete) return 0;
  if (request.headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(request.headers["content-length"] ?? 0);
}

/** Reads on for a while before the response ends, and with it the connection. */
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
