import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { type Balancer, startBalancer } from "../balancer.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { register, untilReady } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { type Death, isNear, startWriters, type Writers, type Written } from "./light-writers.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("two replicas behind a Service", claims);

// RESTARTS=10 KILLS=5 is a long run.
const restarts = Number(process.env.RESTARTS ?? 3);
const kills = Number(process.env.KILLS ?? 1);
const writesASecond = Number(process.env.RESTART_WRITES ?? 100);

function claims(): void {
  let server: ApiServer;
  let certs: string;
  let balancer: Balancer;
  let writers: Writers;
  const replicas: RunningService[] = [];
  const start = async () => {
    const replica = await startService(["--cert-dir", certs, "--grace", "2s"]);
    replicas.push(replica);
    return replica;
  };

  beforeAll(async () => {
    certs = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
    const args = ["src/cli.ts", "certs", "--out", certs, "--host", "127.0.0.1", "--host", "localhost"];
    expect(await run({ command: process.execPath, args }, process.env)).toMatchObject({ code: 0 });
    const [started, first, second] = await Promise.all([startApiServer(), start(), start()]);
    server = started;
    balancer = await startBalancer(first, second);
    await register(server, { url: `https://127.0.0.1:${balancer.port}`, caFile: join(certs, "ca.crt") });
    await untilReady(server);
  }, 100_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), balancer?.close(), ...replicas.map((replica) => replica.stop())]);
    await rm(certs, { recursive: true, force: true });
  });

  it(`lose no write: ${restarts} are replaced one by one, and ${kills} killed`, async () => {
    writers = await startWriters(server, 40, writesASecond);
    await progress(100);
    for (let restart = 0; restart < restarts; restart++) {
      await start();
      await balanced();
      const oldest = replicas.shift() as RunningService;
      const stopped = oldest.stop();
      await balanced();
      expect(await stopped).toBe(0);
    }
    await progress(100);
    const deaths: Death[] = [];
    for (let kill = 0; kill < kills; kill++) deaths.push(await killOne());
    const result = await writers.stop();
    report(result, deaths);
    expect(result.wrong).toEqual([]);
    expect(result.failed.filter((write) => !isNear(deaths, write))).toEqual([]);
    for (const { text } of result.failed)
      expect(text).toMatch(/connection refused|EOF|connection reset|broken pipe/);
    expect(await writers.compare()).toEqual([]);
    for (const replica of replicas) expect(replica.logged()).not.toMatch(/"level":[56]0/);
  }, 600_000);

  /** The replicas that there are now become the ready ones, by a probe. */
  async function balanced(): Promise<void> {
    balancer.to(...replicas);
    await balancer.hasReady(...replicas);
  }

  /** Kills a replica among writes and starts another. */
  async function killOne(): Promise<Death> {
    const killed = replicas.shift() as RunningService;
    const died = once(killed.process, "exit");
    const from = performance.now();
    killed.process.kill("SIGKILL");
    await died;
    // It stays known, as a pod does that has died: the probe alone finds out.
    await balancer.hasReady(...replicas);
    const to = performance.now();
    await killed.stop();
    await start();
    await balanced();
    await progress(100);
    return { from, to };
  }

  async function progress(more: number): Promise<void> {
    const goal = writers.count() + more;
    await vi.waitFor(() => expect(writers.count()).toBeGreaterThan(goal), { timeout: 60_000 });
  }
}

function report({ failed, milliseconds, seconds }: Written, deaths: readonly Death[]): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((part) => sorted[Math.floor(sorted.length * part)]?.toFixed(0));
  const spans = deaths.map((death) => {
    const late = failed.filter((write) => isNear([death], write)).map(({ to }) => to - death.from);
    return `${late.length} within ${Math.max(0, ...late).toFixed(0)} ms`;
  });
  console.log(
    `${restarts} restarts and ${deaths.length} kills, ${sorted.length} writes, ${(sorted.length / seconds).toFixed(0)} a second; p50 ${p50} ms, p99 ${p99} ms, the longest ${sorted.at(-1)?.toFixed(0)} ms; failed ${failed.length}, by kill: ${spans.join("; ")}`,
  );
}
