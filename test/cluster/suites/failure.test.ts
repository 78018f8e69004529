import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { get, type Json } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import type { Answer } from "../client.ts";
import { type Forwarder, startForwarder } from "../forwarder.ts";
import { group, register, untilReady } from "../home.ts";
import { create, expectOk, list, pathOf } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("a home whose service", claims);

function claims(): void {
  let server: ApiServer;
  let service: RunningService;
  let forwarder: Forwarder;
  let certs: string;
  const start = (...args: readonly string[]) => startService(["--cert-dir", certs, ...args]);

  beforeAll(async () => {
    certs = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
    const args = ["src/cli.ts", "certs", "--out", certs, "--host", "127.0.0.1", "--host", "localhost"];
    expect(await run({ command: process.execPath, args }, process.env)).toMatchObject({ code: 0 });
    [server, service] = await Promise.all([startApiServer(), start()]);
    forwarder = await startForwarder(service.port);
    await register(server, { url: `https://127.0.0.1:${forwarder.port}`, caFile: join(certs, "ca.crt") });
    await untilReady(server);
  }, 100_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), service?.stop(), forwarder?.close()]);
    await rm(certs, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await server.request("DELETE", pathOf("lights", "v1"));
    await create(server, "lights", oldLight("lamp"));
  });

  it("is down fails the requests that need it, and no others", async () => {
    const refused = `dial tcp 127.0.0.1:${forwarder.port}: connect: connection refused`;
    await forwarder.close();
    try {
      const old = pathOf("lights", "v1beta1", "lamp");
      const unread = conversionFailure(forwarder, "v1", refused);
      // The first call may still be sent on a connection that the API server is just closing.
      await vi.waitFor(async () => expectFailure(await server.request("GET", old), unread));
      // Either what is there cannot be read or, where it came from a cache, what is meant cannot be stored.
      const unwritten = await server.request("PATCH", old, { body: label("seen") });
      expect(unwritten.status).toBe(500);
      const reasons = [unread, conversionFailure(forwarder, "v1beta1", refused)];
      expect(reasons).toContain(get(unwritten.body, "message"));
      const seen = await server.kubectl(["get", `lights.v1beta1.${group}`, "lamp"]);
      expect(seen).toMatchObject({ code: 1, stdout: "" });
      expect(seen.stderr).toContain(`Error from server: ${unread}\n`);

      const current = pathOf("lights", "v1", "lamp");
      expect(await server.request("GET", current)).toMatchObject({ status: 200 });
      expect(await server.request("GET", pathOf("lights", "v1"))).toMatchObject({ status: 200 });
      const written = await server.request("PATCH", current, { body: label("seen") });
      const call = `Post "https://127.0.0.1:${forwarder.port}/mutate?timeout=10s"`;
      expectFailure(
        written,
        `Internal error occurred: failed calling webhook "mutate.lights.${group}": failed to call webhook: ${call}: ${refused}`,
      );
      expect(get(written.body, "reason")).toBe("InternalError");
    } finally {
      await forwarder.open();
    }
    await expectWhole(server, ["lamp"]);
  }, 30_000);

  it("is down does not prevent deletion at the storage version", async () => {
    await forwarder.close();
    try {
      expect(await server.request("DELETE", pathOf("lights", "v1", "lamp"))).toMatchObject({ status: 200 });
      expect(await server.request("GET", pathOf("lights", "v1", "lamp"))).toMatchObject({ status: 404 });
    } finally {
      await forwarder.open();
    }
    await expectWhole(server, []);
  }, 30_000);

  it("crashes and restarts on the same port loses nothing, without intervention", async () => {
    const { port } = service;
    const seen = new Set<string>();
    const path = `${pathOf("lights", "v1beta1")}?resourceVersion=0`;
    const watch = await server.watch(path, ({ object }) => seen.add(String(get(object, "metadata", "name"))));
    const writer = writeAllAlong(server, "v1beta1");
    await vi.waitFor(() => expect(writer.written.length).toBeGreaterThan(3));
    const died = once(service.process, "exit");
    service.process.kill("SIGKILL");
    await died;
    await vi.waitFor(() => expect(writer.failed.size).toBeGreaterThan(0), { timeout: 10_000 });
    await service.stop();
    service = await start("--port", String(port));
    const failures = writer.failed.size;
    const before = writer.written.length;
    await vi.waitFor(() => expect(writer.written.length).toBeGreaterThan(before + 3), { timeout: 10_000 });
    await writer.stop();
    expect(writer.failed.size - failures, "writes that fail after it is back").toBeLessThan(3);
    for (const text of writer.failed.values())
      expect(text).toMatch(/connection refused|EOF|connection reset by peer/);
    // If it dies between storing and responding, the Light exists although its writer got an error.
    const underWay = [...writer.failed.keys()].slice(0, 1);
    await expectWhole(server, ["lamp", ...writer.written], underWay);
    await vi.waitFor(() => expect([...seen]).toEqual(expect.arrayContaining([...writer.written])));
    watch.stop();
  }, 40_000);

  it("is slow delays requests without failing them", async () => {
    forwarder.delay(150);
    try {
      const before = forwarder.delayed();
      await expectOk(server.request("PATCH", pathOf("lights", "v1beta1", "lamp"), { body: label("slow") }));
      expect(forwarder.delayed() - before).toBeGreaterThan(1);
    } finally {
      forwarder.delay(0);
    }
    await expectWhole(server, ["lamp"]);
  }, 30_000);

  it("does not answer in time fails the request, and nothing is written", async () => {
    // One that was never written at v1beta1: it needs no conversion.
    await create(server, "lights", newLight("v1-lamp"));
    await setTimeouts(server, 1);
    forwarder.delay(1_500);
    try {
      const body = label("late");
      const path = pathOf("lights", "v1", "v1-lamp");
      // An API server uses a changed configuration some milliseconds later.
      const tried = () => server.request("PATCH", `${path}?dryRun=All`, { body });
      await vi.waitFor(async () => expect((await tried()).text).toContain("timeout=1s"), { timeout: 20_000 });
      const answer = await server.request("PATCH", path, { body });
      const call = `Post "https://127.0.0.1:${forwarder.port}/mutate?timeout=1s": context deadline exceeded`;
      expectFailure(
        answer,
        `Internal error occurred: failed calling webhook "mutate.lights.${group}": failed to call webhook: ${call}`,
      );
    } finally {
      forwarder.delay(0);
      await setTimeouts(server, 10);
    }
    const labels = get((await list(server, "lights", "v1"))["v1-lamp"], "metadata", "labels");
    expect(labels).toBeUndefined();
    await expectWhole(server, ["lamp", "v1-lamp"]);
  }, 40_000);

  it("shuts down as the only replica gets ten retries, and then the client gets the reason", async () => {
    const leaving = service;
    const held = await holdOpen(leaving);
    const refusals = () => leaving.logged().split('"url":"/convert?timeout=30s","status":503').length - 1;
    try {
      leaving.process.kill("SIGTERM");
      await vi.waitFor(async () => expect((await leaving.post("/convert", "{}")).status).toBe(503));
      const before = refusals();
      const answer = await server.request("GET", pathOf("lights", "v1beta1", "lamp"));
      expectFailure(
        answer,
        `conversion webhook for ${group}/v1, Kind=Light failed: this replica is shutting down; ask again in a second`,
      );
      // The first attempt and ten more. The API server's own list of Lights may be refused meanwhile, too.
      await vi.waitFor(() => expect(refusals() - before).toBeGreaterThanOrEqual(11));
    } finally {
      held.destroy();
      await leaving.stop();
      service = await start("--port", String(leaving.port));
    }
    await expectWhole(server, ["lamp"]);
  }, 40_000);

  it("shuts down while another replica is ready: no write fails", async () => {
    const leaving = service;
    service = await start();
    const writers = ["v1beta1", "v1"].map((version) => writeAllAlong(server, version));
    const progress = async (count: number) => {
      const goals = writers.map(({ written }) => written.length + count);
      await vi.waitFor(
        () =>
          writers.forEach(
            ({ written }, index) => void expect(written.length).toBeGreaterThan(goals[index] ?? 0),
          ),
        { timeout: 20_000 },
      );
    };
    await progress(3);
    // One call is still under way when it stops taking new ones: the others must not notice.
    const held = await holdOpen(leaving);
    leaving.process.kill("SIGTERM");
    await vi.waitFor(async () => expect((await leaving.post("/convert", "{}")).status).toBe(503));
    // It refuses some calls before new connections go to the other one, as endpoints change a moment later.
    const before = forwarder.opened();
    await vi.waitFor(() => expect(forwarder.opened()).toBeGreaterThan(before + 1), { timeout: 20_000 });
    forwarder.to(service.port);
    await progress(5);
    held.destroy();
    if (leaving.process.exitCode === null) await once(leaving.process, "exit");
    expect(leaving.process.exitCode).toBe(0);
    await progress(3);
    await Promise.all(writers.map((writer) => writer.stop()));
    await leaving.stop();
    expect(writers.flatMap(({ failed }) => [...failed])).toEqual([]);
    await expectWhole(server, ["lamp", ...writers.flatMap(({ written }) => written)]);
  }, 60_000);
}

