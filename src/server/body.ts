import type { IncomingMessage } from "node:http";
import { createBodyBuffer } from "./body-buffer.ts";
import type { Share } from "./memory.ts";
import { overloaded, type Rejection, tooLarge } from "./rejection.ts";

/** The outcome of reading a body. */
export type Body =
  | { readonly outcome: "whole"; readonly bytes: Buffer }
  | { readonly outcome: "rejected"; readonly rejection: Rejection }
  /** The caller closed the connection; no response can be sent. */
  | { readonly outcome: "aborted" };

/** The limits that a body is read under. */
export interface BodyOptions {
  readonly maxBytes: number;
  /** The same for a body without Content-Length. */
  readonly maxUndeclaredBytes: number;
  readonly milliseconds: number;
  readonly share: Share;
}

/** Rejects a body by its headers alone, before any of it is read. */
export function rejectionOfHeaders({ headers }: IncomingMessage, maxBytes: number): Rejection | undefined {
  const type = headers["content-type"];
  // A body without Content-Type is read as JSON; an API server reads webhook responses the same way.
  if (type !== undefined && !/^\s*application\/json\s*(?:;|$)/i.test(type)) {
    const message = `Content-Type is not application/json; send a review as JSON (curl: -H 'Content-Type: application/json')`;
    return { code: 415, message };
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && !/^\s*(?:identity)?\s*$/i.test(encoding)) {
    const message = "Content-Encoding is not identity; send the body uncompressed";
    return { code: 415, message, headers: { "Accept-Encoding": "identity" } };
  }
  return Number(headers["content-length"] ?? 0) > maxBytes ? overLimit(maxBytes) : undefined;
}

/** Reads a body to its end, or to its limit. The promise never rejects. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, maxUndeclaredBytes, milliseconds, share }: BodyOptions,
): Promise<Body> {
  const isDeclared = request.headers["content-length"] !== undefined;
  const limit = isDeclared ? maxBytes : Math.min(maxBytes, maxUndeclaredBytes);
  const excess = limit === maxBytes ? overLimit(limit) : lengthRequired(limit);
  // A destroyed request emits no further event.
  if (request.destroyed) return Promise.resolve({ outcome: "aborted" });
  if (request.complete) return Promise.resolve(arrivedBody(request, { limit, excess, share }));
  return new Promise((resolve) => {
    const buffer = createBodyBuffer(Number(request.headers["content-length"] ?? 0));
    let length = 0;
    const timer = setTimeout(
      () => settle({ outcome: "rejected", rejection: tooSlow(milliseconds) }),
      milliseconds,
    );
    const settle = (body: Body) => {
      clearTimeout(timer);
      request.off("data", take);
      resolve(body);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) settle({ outcome: "rejected", rejection: excess });
      else if (!share.grow(chunk.length)) settle({ outcome: "rejected", rejection: overloaded });
      else buffer.add(chunk);
    };
    request.on("data", take);
    request.on("end", () => settle({ outcome: "whole", bytes: buffer.whole() }));
    // If the caller leaves, Node emits "error", then "close". After "end" neither has an effect.
    request.on("error", () => settle({ outcome: "aborted" }));
    request.on("close", () => settle({ outcome: "aborted" }));
  });
}

/**
 * The body of a request that Node has already parsed to its end, as is usual for a small one on a busy server: the whole
 * body arrived with the headers, or while the request waited for its batch. Reading it at once saves the timer, the four
 * listeners and the events of a stream.
 */
function arrivedBody(
  request: IncomingMessage,
  { limit, excess, share }: { readonly limit: number; readonly excess: Rejection; readonly share: Share },
): Body {
  const length = request.readableLength;
  if (length > limit) return { outcome: "rejected", rejection: excess };
  if (!share.grow(length)) return { outcome: "rejected", rejection: overloaded };
  const buffer = createBodyBuffer(length);
  for (let chunk = request.read(); chunk !== null; chunk = request.read()) buffer.add(chunk);
  return { outcome: "whole", bytes: buffer.whole() };
}

function overLimit(limit: number): Rejection {
  return tooLarge(`the body is larger than ${limit} bytes, the limit of this path`);
}

function lengthRequired(limit: number): Rejection {
  const message = `a body without Content-Length may have ${limit} bytes on this path; send its length`;
  return { code: 411, message };
}

function tooSlow(milliseconds: number): Rejection {
  const message = `the body did not arrive within ${milliseconds / 1000} s`;
  return { code: 408, message, headers: { Connection: "close" } };
}
