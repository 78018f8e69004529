import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { writeJson } from "../../src/json/exact.ts";
import { get, isArray } from "../../src/json/json.ts";
import { type Binaries, kubernetesVersion, leftOut, releaseOf, requireBinaries } from "./binaries.ts";
import type { WatchEvent } from "./client.ts";
import { establishCrd } from "./crd.ts";
import { type ApiServer, startApiServer } from "./server.ts";

const binaries = requireBinaries();
if (binaries === undefined) it(leftOut, () => {});
else describe("a real API server", () => claims(binaries));

const exactly = "9007199254740993"; // 2^53 + 1, which no double holds

function claims(binaries: Binaries): void {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
  }, 100_000);
  afterAll(() => server?.stop());

  it("is ready, and of the requested release", async () => {
    expect(await server.request("GET", "/readyz")).toMatchObject({
      status: 200,
      text: "ok",
      body: undefined,
    });
    const { body } = await server.request("GET", "/version");
    if (binaries.layout === "one process")
      expect(get(body, "gitVersion")).toBe(kubernetesVersion(releaseOf(process.env)));
    else expect(get(body, "gitVersion")).toMatch(/^v1\./);
  });

  it("stores what a REST client sends, and kubectl reads it", async () => {
    await createNamespace(server, "by-rest");
    const path = "/api/v1/namespaces/by-rest/configmaps";
    const sent = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "note" },
      data: { colour: "blue" },
    };
    expect(await server.request("POST", path, { body: sent })).toMatchObject({ status: 201 });
    expect(
      await server.request("PATCH", `${path}/note`, { body: { data: { colour: "red" } } }),
    ).toMatchObject({
      status: 200,
      body: { data: { colour: "red" } },
    });
    const read = await server.kubectl([
      "get",
      "configmap",
      "note",
      "-n",
      "by-rest",
      "-o",
      "jsonpath={.data.colour}",
    ]);
    expect(read).toEqual({ code: 0, stdout: "red", stderr: "" });
  });

  it("stores what kubectl applies from standard input, and a REST client reads it", async () => {
    const input = "{apiVersion: v1, kind: Namespace, metadata: {name: by-kubectl}}\n---\n";
    const note =
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: note, namespace: by-kubectl}, data: {a: b}}\n";
    expect(await server.kubectl(["apply", "-f", "-"], { input: input + note })).toMatchObject({ code: 0 });
    expect(await server.request("GET", "/api/v1/namespaces/by-kubectl/configmaps/note")).toMatchObject({
      status: 200,
      body: { data: { a: "b" } },
    });
  });

  it("grants other users nothing", async () => {
    const asked = await server.kubectl(["get", "secrets", "-n", "default"], { as: "jane" });
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toContain('User "jane" cannot list resource "secrets"');
    const unauthenticated = { authorization: "Bearer invalid" };
    expect(await server.request("GET", "/api", { headers: unauthenticated })).toMatchObject({ status: 401 });
  });

  it("answers a rejected request with a status, not an exception", async () => {
    const { status, body } = await server.request("GET", "/api/v1/namespaces/nowhere");
    expect(status).toBe(404);
    expect(get(body, "reason")).toBe("NotFound");
  });

  it("sends events to a watch until it is stopped", async () => {
    await createNamespace(server, "watched");
    const path = "/api/v1/namespaces/watched/configmaps";
    const seen: string[] = [];
    const firstTwo = Promise.withResolvers<void>();
    const watch = await server.watch(path, ({ type, object }: WatchEvent) => {
      seen.push(`${type} ${get(object, "metadata", "name")}`);
      if (seen.length === 2) firstTwo.resolve();
    });
    await createConfigMap(server, path, "one");
    await server.request("DELETE", `${path}/one`);
    await firstTwo.promise;
    watch.stop();
    await watch.ended;
    await createConfigMap(server, path, "two");
    expect(seen).toEqual(["ADDED one", "DELETED one"]);
  });

  it("reports what it waited for if that does not happen", async () => {
    await createNamespace(server, "quiet");
    const path = "/api/v1/namespaces/quiet/configmaps";
    await createConfigMap(server, path, "only");
    await expect(server.until(path, () => false, 200)).rejects.toThrow(
      /quiet.*not seen within 200 ms.*"only"/,
    );
    await expect(server.until("/api/v1/nonsense", () => true)).rejects.toThrow("404");
  });

  it("serves a kind as soon as its CRD is established, integers exact", async () => {
    await establishCrd(server, counterCrd);
    const path = "/apis/test.antechamber.dev/v1/counters";
    const text = `{"apiVersion":"test.antechamber.dev/v1","kind":"Counter","metadata":{"name":"c"},"spec":{"count":${exactly}}}`;
    expect(await server.request("POST", path, { body: Buffer.from(text) })).toMatchObject({ status: 201 });
    const { body } = await server.request("GET", path);
    const items = get(body, "items");
    expect(isArray(items) && writeJson(get(items[0], "spec") ?? null)).toBe(`{"count":${exactly}}`);
    const asked = await server.kubectl(["get", "counters", "-o", "name"]);
    expect(asked.stdout).toBe("counter.test.antechamber.dev/c\n");
  });

  it("accepts kube-apiserver's flags, runs beside others, and leaves neither process nor directory behind", async () => {
    const other = await startApiServer({ flags: ["--runtime-config=batch/v1=false"] });
    expect(other.url).not.toBe(server.url);
    await createNamespace(other, "elsewhere");
    expect(await server.request("GET", "/api/v1/namespaces/elsewhere")).toMatchObject({ status: 404 });
    expect(await other.request("GET", "/apis/batch/v1")).toMatchObject({ status: 404 });
    expect(await server.request("GET", "/apis/batch/v1")).toMatchObject({ status: 200 });

    const open = await other.watch("/api/v1/namespaces", () => {});
    await other.stop();
    await open.ended;
    expect(isAlive(other.pid)).toBe(false);
    expect(existsSync(other.dir)).toBe(false);
    await expect(fetch(other.url)).rejects.toThrow();
    await other.stop();
  }, 100_000);

  it("does not start with an unknown flag, and the error has kube-apiserver's message", async () => {
    await expect(startApiServer({ flags: ["--no-such-flag"] })).rejects.toThrow(
      "unknown flag: --no-such-flag",
    );
  });

  it("ends with a test run that is killed", async () => {
    const run = spawn(process.execPath, [join(import.meta.dirname, "main.ts")]);
    const dir = await new Promise<string>((resolve, reject) => {
      run.once("close", () => reject(new Error("ended too early")));
      createInterface({ input: run.stdout }).once("line", (line) =>
        resolve(dirname(line.replace("export KUBECONFIG=", ""))),
      );
    });
    expect(existsSync(dir)).toBe(true);
    run.kill("SIGKILL");
    await vi.waitFor(() => expect(existsSync(dir)).toBe(false), { timeout: 15_000 });
  }, 100_000);

  if (binaries.layout === "one process") {
    it("empties a deleted namespace, and removes it", async () => {
      await createNamespace(server, "doomed");
      await createConfigMap(server, "/api/v1/namespaces/doomed/configmaps", "also");
      const gone = server.until(
        "/api/v1/namespaces?fieldSelector=metadata.name=doomed",
        ({ type }) => type === "DELETED",
      );
      await server.request("DELETE", "/api/v1/namespaces/doomed");
      await gone; // five seconds: the controller waits for other API servers, which there are none of
      expect(await server.request("GET", "/api/v1/namespaces/doomed")).toMatchObject({ status: 404 });
    }, 40_000);
  }
}

const counterCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "counters.test.antechamber.dev" },
  spec: {
    group: "test.antechamber.dev",
    scope: "Cluster",
    names: { plural: "counters", kind: "Counter" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { count: { type: "integer", format: "int64" } } },
            },
          },
        },
      },
    ],
  },
};

async function createNamespace(server: ApiServer, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  expect(await server.request("POST", "/api/v1/namespaces", { body })).toMatchObject({ status: 201 });
}

async function createConfigMap(server: ApiServer, path: string, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  expect(await server.request("POST", path, { body })).toMatchObject({ status: 201 });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
