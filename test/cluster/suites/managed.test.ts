import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { serviceNamespace } from "../deployed.ts";
import { untilReady } from "../home.ts";
import { crdPath, create, examplesOf, expectOk, list, pathOf } from "../kinds.ts";
import { type ManagedStage, type Member, secretPath, startManaged } from "../managed.ts";
import { type Reviews, ReviewTally } from "../reviews.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { type Death, isNear, startWriters, type Writers, type Written } from "./light-writers.ts";
import { bundlesOf, configurationPath, emptyBundle, withoutBundles } from "./managed-bundles.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
// Each claim begins where the one before has ended: stable.
else describe("replicas with a managed certificate", { shuffle: false }, claims);

// Long runs: ROTATIONS=3 RESTARTS=10 CA_LIFETIME=135s RENEWAL=5, and ROTATION_KILLS=99 CERT_LIFETIME=60s, which ROTATION_KILLS_FROM
// lets begin with a later write; ROTATION_REPLICAS=3.
const rotations = Number(process.env.ROTATIONS ?? 0);
const restarts = Number(process.env.RESTARTS ?? 1);
const kills = Number(process.env.ROTATION_KILLS ?? 1);
const killsFrom = Number(process.env.ROTATION_KILLS_FROM ?? 1);
/** Seconds between two times when the certificate is taken out of the Secret; it is renewed in time, too. */
const renewal = Number(process.env.RENEWAL ?? 10);
const count = Number(process.env.ROTATION_REPLICAS ?? 2);
const writesASecond = Number(process.env.ROTATION_WRITES ?? 100);
const certLifetime = process.env.CERT_LIFETIME ?? "45s";
const caLifetime = process.env.CA_LIFETIME ?? "1h";
const mendedWithin = 10_000;

