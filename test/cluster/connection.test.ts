import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { localSource } from "../../certs/local.ts";
import { connect } from "../../src/cluster/connection.ts";
import { kubeconfigText } from "../../src/cluster/local/kubeconfig.ts";

it.each(["POST", "PUT", "PATCH", "DELETE"])(
  "the body of a %s arrives, and the next request on the same connection is understood",
  async (method) => {
    const source = await localSource({ now: () => new Date() });
    const pair = source.current();
    source.stop();
    const sockets = new Set<unknown>();
    const server = createServer(
      { cert: pair?.certificate ?? "", key: pair?.key ?? "" },
      async (request, response) => {
        sockets.add(request.socket);
        const received = await text(request);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ method: request.method, received }));
      },
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const folder = await mkdtemp(path.join(tmpdir(), "antechamber-connection-"));
    const kubeconfig = path.join(folder, "kubeconfig");
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}`;
    await writeFile(kubeconfig, kubeconfigText({ url, ca: source.authority(), token: "one" }));
    const connection = await connect(kubeconfig);
    try {
      const body = { name: "söderzimmer" };
      const first = await connection.request(method, "/one", { body });
      expect(first.body).toEqual({ method, received: JSON.stringify(body) });
      const second = await connection.request("GET", "/two");
      expect(second).toMatchObject({ status: 200, body: { method: "GET", received: "" } });
      expect(sockets.size).toBe(1);
    } finally {
      connection.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
      await new Promise((resolve) => server.close(resolve));
    }
  },
);
