import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { run } from "../child.ts";
import { type Forwarder, startForwarder } from "../forwarder.ts";
import { group, register, untilReady } from "../home.ts";
import { create, pathOf } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("two replicas behind a Service", claims);

const writesASecond = Number(process.env.RESTART_WRITES ?? 100);
const restarts = Number(process.env.RESTARTS ?? 10);
const names = Array.from({ length: 20 }, (_, index) => `lamp-${index}`);

function claims(): void {
  let server: ApiServer;
  let certs: string;
  let forwarder: Forwarder;
  const replicas: RunningService[] = [];
  const start = async () => {
    const replica = await startService(["--cert-dir", certs, "--grace", "500ms"]);
    replicas.push(replica);
    return replica;
  };

  beforeAll(async () => {
    certs = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
    const args = ["src/cli.ts", "certs", "--out", certs, "--host", "127.0.0.1", "--host", "localhost"];
    expect(await run({ command: process.execPath, args }, process.env)).toMatchObject({ code: 0 });
    const [started, first] = await Promise.all([startApiServer(), start(), start()]);
    server = started;
    forwarder = await startForwarder(first.port);
    await register(server, { url: `https://127.0.0.1:${forwarder.port}`, caFile: join(certs, "ca.crt") });
    await untilReady(server);
    for (const name of names) await create(server, "lights", oldLight(name));
  }, 100_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), forwarder?.close(), ...replicas.map((replica) => replica.stop())]);
    await rm(certs, { recursive: true, force: true });
  });

  it(`are replaced one by one, ${restarts} times: no write at the old version fails`, async () => {
    const ports = () => replicas.map(({ port }) => port);
    forwarder.to(...ports());
    const writes = writeSteadily(server);
    await wait(1_000);
    for (let restart = 0; restart < restarts; restart++) {
      await start();
      forwarder.to(...ports());
      const oldest = replicas.shift();
      const stopped = oldest?.stop();
      // A pod that is told to end is taken out of the endpoints at the same time, and nodes hear of it a moment later.
      await wait(100);
      forwarder.to(...ports());
      expect(await stopped).toBe(0);
    }
    await wait(1_000);
    const { failed, milliseconds, seconds } = await writes.stop();
    const sorted = milliseconds.toSorted((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((part) => sorted[Math.floor(sorted.length * part)]?.toFixed(0));
    console.log(
      `${restarts} restarts, ${sorted.length} writes, ${(sorted.length / seconds).toFixed(0)} a second; p50 ${p50} ms, p99 ${p99} ms, the longest ${sorted.at(-1)?.toFixed(0)} ms`,
    );
    expect(failed).toEqual([]);
    expect(sorted.length).toBeGreaterThan(restarts * 10);
    for (const replica of replicas) expect(replica.logged()).not.toMatch(/"level":[56]0/);
  }, 300_000);
}

/** Changes Lights at the old version at a steady pace, whether or not earlier writes are through. */
function writeSteadily(server: ApiServer) {
  const failed: string[] = [];
  const milliseconds: number[] = [];
  const begun = performance.now();
  let ending = false;
  const open = new Set<Promise<void>>();
  const write = async (count: number) => {
    const from = performance.now();
    const path = pathOf("lights", "v1beta1", names[count % names.length]);
    const body = { metadata: { labels: { count: String(count) } }, spec: { level: `${count % 100}%` } };
    const answer = await server.request("PATCH", path, { body }).catch((error: Error) => error);
    milliseconds.push(performance.now() - from);
    if (answer instanceof Error) failed.push(answer.message);
    else if (answer.status !== 200) failed.push(`${answer.status} ${get(answer.body, "message")}`);
  };
  const writing = (async () => {
    for (let count = 0; !ending; count++) {
      const due = begun + (count * 1_000) / writesASecond;
      await wait(Math.max(0, due - performance.now()));
      // A machine that is too slow for the pace writes as fast as it can.
      while (open.size >= names.length) await Promise.race(open);
      const one: Promise<void> = write(count).finally(() => open.delete(one));
      open.add(one);
    }
    await Promise.all(open);
  })();
  return {
    stop: async () => {
      ending = true;
      await writing;
      return { failed, milliseconds, seconds: (performance.now() - begun) / 1_000 };
    },
  };
}

function oldLight(name: string) {
  const spec = { powered: true, level: "50%", firmware: "1.2" };
  return { apiVersion: `${group}/v1beta1`, kind: "Light", metadata: { name }, spec };
}