function claims(): void {
  let server: ApiServer;
  let folder: string;
  let stage: ManagedStage;
  const tally = new ReviewTally();

  beforeAll(async () => {
    [server, folder] = await Promise.all([
      startApiServer(),
      mkdtemp(path.join(tmpdir(), "antechamber-managed-")),
    ]);
    const lifetimes = ["--cert-lifetime", certLifetime, "--ca-lifetime", caLifetime];
    const delays = ["--propagation-delay", "1s", "--grace", "2s"];
    stage = await startManaged(server, folder, count, [...delays, ...lifetimes]);
    await untilReady(server);
    await stage.balanced();
  }, 100_000);
  afterAll(async () => {
    await stage?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(`lose no write when the Secret is deleted, in ${rotations} rotations when a CA is due, in renewals, ${restarts} rolling restarts, and while evolve moves the storage and takes a version out and in again`, async () => {
    const writers = await startWriters(server, 40, writesASecond);
    const before = await answered();
    const [authorities, leaves] = [new Set<string>(), new Set<string>()];
    const rotated = async (more: number) => {
      const [goal, renewals] = [authorities.size + more, leaves.size + more + 1];
      const done = async () => {
        const state = await stage.state();
        if (state?.["ca.crt"] !== undefined) authorities.add(state["ca.crt"]);
        if (state?.["tls.crt"] !== undefined) leaves.add(state["tls.crt"]);
        expect(authorities.size).toBeGreaterThanOrEqual(goal);
        expect(leaves.size).toBeGreaterThan(renewals);
        await expectStable();
      };
      await vi.waitFor(done, { timeout: 600_000, interval: 300 });
    };
    authorities.add(await authority());
    const from = performance.now();
    await expectOk(server.request("DELETE", secretPath));
    await vi.waitFor(async () => expect(await stage.state()).toBeDefined(), {
      timeout: mendedWithin,
      interval: 20,
    });
    console.log(`a deleted Secret: there again after ${(performance.now() - from).toFixed(0)} ms`);
    const renewing = startRenewing();
    await Promise.all([
      rotated(1).then(() => (rotations > 0 ? rotated(rotations) : undefined)),
      restarted(),
      evolve("lights", "--storage", "v1beta1").then(() => evolve("lights", "--storage", "v1")),
      wholeLife(),
    ]).finally(renewing.stop);
    const result = await writers.stop();
    report(
      `${authorities.size - 1} rotations, ${leaves.size} certificates, ${restarts} restarts, two moves of the storage, a version out and in`,
      result,
      since(before, await answered()),
    );
    await expectNoWrong(writers, result);
    if (result.failed.length > 0) for (const { service } of stage.replicas) console.log(service.logged());
    expect(result.failed).toEqual([]);
  }, 1_200_000);

  it("report the rotation as events on their Deployment", async () => {
    const { stdout } = await server.kubectl([
      "describe",
      "deployment",
      "antechamber",
      "-n",
      serviceNamespace,
    ]);
    const reasons = ["CARotationStarted", "CASwitched", "CARotationCompleted", "CertificateRenewed"];
    for (const reason of reasons) expect(stdout).toMatch(new RegExp(`Normal +${reason} `));
  });

  it("mend a caBundle that another client empties", async () => {
    for (const plural of ["lights", "rooms"]) await change(crdPath(plural), emptyBundle);
    await change(configurationPath("mutating"), withoutBundles);
    await allMended("emptied bundles");
  }, 40_000);

  it("mend a CRD whose conversion another client takes out", async () => {
    await change(crdPath("lights"), () => ({ spec: { conversion: { strategy: "None", webhook: null } } }));
    await allMended("a stripped conversion");
  }, 40_000);

  it("publish the CA in a configuration that was deleted and created anew", async () => {
    const url = configurationPath("validating");
    const before = (await expectOk(server.request("GET", url))) as JsonObject;
    await expectOk(server.request("DELETE", url));
    const { apiVersion = null, kind = null, ...rest } = before;
    const created = { apiVersion, kind, metadata: { name: "antechamber" }, ...withoutBundles(rest) };
    await expectOk(server.request("POST", path.dirname(url), { body: created }));
    await allMended("a new configuration");
  }, 40_000);

  it("leave an object alone that a user, or cert-manager, has taken over", async () => {
    for (const [key, value] of [
      ["antechamber.dev/managed", "false"],
      ["cert-manager.io/inject-ca-from", "antechamber-system/antechamber"],
    ] as const) {
      await change(crdPath("locks"), () => ({ metadata: { annotations: { [key]: value } } }));
      await change(crdPath("locks"), emptyBundle);
      await change(crdPath("rooms"), emptyBundle);
      const mended = async () => {
        const current = await authority();
        for (const bundle of await bundlesIn(crdPath("rooms"))) expect(bundle).toContain(current);
      };
      await vi.waitFor(mended, { timeout: mendedWithin });
      expect(await bundlesIn(crdPath("locks"))).toEqual([""]);
      await change(crdPath("locks"), () => ({ metadata: { annotations: { [key]: null } } }));
      await allMended(`after ${key} was removed`);
    }
  }, 60_000);

  it(`end stable if the process that moves the state is killed after one of its writes, ${kills} times`, async () => {
    // Those of an earlier claim have the same names.
    await expectOk(server.request("DELETE", pathOf("lights", "v1")));
    const writers = await startWriters(server, 40, writesASecond / 4);
    const start = await answered();
    const deaths: Death[] = [];
    const killedAfter: string[] = [];
    for (
      let nth = killsFrom + (kills === 1 ? Math.floor(Math.random() * 12) : 0), left = kills;
      left > 0;
      nth++, left--
    ) {
      const strike = killAfter(nth);
      const before = await authority();
      await expectOk(server.request("DELETE", secretPath));
      const first = await Promise.race([strike.killed, stableWith(before).then(() => undefined)]);
      disarm();
      // The last write makes the state stable, which may be seen before the process has ended.
      const victim = first ?? (strike.hasStruck() ? await strike.killed : undefined);
      // The rotation has fewer writes.
      if (victim === undefined) break;
      killedAfter.push(victim.write);
      stage.replicas.splice(stage.replicas.indexOf(victim.member), 1);
      // It stays known, as a pod does that has died: the probe alone finds out.
      await stage.balancer.hasReady(...stage.replicas.map(({ service }) => service));
      deaths.push({ from: victim.when, to: performance.now() });
      await victim.member.gate.close();
      // As a kubelet restarts a container, in the same pod.
      await stage.start(victim.member.name);
      await stableWith(before);
      await stage.balanced();
    }
    const result = await writers.stop();
    report(
      `${deaths.length} kills, after ${killedAfter.map((write) => write.replace(/\?.*/, "")).join(", ")}`,
      result,
      since(start, await answered()),
    );
    await expectNoWrong(writers, result);
    expect(result.failed.filter((write) => !isNear(deaths, write))).toEqual([]);
    for (const { text } of result.failed)
      expect(text).toMatch(/connection refused|EOF|connection reset|broken pipe/);
  }, 1_200_000);

  it("go on with a clock that is a year ahead", async () => {
    const others = [...stage.replicas];
    await stage.start("a-year-ahead", { NODE_OPTIONS: `--import=${aYearAhead}` });
    await stage.balanced();
    for (const other of others) {
      stage.replicas.splice(stage.replicas.indexOf(other), 1);
      stage.balancer.to(...stage.replicas.map(({ service }) => service));
      expect(await other.service.stop()).toBe(0);
    }
    const before = await authority();
    const leaf = (await stage.state())?.["tls.crt"];
    await vi.waitFor(
      async () => {
        const state = await stage.state();
        expect(state?.["tls.crt"]).not.toBe(leaf);
        await expectStable();
      },
      { timeout: 90_000, interval: 200 },
    );
    expect(await authority()).toBe(before);
    await untilReady(server);
    await stage.balanced();
  }, 150_000);

  it("withdraw their reports when they end, and those that go on give theirs", async () => {
    const { body } = await server.request(
      "GET",
      secretPath.replace("secrets/antechamber-certificates", "configmaps/antechamber-replicas"),
    );
    expect(Object.keys((get(body, "data") ?? {}) as JsonObject)).toEqual(["a-year-ahead"]);
  });

  /** Replaces the replicas one by one, as the rollout of a Deployment does. */
  async function restarted(): Promise<void> {
    for (let restart = 0; restart < restarts; restart++) {
      await stage.start();
      await stage.balanced();
      const oldest = stage.replicas.shift() as Member;
      await tally.read(oldest.service);
      const stopped = oldest.service.stop();
      await stage.balanced();
      expect(await stopped).toBe(0);
      await oldest.gate.close();
    }
  }

  /** The reviews that all replicas have answered; of one that was killed, as last read. */
  async function answered(): Promise<Reviews> {
    await tally.read(...stage.replicas.map(({ service }) => service));
    return tally.total();
  }

  /** Takes the certificate out of the Secret every few seconds, so that a new one is made. */
  function startRenewing(): { readonly stop: () => Promise<void> } {
    const ending = new AbortController();
    const data = { "tls.crt": null, "tls.key": null };
    const renewing = (async () => {
      while (!ending.signal.aborted) {
        await wait(renewal * 1_000, undefined, { signal: ending.signal }).catch(() => {});
        // There is no Secret for a moment when it was deleted.
        await server.request("PATCH", secretPath, { body: { data } });
      }
    })();
    return {
      stop: async () => {
        ending.abort();
        await renewing;
      },
    };
  }

  /** Of Rooms, which no client uses meanwhile. */
  async function wholeLife(): Promise<void> {
    await create(server, "rooms", examplesOf("rooms")[0] as JsonObject);
    const specs = async () =>
      Object.values(await list(server, "rooms", "v1")).map((room) => get(room, "spec"));
    const before = await specs();
    await evolve("rooms", "--storage", "v1beta1");
    await evolve("rooms", "--storage", "v1");
    await evolve("rooms", "--retire", "v1beta1", "--unused-for", "1s");
    expect(await specs()).toEqual(before);
    await evolve("rooms", "--serve", "v1beta1");
    expect(await specs()).toEqual(before);
    await expectOk(server.request("DELETE", pathOf("rooms", "v1")));
  }

  async function evolve(kind: string, ...goal: readonly string[]): Promise<void> {
    const where = ["--kubeconfig", server.kubeconfig, "--settle", "2s"];
    const args = ["src/cli.ts", "evolve", kind, ...goal, ...where];
    const ran = await run({ command: process.execPath, args }, process.env);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }

  async function authority(): Promise<string> {
    return (await stage.state())?.["ca.crt"] ?? "";
  }

  async function expectStable(): Promise<void> {
    const state = await stage.state();
    expect(state?.phase).toBe("stable");
    expect([...new Set(await allBundles())]).toEqual([state?.["ca.crt"]]);
  }

  async function allBundles(): Promise<readonly string[]> {
    const configurations = ["mutating", "validating"].map(configurationPath);
    const paths = [...["lights", "locks", "rooms"].map((plural) => crdPath(plural)), ...configurations];
    return (await Promise.all(paths.map(bundlesIn))).flat();
  }

  async function stableWith(before: string): Promise<void> {
    const done = async () => {
      expect(await authority()).not.toBe(before);
      await expectStable();
    };
    await vi.waitFor(done, { timeout: 120_000, interval: 100 });
  }

  async function bundlesIn(url: string): Promise<readonly string[]> {
    return bundlesOf((await server.request("GET", url)).body);
  }

  async function change(url: string, to: (object: Json | undefined) => JsonObject): Promise<void> {
    const { body } = await server.request("GET", url);
    await expectOk(server.request("PATCH", url, { body: to(body) }));
  }

  async function allMended(what: string): Promise<void> {
    const from = performance.now();
    // A rotation may be going on: then there are more CAs than one.
    const done = async () => {
      const current = await authority();
      for (const bundle of await allBundles()) expect(bundle).toContain(current);
    };
    await vi.waitFor(done, { timeout: mendedWithin, interval: 20 });
    console.log(`${what}: mended in ${(performance.now() - from).toFixed(0)} ms`);
    await untilReady(server);
  }

  /** Kills the replica that has taken the nth write of a rotation, before it hears of it. */
  function killAfter(nth: number): Strike {
    let seen = 0;
    const killed = new Promise<Victim>((resolve) => {
      for (const member of stage.replicas) {
        member.gate.onWrite = (write) => {
          if (/leases|configmaps|events/.test(write) || ++seen !== nth) return;
          const died = once(member.service.process, "exit");
          const when = performance.now();
          member.service.process.kill("SIGKILL");
          void died.then(() => resolve({ member, when, write }));
        };
      }
    });
    return { killed, hasStruck: () => seen >= nth };
  }

  function disarm(): void {
    for (const { gate } of stage.replicas) gate.onWrite = undefined;
  }
}

/** A replica that was killed, when, and after which of its writes. */
interface Victim {
  readonly member: Member;
  readonly when: number;
  readonly write: string;
}

/** A kill that is to come. */
interface Strike {
  readonly killed: Promise<Victim>;
  readonly hasStruck: () => boolean;
}

async function expectNoWrong(writers: Writers, { wrong }: Written): Promise<void> {
  expect(wrong).toEqual([]);
  expect(await writers.compare()).toEqual([]);
}

/** A module that is loaded first. */
const aYearAhead = `data:text/javascript,${encodeURIComponent(`
  const Real = Date;
  const ahead = 365 * 24 * 3600 * 1000;
  globalThis.Date = class extends Real {
    constructor(...args) { if (args.length === 0) super(Real.now() + ahead); else super(...args); }
    static now() { return Real.now() + ahead; }
  };
`)}`;

function since(before: Reviews, now: Reviews): Reviews {
  const difference = (of: keyof Reviews) => now[of] - before[of];
  return { conversions: difference("conversions"), admissions: difference("admissions") };
}

function report(what: string, { failed, milliseconds, seconds }: Written, reviews: Reviews): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((part) => sorted[Math.floor(sorted.length * part)]?.toFixed(0));
  const { conversions, admissions } = reviews;
  const rate = (count: number) => `${count} (${(count / seconds).toFixed(0)} a second)`;
  console.log(
    `${what}; ${rate(sorted.length)} writes, ${rate(conversions)} conversions, ${rate(admissions)} admissions; p50 ${p50} ms, p99 ${p99} ms, the longest ${sorted.at(-1)?.toFixed(0)} ms; failed ${failed.length}: ${failed[0]?.text ?? ""}`,
  );
}
