import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../../errors.ts";
import { pageWith } from "../../play/page-file.ts";
import type { Example } from "../../play/state.ts";

/** What the server shows, and where. */
interface Shown {
  /** The text of the page, as it was built. */
  readonly page: string;
  /** The examples as they are now. */
  readonly examples: () => Promise<readonly Example[]>;
  /** 0 for any port that is free. */
  readonly port: number;
}

/** A server of the page on this machine. */
export interface PlayServer {
  readonly url: string;
  /** Sends the examples anew to all pages that are open. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Pages that may be open at once; each holds a connection. */
const mostPages = 50;

/**
 * Serves the page on loopback. It answers two paths, to requests that name this server as their host: another site that had its
 * name point here would get nothing.
 * @throws {UsageError} if the port is taken
 */
export async function startPlayServer({ page, examples, port }: Shown): Promise<PlayServer> {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => void answer(request, response));
  server.maxConnections = 4 * mostPages;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
    if (!hostsOf(address().port).includes(headers.host ?? ""))
      return refuse(response, 421, "this server is for this machine");
    if (method !== "GET" && method !== "HEAD") return refuse(response, 405, "only GET is answered");
    if (url === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(pageWith(page, { examples: await examples(), live: "/events" }));
    } else if (url === "/events" && method === "GET") {
      if (open.size >= mostPages) return refuse(response, 503, `${mostPages} pages are open already`);
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      open.add(response);
      response.on("close", () => open.delete(response));
    } else refuse(response, 404, "there is / alone");
  }

  const address = () => server.address() as AddressInfo;
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    throw new UsageError(`port ${port} cannot be used: ${(error as Error).message}; --port names another`);
  }
  return {
    url: `http://127.0.0.1:${address().port}/`,
    refresh: async () => {
      const event = `data: ${JSON.stringify(await examples())}\n\n`;
      for (const response of open) response.write(event);
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
}

/** The policy of the page itself stands in it; this is what only a header can say. */
const always = {
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

function hostsOf(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

function refuse(response: ServerResponse, code: number, sentence: string): void {
  response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(`${sentence}\n`);
}
