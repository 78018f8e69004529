import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import express, { type Request, type Response, type Router } from "express";
import { type Refusal, refusalOf } from "./refusal.ts";
import { type Desk, type Lane, type Road, serveReview, turnAway } from "./review.ts";

/** The three roads of reviews. */
export interface Roads {
  readonly convert: Road;
  readonly mutate: Road;
  readonly validate: Road;
}

/**
 * The routes of the HTTPS port. Everything that is thrown on them is caught here, and answered. The router is Express' own,
 * without its application: that gives each request and response another prototype, which slows down every later use.
 */
export function createApp(roads: Roads, desk: Desk): RequestListener {
  const router = express.Router({ caseSensitive: true });
  for (const lane of lanesOf(roads, desk)) addRoute(router, lane, desk);
  const route: RequestListener = (request, response) => {
    // API servers send a path. Express would take absolute URLs too, also those that are not well formed: `http://a:99999999/convert`.
    if (!request.url?.startsWith("/")) return turnAway(request, response, unknownPath, desk);
    router(request as Request, response as Response, (error?: unknown) => {
      if (error === undefined) turnAway(request, response, unknownPath, desk);
      else fail(error, request, response, desk);
    });
  };
  return (request, response) => {
    response.on("close", desk.batches.enter());
    const turn = desk.batches.turn("route");
    if (turn === undefined) route(request, response);
    else turn.then(() => route(request, response));
  };
}

function lanesOf(roads: Roads, { limits }: Desk): readonly Lane[] {
  const { admissionBytes, conversionBytes } = limits;
  return [
    { path: "/convert", road: roads.convert, limit: conversionBytes },
    { path: "/mutate", road: roads.mutate, limit: admissionBytes },
    { path: "/validate", road: roads.validate, limit: admissionBytes },
  ];
}

function fail(error: unknown, request: IncomingMessage, response: ServerResponse, desk: Desk): void {
  const refusal = refusalOf(error);
  if (refusal.code === 500) desk.log.error({ err: error }, "a request failed");
  if (response.headersSent) response.destroy();
  else turnAway(request, response, refusal, desk);
}

/** Further segments are for webhook configurations that want to name one; they mean nothing here, and are not even decoded. */
function addRoute(router: Router, lane: Lane, desk: Desk): void {
  router
    .route(new RegExp(`^${lane.path}(?:/|$)`))
    .post((request, response) => serveReview(request, response, lane, desk))
    .all((request, response) => turnAway(request, response, wrongMethod, desk));
}

const unknownPath: Refusal = {
  code: 404,
  message: "there is nothing at this path; reviews go to /convert, /mutate or /validate",
};

const wrongMethod: Refusal = {
  code: 405,
  message: "only POST is served at this path; send a review",
  headers: { Allow: "POST" },
};
