import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { createServer } from "./shared/http.ts";
import type { Metrics } from "./shared/metrics.ts";

/** What the ops port serves. */
interface OpsOptions {
  readonly metrics: Metrics;
  /** Why the service is not ready, a sentence for each reason; empty if it is. */
  readonly obstacles: () => readonly string[];
  /** What is wrong although the service is ready, a sentence for each. */
  readonly warnings: () => readonly string[];
  /** A sentence if this process does not work any more and must be restarted. */
  readonly failure: () => Promise<string | undefined>;
  readonly log: Logger;
}

/** Makes the server of the ops port: plain HTTP, for kubelets and Prometheus. It does not listen yet. */
export function createOps(options: OpsOptions): Server {
  const server = createServer(createOpsListener(options));
  // A kubelet must get in however many connections others hold: the oldest one makes room. Requests take milliseconds here.
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const [oldest] = open;
    if (open.size > maxConnections) oldest?.destroy();
  });
  return server;
}

const maxConnections = 128;

interface Content {
  readonly code: number;
  readonly type?: string;
  readonly text: string;
}

type Page = () => Content | Promise<Content>;

function createOpsListener({ metrics, obstacles, warnings, failure, log }: OpsOptions): RequestListener {
  const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
    ["/livez", async () => health([await failure()].filter((fault) => fault !== undefined))],
    ["/readyz", () => health(obstacles(), warnings())],
    ["/metrics", async () => ({ code: 200, type: metrics.contentType, text: await metrics.text() })],
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
      const { code, type = plain, text } = await page();
      send(code, text, { "Content-Type": type, "Cache-Control": "no-store" });
    } catch (error) {
      log.error({ err: error }, "the ops port failed");
      send(500, "the service failed here; its log says more\n");
    }
  };
}

function health(faults: readonly string[], warnings: readonly string[] = []): Content {
  if (faults.length === 0)
    return { code: 200, text: ["ok", ...warnings.map((sentence) => `but ${sentence}`), ""].join("\n") };
  return { code: 503, text: faults.map((sentence) => `${sentence}\n`).join("") };
}

const plain = "text/plain; charset=utf-8";
