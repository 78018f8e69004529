import { createServer, type RequestListener, type Server } from "node:http";
import type { Logger } from "pino";
import type { Metrics } from "./metrics.ts";

/** What the ops port tells. */
export interface OpsOptions {
  readonly metrics: Metrics;
  /** One sentence for each reason why no review should be sent here now. */
  readonly obstacles: () => readonly string[];
  readonly log: Logger;
}

/** The server of the ops port: plain HTTP for kubelets and Prometheus. It does not listen yet. */
export function createOps(options: OpsOptions): Server {
  return createServer(createOpsListener(options));
}

type Page = () => { readonly code: number; readonly type?: string; readonly text: string | Promise<string> };

function createOpsListener({ metrics, obstacles, log }: OpsOptions): RequestListener {
  const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
    ["/livez", () => ({ code: 200, text: "ok\n" })],
    ["/readyz", () => readiness(obstacles())],
    ["/metrics", () => ({ code: 200, type: metrics.contentType, text: metrics.text() })],
  ]);
  return async (request, response) => {
    const send = (code: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(code, {
        "Content-Type": plain,
        "Content-Length": Buffer.byteLength(text),
        ...headers,
      });
      response.end(text);
    };
    try {
      const page = pages.get((request.url ?? "").replace(/[?#].*$/s, ""));
      if (page === undefined) return send(404, `no such page; there are ${[...pages.keys()].join(", ")}\n`);
      if (request.method !== "GET" && request.method !== "HEAD") {
        return send(405, "only GET and HEAD here\n", { Allow: "GET, HEAD" });
      }
      const { code, type = plain, text } = page();
      send(code, await text, { "Content-Type": type, "Cache-Control": "no-store" });
    } catch (error) {
      log.error({ err: error }, "the ops port failed");
      send(500, "the service failed here; its log says more\n");
    }
  };
}

function readiness(obstacles: readonly string[]): ReturnType<Page> {
  if (obstacles.length === 0) return { code: 200, text: "ok\n" };
  return { code: 503, text: obstacles.map((sentence) => `${sentence}\n`).join("") };
}

const plain = "text/plain; charset=utf-8";
