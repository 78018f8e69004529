import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { Agent, request as ask } from "node:https";
import { causeOf, type WebhookAddress } from "../cluster/api/webhook-client.ts";
import type { Behind } from "../server/app.ts";
import { notNow, rejectionBody } from "../server/shared/rejection.ts";

/** What a guard on the port of the service that a conversion webhook belongs to passes on to it. */
export function frontOf({
  url,
  ca,
  cert,
  key,
  insecure,
  serverName,
  timeout,
}: WebhookAddress): Behind & { readonly close: () => void } {
  const { origin, pathname } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: insecure !== true });
  const trust = { ca, cert, key, ...(serverName === undefined ? {} : { servername: serverName }) };
  const forward: RequestListener = (request, response) => {
    const { method, url: path = "/" } = request;
    const headers = ofMessage(request.headers);
    const call = ask(`${origin}${path}`, { ...trust, agent, method, headers, timeout });
    call.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, ofMessage(answer.headers));
      answer.once("error", () => response.destroy());
      answer.pipe(response);
    });
    call.once("timeout", () => call.destroy(new Error(`no answer within ${timeout / 1000} s`)));
    call.once("error", (error) => {
      if (response.headersSent) return void response.destroy();
      const rejection = notNow(`the upstream ${origin} cannot be used: ${causeOf(error)}`);
      response.writeHead(rejection.code, { "Content-Type": "application/json" });
      response.end(rejectionBody(rejection));
    });
    response.once("close", () => call.destroy());
    request.pipe(call);
  };
  return { conversionPath: pathname, forward, close: () => agent.destroy() };
}

/** Headers that are about a message, and not about its connection (RFC 9110, 7.6.1). */
function ofMessage(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const about = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !about.has(name)));
}