/** Creates one Light after another at a version; notes which the server took, and by name what it said to the others. */
function writeAllAlong(server: ApiServer, version: string) {
  const written: string[] = [];
  const failed = new Map<string, string>();
  let ending = false;
  const writing = (async () => {
    for (let count = 0; !ending; count++) {
      const name = `${version}-${count}`;
      const { metadata: _, ...rest } = version === "v1beta1" ? oldLight(name) : newLight(name);
      const answer = await server.request("POST", pathOf("lights", version), {
        body: { ...rest, metadata: { name } },
      });
      if (answer.status === 201) written.push(name);
      else failed.set(name, answer.text);
      await wait(20);
    }
  })();
  return {
    written,
    failed,
    stop: async () => {
      ending = true;
      await writing;
    },
  };
}

/** Both versions list these Lights and no others, but for those that may also be there, each with what was written. */
async function expectWhole(
  server: ApiServer,
  names: readonly string[],
  perhaps: readonly string[] = [],
): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const version of ["v1beta1", "v1"]) {
        const found = await list(server, "lights", version);
        const there = new Set([...names, ...perhaps.filter((name) => name in found)]);
        expect(Object.keys(found).sort()).toEqual([...there].sort());
        for (const [name, object] of Object.entries(found)) {
          const isNew = name.startsWith("v1-");
          const expected =
            version === "v1"
              ? { brightness: isNew ? 0.333 : 0.5, transition: "0s" }
              : {
                  powered: true,
                  ...(isNew ? { level: 33 } : { level: "50%", firmware: "1.2" }),
                  fadeSeconds: 0,
                };
          expect(get(object, "spec"), name).toEqual(expected);
        }
      }
    },
    { timeout: 10_000, interval: 100 },
  );
}

