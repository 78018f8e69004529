import type { ServerResponse } from "node:http";
import { createRequire } from "node:module";

/**
 * What the router of Express reads of a request, and what it writes to it. It is given this in place of the request, to which
 * it would add eight properties: every later use of the request by Node would be slower.
 */
export class Routed<Request> {
  readonly request: Request;
  readonly method: string | undefined;
  readonly url: string;
  readonly originalUrl: string;
  readonly baseUrl = "";
  readonly params = undefined;
  readonly route = undefined;
  readonly next = undefined;
  readonly _parsedUrl = undefined;

  constructor(request: Request, method: string | undefined, url: string) {
    this.request = request;
    this.method = method;
    this.url = url;
    this.originalUrl = url;
  }
}

type Handler<Request> = (routed: Routed<Request>, response: ServerResponse) => unknown;

/** A path of a router. */
interface Route<Request> {
  readonly post: (handler: Handler<Request>) => Route<Request>;
  readonly all: (handler: Handler<Request>) => Route<Request>;
}

/** A router of Express: calls the handler of a route, or `done` where there is none and where a handler fails. */
export interface Router<Request> {
  (routed: Routed<Request>, response: ServerResponse, done: (error?: unknown) => void): void;
  readonly route: (path: RegExp) => Route<Request>;
}

/**
 * The router of Express. The rest of Express, which serves files, renders views and parses bodies, is not loaded: that took 40 ms of
 * the start and 12 MiB.
 */
export const expressRouter: <Request>(options: { readonly caseSensitive: boolean }) => Router<Request> =
  ofExpress("router");

function ofExpress(name: string) {
  const own = createRequire(import.meta.url);
  return createRequire(own.resolve("express"))(name);
}
