import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { type Refusal, refusalOf } from "./refusal.ts";
import { type Desk, type Lane, type Road, serveReview, turnAway } from "./review.ts";

/** The three roads of reviews. */
export interface Roads {
  readonly convert: Road;
  readonly mutate: Road;
  readonly validate: Road;
}

/** The routes of the HTTPS port. Everything that is thrown on them is caught here, and answered. */
export function createApp(roads: Roads, desk: Desk): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  const lanes = lanesOf(roads, desk);
  for (const [path, lane] of lanes) addRoad(app, path, lane, desk);
  app.use((request: Request, response: Response) => turnAway(request, response, strangePath, desk));
  // Express knows a handler of errors by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    fail(error, request, response, desk),
  );
  const route: RequestListener = (request, response) => {
    const { method, url = "" } = request;
    const lane = method === "POST" ? lanes.get(pathOf(url)) : undefined;
    // What an API server sends needs no router, which takes a tenth of a small review's CPU.
    if (lane !== undefined) {
      serveReview(request, response, lane, desk).catch((error) => fail(error, request, response, desk));
    } else if (url.startsWith("/")) app(request, response);
    // Express itself would answer, in HTML, a target that it cannot parse: `http://[/convert`.
    else turnAway(request, response, strangePath, desk);
  };
  return (request, response) => {
    response.on("close", desk.batches.enter());
    const turn = desk.batches.turn("route");
    if (turn === undefined) route(request, response);
    else turn.then(() => route(request, response));
  };
}

function lanesOf(roads: Roads, { limits }: Desk): ReadonlyMap<string, Lane> {
  const { admissionBytes, conversionBytes } = limits;
  return new Map<string, Lane>([
    ["/convert", { path: "/convert", road: roads.convert, limit: conversionBytes }],
    ["/mutate", { path: "/mutate", road: roads.mutate, limit: admissionBytes }],
    ["/validate", { path: "/validate", road: roads.validate, limit: admissionBytes }],
  ]);
}

/** The path of a URL as it stands there. */
function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function fail(error: unknown, request: IncomingMessage, response: ServerResponse, desk: Desk): void {
  const refusal = refusalOf(error);
  if (refusal.code === 500) desk.log.error({ err: error }, "a request failed");
  if (response.headersSent) response.destroy();
  else turnAway(request, response, refusal, desk);
}

/** Further segments are for webhook configurations that want to name one; they mean nothing here, and are not even decoded. */
function addRoad(app: Express, path: string, lane: Lane, desk: Desk): void {
  app
    .route(new RegExp(`^${path}(?:/|$)`))
    .post((request, response) => serveReview(request, response, lane, desk))
    .all((request, response) => turnAway(request, response, strangeMethod, desk));
}

const strangePath: Refusal = {
  code: 404,
  message: "there is nothing at this path; reviews go to /convert, /mutate or /validate",
};

const strangeMethod: Refusal = {
  code: 405,
  message: "only POST is served at this path; send a review",
  headers: { Allow: "POST" },
};