function conversionFailure({ port }: Forwarder, from: string, why: string): string {
  return `conversion webhook for ${group}/${from}, Kind=Light failed: Post "https://127.0.0.1:${port}/convert?timeout=30s": ${why}`;
}

function expectFailure({ status, body, text }: Answer, message: string): void {
  expect(get(body, "message"), text).toBe(message);
  expect(status).toBe(500);
}

/** Begins a request and does not end it: a service that shuts down has to wait for it. */
async function holdOpen(service: RunningService): Promise<TLSSocket> {
  const socket = connectTls({ port: service.port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.on("error", () => socket.destroy());
  await once(socket, "secureConnect");
  socket.write(
    "POST /convert HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  );
  // The next connection is answered only after this one was taken.
  await service.post("/convert", "{}");
  return socket;
}

async function setTimeouts(server: ApiServer, seconds: number): Promise<void> {
  const api = "/apis/admissionregistration.k8s.io/v1";
  const path = `${api}/mutatingwebhookconfigurations/antechamber`;
  const patch = [0, 1, 2].map((index) => ({
    op: "replace",
    path: `/webhooks/${index}/timeoutSeconds`,
    value: seconds,
  }));
  await expectOk(server.request("PATCH", path, { body: patch, contentType: "application/json-patch+json" }));
}

function label(name: string): Json {
  return { metadata: { labels: { [name]: "yes" } } };
}

function oldLight(name: string) {
  const spec = { powered: true, level: "50%", firmware: "1.2" };
  return { apiVersion: `${group}/v1beta1`, kind: "Light", metadata: { name }, spec };
}

function newLight(name: string) {
  return { apiVersion: `${group}/v1`, kind: "Light", metadata: { name }, spec: { brightness: 0.333 } };
}
