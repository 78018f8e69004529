import type { IncomingMessage } from "node:http";
import { overloaded, type Rejection } from "../shared/rejection.ts";
import { tooLarge } from "../shared/too-large.ts";
import type { Share } from "./memory.ts";

/** The outcome of reading a body. */
type Body =
  | { readonly outcome: "whole"; readonly bytes: Buffer }
  | { readonly outcome: "rejected"; readonly rejection: Rejection }
  /** The caller closed the connection; no response can be sent. */
  | { readonly outcome: "aborted" };

/** The limits that a body is read under. */
interface BodyOptions {
  readonly maxBytes: number;
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
  return Number(headers["content-length"] ?? 0) > maxBytes ? tooLarge.body(maxBytes) : undefined;
}

/** Reads a body to its end, or to its limit. The promise never rejects. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, milliseconds, share }: BodyOptions,
): Promise<Body> {
  // A destroyed request emits no further event.
  if (request.destroyed) return Promise.resolve({ outcome: "aborted" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
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
      if (length > maxBytes) settle({ outcome: "rejected", rejection: tooLarge.body(maxBytes) });
      else if (!share.grow(chunk.length)) settle({ outcome: "rejected", rejection: overloaded });
      else chunks.push(chunk);
    };
    request.on("data", take);
    request.on("end", () => settle({ outcome: "whole", bytes: joined(chunks) }));
    // If the caller leaves, Node emits "error", then "close". After "end" neither has an effect.
    request.on("error", () => settle({ outcome: "aborted" }));
    request.on("close", () => settle({ outcome: "aborted" }));
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

function tooSlow(milliseconds: number): Rejection {
  const message = `the body did not arrive within ${milliseconds / 1000} s`;
  return { code: 408, message, headers: { Connection: "close" } };
}
