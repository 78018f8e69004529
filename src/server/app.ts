import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import express, { type Request, type Response, type Router } from "express";
import { type Rejection, rejectionOf } from "./rejection.ts";
import { type Endpoint, type Handler, reject, type ServerContext, serveReview } from "./review.ts";

/** The three handlers of reviews. */
export interface Handlers {
  readonly convert: Handler;
  readonly mutate: Handler;
  readonly validate: Handler;
}

/**
 * The routes of the HTTPS port. Everything that is thrown on them is caught here, and answered. The router is Express' own,
 * without its application: that gives each request and response another prototype, which slows down every later use.
 */
export function createApp(handlers: Handlers, context: ServerContext): RequestListener {
  const router = express.Router({ caseSensitive: true });
  for (const endpoint of endpointsOf(handlers, context)) addRoute(router, endpoint, context);
  const route: RequestListener = (request, response) => {
    // API servers send a path. Express would take absolute URLs too, also those that are not well formed: `http://a:99999999/convert`.
    if (!request.url?.startsWith("/")) return reject(request, response, unknownPath, context);
    router(request as Request, response as Response, (error?: unknown) => {
      if (error === undefined) reject(request, response, unknownPath, context);
      else fail(error, request, response, context);
    });
  };
  return (request, response) => {
    response.on("close", context.batches.enter());
    const turn = context.batches.turn("route");
    if (turn === undefined) route(request, response);
    else turn.then(() => route(request, response));
  };
}

function endpointsOf(handlers: Handlers, { limits }: ServerContext): readonly Endpoint[] {
  const { admissionBytes, conversionBytes } = limits;
  return [
    { path: "/convert", handler: handlers.convert, limit: conversionBytes },
    { path: "/mutate", handler: handlers.mutate, limit: admissionBytes },
    { path: "/validate", handler: handlers.validate, limit: admissionBytes },
  ];
}

function fail(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): void {
  const rejection = rejectionOf(error);
  if (rejection.code === 500) context.log.error({ err: error }, "a request failed");
  if (response.headersSent) response.destroy();
  else reject(request, response, rejection, context);
}

/** Further segments are for webhook configurations that want to name one; they mean nothing here, and are not even decoded. */
function addRoute(router: Router, endpoint: Endpoint, context: ServerContext): void {
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
