import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Request, type Response, Router } from "express";
import { type Endpoint, type Handler, reject, type ServerContext, serveReview } from "./review.ts";
import { type Rejection, rejectionOfError } from "./shared/rejection.ts";

/** The handler of each of the three endpoints. */
export interface Handlers {
  readonly convert: Handler;
  readonly mutate: Handler;
  readonly validate: Handler;
}

/** Another service on whose port this one answers. */
export interface Behind {
  /** Where API servers send its conversions. */
  readonly conversionPath: string;
  /** Answers what is at no path of this service. */
  readonly forward: RequestListener;
}

/**
 * Routes the requests of the HTTPS port. Every error that a handler throws is caught and answered here. A router of Express is
 * called without an application, which would replace the prototypes of each request and response: that slows down every later
 * use of them.
 */
export function createApp(handlers: Handlers, context: ServerContext, behind?: Behind): RequestListener {
  const router = Router({ caseSensitive: true });
  for (const endpoint of endpointsOf(handlers)) addRoutes(router, endpoint, context);
  const route: RequestListener = (request, response) => {
    // API servers send a path. Express also takes absolute URLs, even malformed ones: `http://a:99999999/convert`.
    if (!request.url?.startsWith("/")) return reject(request, response, unknownPath, context);
    if (behind !== undefined && request.url.replace(/\?.*$/s, "") === behind.conversionPath)
      request.url = `/convert${request.url.slice(behind.conversionPath.length)}`;
    // A router itself uses of both only what Node's own have.
    router(request as Request, response as Response, (error?: unknown) => {
      if (error === undefined && behind !== undefined) behind.forward(request, response);
      else if (error === undefined) reject(request, response, unknownPath, context);
      else handleError(error, request, response, context);
    });
  };
  return (request, response) => {
    const turn = context.batches.turn("route");
    if (turn === undefined) route(request, response);
    else turn.then(() => route(request, response));
  };
}

function endpointsOf(handlers: Handlers): readonly Endpoint[] {
  return [
    { path: "/convert", handler: handlers.convert },
    { path: "/mutate", handler: handlers.mutate },
    { path: "/validate", handler: handlers.validate },
  ];
}

function handleError(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): void {
  const rejection = rejectionOfError(error);
  if (rejection.code === 500) context.log.error({ err: error }, "a request failed");
  if (response.headersSent) response.destroy();
  else reject(request, response, rejection, context);
}

/** Webhook configurations may append segments of their own to a path; they have no effect and are not decoded. */
function addRoutes(router: Router, endpoint: Endpoint, context: ServerContext): void {
  router
    .route(new RegExp(`^${endpoint.path}(?:/|$)`))
    .post((request, response) => serveReview(request, response, endpoint, context))
    .all((request, response) => reject(request, response, wrongMethod, context));
}

const unknownPath: Rejection = {
  code: 404,
  message: "there is nothing at this path; reviews go to /convert, /mutate or /validate",
};

const wrongMethod: Rejection = {
  code: 405,
  message: "only POST is served at this path; send a review",
  headers: { Allow: "POST" },
};
