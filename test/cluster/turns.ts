import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Endpoint } from "./balancer.ts";

/** One address for several replicas, of which any answers the next request: a balancer would give each connection to one. */
export interface Turns {
  readonly port: number;
  to(...replicas: readonly Endpoint[]): void;
  close(): Promise<void>;
}

/** Starts one, with a certificate of the folder; `pick` draws the index of the replica for each request. */
export async function startTurns(certs: string, pick: (count: number) => number): Promise<Turns> {
  const [cert, key, ca] = await Promise.all(
    ["tls.crt", "tls.key", "ca.crt"].map((file) => readFile(join(certs, file), "utf8")),
  );
  const agent = new Agent({ keepAlive: true, ca: ca ?? "" });
  let known: readonly Endpoint[] = [];
  // An API server keeps idle connections for 90 s. What it sends on one that this side just closed fails.
  const pair = { cert: cert ?? "", key: key ?? "", keepAliveTimeout: 115_000 };
  const server = createServer(pair, async (incoming, outgoing) => {
    const replica = known[pick(known.length)];
    // An API server that ends aborts its requests.
    const body = await buffer(incoming).catch(() => undefined);
    if (replica === undefined || body === undefined) return void outgoing.destroy();
    const { method = "POST", headers } = incoming;
    const onward = request({
      agent,
      host: "localhost",
      port: replica.port,
      path: incoming.url,
      method,
      headers,
    });
    onward.once("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    onward.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    to: (...replicas) => {
      known = replicas;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
