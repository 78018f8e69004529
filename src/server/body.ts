import type { IncomingMessage } from "node:http";
import { gather } from "./body-buffer.ts";
import type { Share } from "./memory.ts";
import { overloaded, type Rejection, tooLarge } from "./rejection.ts";

/** What came of reading a body. */
export type Body =
  | { readonly outcome: "whole"; readonly bytes: Buffer }
  | { readonly outcome: "rejected"; readonly rejection: Rejection }
  /** The caller went away; there is nobody to answer. */
  | { readonly outcome: "aborted" };

/** How much a body may hold, and for how long. */
export interface BodyOptions {
  readonly limit: number;
  /** The same for a body whose length was not declared. */
  readonly undeclaredLimit: number;
  readonly milliseconds: number;
  readonly share: Share;
}

/** What is wrong with a body by its headers, before a byte of it is read. */
export function rejectionOfHeaders({ headers }: IncomingMessage, limit: number): Rejection | undefined {
  const type = headers["content-type"];
  // Absent is read as JSON, as an API server reads ours (kubernetes.md 1.6).
  if (type !== undefined && !/^\s*application\/json\s*(?:;|$)/i.test(type)) {
    const message = `Content-Type is not application/json; send a review as JSON (curl: -H 'Content-Type: application/json')`;
    return { code: 415, message };
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && !/^\s*(?:identity)?\s*$/i.test(encoding)) {
    const message = "Content-Encoding is not identity; send the body uncompressed";
    return { code: 415, message, headers: { "Accept-Encoding": "identity" } };
  }
  return Number(headers["content-length"] ?? 0) > limit ? overLimit(limit) : undefined;
}

/** Reads a body to its end, or to its limit. Never rejects. */
export function readBody(
  request: IncomingMessage,
  { limit: declaredLimit, undeclaredLimit, milliseconds, share }: BodyOptions,
): Promise<Body> {
  const isDeclared = request.headers["content-length"] !== undefined;
  const limit = isDeclared ? declaredLimit : Math.min(declaredLimit, undeclaredLimit);
  const excess = limit === declaredLimit ? overLimit(limit) : undeclared(limit);
  // Whoever left before anybody listened is not heard of again.
  if (request.destroyed) return Promise.resolve({ outcome: "aborted" });
  // A small body comes with its headers, and nobody need listen for it.
  if (request.complete) return Promise.resolve(bodyThatCame(request, { limit, excess, share }));
  return new Promise((resolve) => {
    const gathering = gather(Number(request.headers["content-length"] ?? 0));
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
      else gathering.add(chunk);
    };
    request.on("data", take);
    request.on("end", () => settle({ outcome: "whole", bytes: gathering.whole() }));
    // A caller who goes away: "error", then "close". After "end" both come too late to matter.
    request.on("error", () => settle({ outcome: "aborted" }));
    request.on("close", () => settle({ outcome: "aborted" }));
  });
}

function bodyThatCame(
  request: IncomingMessage,
  { limit, excess, share }: { readonly limit: number; readonly excess: Rejection; readonly share: Share },
): Body {
  const length = request.readableLength;
  if (length > limit) return { outcome: "rejected", rejection: excess };
  if (!share.grow(length)) return { outcome: "rejected", rejection: overloaded };
  const gathering = gather(length);
  for (let chunk = request.read(); chunk !== null; chunk = request.read()) gathering.add(chunk);
  return { outcome: "whole", bytes: gathering.whole() };
}

function overLimit(limit: number): Rejection {
  return tooLarge(`the body is larger than ${limit} bytes, the limit of this path`);
}

function undeclared(limit: number): Rejection {
  const message = `a body without Content-Length may have ${limit} bytes on this path; say how long it is`;
  return { code: 411, message };
}

function tooSlow(milliseconds: number): Rejection {
  const message = `the body did not come within ${milliseconds / 1000} s`;
  return { code: 408, message, headers: { Connection: "close" } };
}
