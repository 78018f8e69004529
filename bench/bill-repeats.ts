// Stands before a webhook and counts which reviews ask again what was asked before, byte for byte.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { webhookClient } from "../src/cluster/api/webhook-client.ts";

/** What was asked at one endpoint. */
export interface Repeats {
  asked: number;
  /** Of those, what was asked within the second, and within the minute, before. */
  second: number;
  minute: number;
}

/** A server that passes reviews on. */
export interface Counter {
  readonly port: number;
  /** By the path. */
  readonly counts: ReadonlyMap<string, Repeats>;
  readonly close: () => void;
}

/** Counts on the way to a port of this machine, with the certificate of a folder. */
export async function startCounter(port: number, tls: string): Promise<Counter> {
  const [cert, key, ca] = ["tls.crt", "tls.key", "ca.crt"].map((file) =>
    readFileSync(path.join(tls, file), "utf8"),
  );
  const counts = new Map<string, Repeats>();
  const last = new Map<string, number>();
  const clients = new Map<string, ReturnType<typeof webhookClient>>();
  const server = createServer({ cert, key }, async (request, response) => {
    const at = new URL(request.url ?? "", "https://localhost").pathname;
    const body = await text(request);
    const count = counts.get(at) ?? { asked: 0, second: 0, minute: 0 };
    counts.set(at, count);
    const key = digest(at, body);
    const ago = performance.now() - (last.get(key) ?? Number.NEGATIVE_INFINITY);
    last.set(key, performance.now());
    count.asked++;
    if (ago < 1000) count.second++;
    if (ago < 60_000) count.minute++;
    const url = `https://localhost:${port}${request.url}`;
    const client =
      clients.get(at) ?? webhookClient({ url, ...(ca === undefined ? {} : { ca }), timeout: 30_000 });
    clients.set(at, client);
    let reply = await client.post(body);
    // A kept connection may be closed just as it is used.
    if (reply.state !== "answered") reply = await client.post(body);
    if (reply.state !== "answered") throw new Error(reply.sentence);
    response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.text);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    close: () => {
      for (const client of clients.values()) client.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Each review has an uid of its own; all else counts. */
function digest(at: string, body: string): string {
  const { request } = JSON.parse(body);
  return createHash("sha256")
    .update(at)
    .update(JSON.stringify({ ...request, uid: "" }))
    .digest("base64");
}
