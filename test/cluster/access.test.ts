import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainAccess } from "../../src/cluster/api/access.ts";

describe("the access of a kubeconfig", () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "antechamber-access-"));
    file = path.join(folder, "kubeconfig");
    for (const name of ["ca.crt", "client.crt", "client.key"]) await writeFile(path.join(folder, name), name);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const places = { env: {}, clock: () => 0 };

  it("is the one that client-node takes from it", async () => {
    const given = (key: string, text: string, file: string) =>
      fc.constantFrom(
        {},
        { [`${key}-data`]: Buffer.from(text).toString("base64") },
        { [key]: file },
        { [key]: `./${file}` },
      );
    const cluster = fc
      .tuple(
        fc.record({
          server: fc.constantFrom("https://10.0.0.1:6443", "https://[fd00::1]/", "https://example.org/api/"),
          "insecure-skip-tls-verify": fc.constantFrom(undefined, true, false),
          "tls-server-name": fc.constantFrom(undefined, "api.example.org"),
        }),
        given("certificate-authority", "authority", "ca.crt"),
      )
      .map((parts) => Object.assign({}, ...parts));
    const user = fc
      .tuple(
        given("client-certificate", "certificate", "client.crt"),
        given("client-key", "key", "client.key"),
        fc.constantFrom({}, { token: "secret" }),
      )
      .map((parts) => Object.assign({}, ...parts));
    await fc.assert(
      fc.asyncProperty(cluster, user, async (cluster, user) => {
        await writeFile(file, configWith(cluster, user));
        const access = await plainAccess(file, places);
        const config = new KubeConfig();
        config.loadFromFile(file);
        expect(access?.server).toBe(config.getCurrentCluster()?.server);
        expect(textOf((await access?.credentials()) ?? {})).toEqual(await optionsOf(config));
      }),
      { numRuns: 200 },
    );
  });

  it("prefers what the kubeconfig contains to what it names, as kubectl does", async () => {
    const data = { "client-key": "client.key", "client-key-data": Buffer.from("key").toString("base64") };
    await writeFile(file, configWith({ server: "https://a" }, data));
    expect(await (await plainAccess(file, places))?.credentials()).toEqual({ key: "key" });
  });

  it("is read again from its files after a minute", async () => {
    let now = 0;
    const renewed = path.join(folder, "renewed.crt");
    await writeFile(file, configWith({ server: "https://a", "certificate-authority": "renewed.crt" }, {}));
    await writeFile(renewed, "one");
    const access = await plainAccess(file, { env: {}, clock: () => now });
    expect(await access?.credentials()).toEqual({ ca: "one" });
    await writeFile(renewed, "two");
    now = 59_999;
    expect(await access?.credentials()).toEqual({ ca: "one" });
    now = 60_000;
    expect(await access?.credentials()).toEqual({ ca: "two" });
  });

  it.each([
    ["a program", {}, { exec: { command: "aws" } }],
    ["a provider", {}, { "auth-provider": { name: "oidc" } }],
    ["a password", {}, { username: "ida", password: "secret" }],
    ["another user", {}, { token: "secret", as: "ida" }],
    ["a proxy", { "proxy-url": "http://proxy" }, {}],
    ["plain HTTP", { server: "http://a" }, {}],
  ])("is left to client-node with %s", async (_, cluster, user) => {
    await writeFile(file, configWith({ server: "https://a", ...cluster }, user));
    expect(await plainAccess(file, places)).toBeUndefined();
  });

  it.each([
    "",
    "{",
    "a: 1\n---\nb: 2\n",
    configWith({ server: "https://a" }, {}).replace('"current', '"x-current'),
  ])("is left to client-node, which says what is wrong, for a file like %j", async (text) => {
    await writeFile(file, text);
    expect(await plainAccess(file, places)).toBeUndefined();
  });

  it("is that of the service account in a pod without a kubeconfig, as client-node takes it", async () => {
    const account = path.join(folder, "var/run/secrets/kubernetes.io/serviceaccount");
    await mkdir(account, { recursive: true });
    await writeFile(path.join(account, "token"), "secret");
    await writeFile(path.join(account, "ca.crt"), "authority");
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443", HOME: folder };
    const access = await plainAccess(undefined, { ...places, env, root: folder });
    Object.assign(process.env, { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" });
    const config = new KubeConfig();
    try {
      config.loadFromCluster(folder);
    } finally {
      delete process.env.KUBERNETES_SERVICE_HOST;
      delete process.env.KUBERNETES_SERVICE_PORT;
    }
    expect(access?.server).toBe(config.getCurrentCluster()?.server);
    // client-node states the default.
    const { rejectUnauthorized: _, ...options } = await optionsOf(config);
    expect(textOf((await access?.credentials()) ?? {})).toEqual(options);
    for (const other of [{ KUBECONFIG: "a:b" }, { KUBERNETES_SERVICE_HOST: "" }])
      expect(
        await plainAccess(undefined, { ...places, env: { ...env, ...other }, root: folder }),
      ).toBeUndefined();
    await mkdir(path.join(folder, ".kube"));
    await writeFile(path.join(folder, ".kube/config"), "");
    expect(await plainAccess(undefined, { ...places, env, root: folder })).toBeUndefined();
  });
});

function configWith(cluster: object, user: object): string {
  return JSON.stringify({
    clusters: [
      { name: "other", cluster: { server: "https://other" } },
      { name: "home", cluster },
    ],
    users: [{ name: "ida", user }],
    contexts: [{ name: "here", context: { cluster: "home", user: "ida" } }],
    "current-context": "here",
  });
}

type Options = Pick<RequestOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized" | "headers">;

/** What client-node adds to a request, without its agent. */
async function optionsOf(config: KubeConfig) {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  return textOf(options);
}

function textOf({ ca, cert, key, servername, rejectUnauthorized, headers = {} }: Options) {
  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const all = { ca, cert, key, servername, rejectUnauthorized, authorization };
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
