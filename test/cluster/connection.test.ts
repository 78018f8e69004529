import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { localSource } from "../../certs/local.ts";
import { connect } from "../../src/cluster/api/connection.ts";
import { kubeconfigText } from "../../src/cluster/local/kubeconfig.ts";

const methods = ["POST", "PUT", "PATCH", "DELETE"];
/** By a token, which is read here, and as another user, which client-node knows. */
const users = [{ token: "one" }, { token: "one", as: "ida" }];

it.each(methods.flatMap((method) => users.map((user) => ({ method, user }))))(
  "the body of a $method by $user arrives, and the next request on the same connection is understood",
  async ({ method, user }) => {
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
        const { authorization, "impersonate-user": as } = request.headers;
        response.end(JSON.stringify({ method: request.method, received, authorization, as }));
      },
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const folder = await mkdtemp(path.join(tmpdir(), "antechamber-connection-"));
    const kubeconfig = path.join(folder, "kubeconfig");
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}`;
    const config = JSON.parse(kubeconfigText({ url, ca: source.authority(), token: "" }));
    config.users[0].user = user;
    await writeFile(kubeconfig, JSON.stringify(config));
    const connection = await connect(kubeconfig);
    try {
      const body = { name: "söderzimmer" };
      const first = await connection.request(method, "/one", { body });
      const credentials = { authorization: "Bearer one", ...("as" in user ? { as: user.as } : {}) };
      expect(first.body).toEqual({ method, received: JSON.stringify(body), ...credentials });
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

it("a kubeconfig that is not read without an optional package says what to install", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-connection-"));
  const kubeconfig = path.join(folder, "kubeconfig");
  const config = JSON.parse(kubeconfigText({ url: "https://127.0.0.1:1", ca: "ca", token: "" }));
  config.users[0].user = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "login" } };
  await writeFile(kubeconfig, JSON.stringify(config));
  const withoutPackage = `import { registerHooks } from "node:module";
registerHooks({ resolve(specifier, context, next) {
  if (specifier !== "@kubernetes/client-node") return next(specifier, context);
  throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" });
} });`;
  const hook = `data:text/javascript,${encodeURIComponent(withoutPackage)}`;
  const args = ["--import", hook, "src/cli.ts", "migrate", "rooms", "--kubeconfig", kubeconfig];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  await rm(folder, { recursive: true });
  expect(stderr).toContain("npm install @kubernetes/client-node");
  expect(status).toBe(2);
});
