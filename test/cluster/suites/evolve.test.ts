import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubeconfigText } from "../../../src/cluster/local/kubeconfig.ts";
import { get, isArray, type JsonObject } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { serviceNamespace } from "../deployed.ts";
import { type Gate, startGate } from "../gate.ts";
import { group, untilReady } from "../home.ts";
import { crdPath, expectOk, list, pathOf } from "../kinds.ts";
import { type ManagedStage, startManaged } from "../managed.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { startWriters, type Writers } from "./light-writers.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
// Each claim begins where the one before has ended.
else describe("the life of a version", { shuffle: false }, claims);

const crd = `lights.${group}`;

function claims(): void {
  let server: ApiServer;
  let folder: string;
  let stage: ManagedStage;
  let gate: Gate;
  let writers: Writers | undefined;

  beforeAll(async () => {
    [server, folder] = await Promise.all([
      startApiServer(),
      mkdtemp(path.join(tmpdir(), "antechamber-evolve-")),
    ]);
    stage = await startManaged(server, folder, 2, ["--grace", "1s"]);
    gate = await startGate(server);
    await writeFile(path.join(folder, "admin"), kubeconfigText({ ...server, url: gate.url, ca: gate.ca }));
    await untilReady(server);
    await stage.balanced();
  }, 150_000);
  afterAll(async () => {
    await writers?.stop();
    await stage?.stop();
    await gate?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("the status has no problem, and then names one that another client makes", async () => {
    await expectOk(server.request("POST", path.dirname(slicePath), { body: slice }));
    const good = await antechamber("status", "lights");
    expect(good, good.stdout + good.stderr).toMatchObject({ code: 0 });
    expect(good.stdout).toContain("2 of 2 endpoints ready");
    for (const { service } of stage.replicas) {
      const metrics = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
      const phases = [...metrics.matchAll(/^antechamber_rotation_phase\{phase="\w+"\} (\d)$/gm)];
      expect(phases.map(([, value]) => value).sort()).toEqual(["0", "0", "0", "1"]);
    }
    for (const { name } of stage.replicas) expect(good.stdout).toMatch(new RegExp(`^  ${name} .* all`, "m"));
    // The first rotation may still be in progress.
    expect(good.stdout).toMatch(
      /^Certificates: phase \w+; the Lease is held by replica-\d, renewed \d+ s ago$/m,
    );
    expect(good.stdout).toMatch(/^Bundles: 10 of 10 CRDs/m);
    expect(good.stdout).toMatch(/lights\.home\S+ +v1beta1 +yes +\d+ +\d+/);
    const same = await antechamber("evolve", "lights", "status");
    expect(same, same.stderr).toMatchObject({ code: 0 });
    expect(same.stdout).toMatch(/lights\.home\S+ +v1beta1 +yes/);
    const taken = { metadata: { annotations: { "antechamber.dev/managed": "false" } } };
    await expectOk(server.request("PATCH", crdPath("locks"), { body: { ...taken, ...noConversion } }));
    const bad = await antechamber("status", "lights", "-o", "json");
    const { problems } = JSON.parse(bad.stdout);
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining("1 problem") });
    expect(problems).toEqual([expect.stringMatching(/locks\.home\S+: has no conversion webhook/)]);
    const back = { metadata: { annotations: { "antechamber.dev/managed": null } } };
    await expectOk(server.request("PATCH", crdPath("locks"), { body: back }));
    expect(gate.writes).toEqual([]);
  }, 60_000);

  it("plans without a write", async () => {
    const ran = await antechamber("evolve", "lights", "plan", "--storage", "v1beta1");
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain("1. store new writes as v1beta1");
    expect(ran.stdout).toContain("2. rewrite all objects as v1beta1, then trim storedVersions");
    expect(gate.writes).toEqual([]);
  }, 60_000);

  it("moves the storage there and back while clients write at both versions, killed after any of its writes", async () => {
    writers = await startWriters(server, 10, 20);
    for (const version of ["v1beta1", "v1"]) {
      const kills = await reachDespiteKills("evolve", "lights", "--storage", version);
      expect(kills).toBeGreaterThanOrEqual(3);
      expect(await versionsOf()).toEqual({ served: ["v1beta1", "v1"], storage: version, stored: [version] });
    }
  }, 300_000);

  it("refuses to retire a version that clients use, and the storage version", async () => {
    const storage = await antechamber("evolve", "lights", "--retire", "v1");
    expect(storage).toMatchObject({ code: 1, stderr: expect.stringContaining("v1 is the storage version") });
    // The command compares two readings, two seconds apart: the writers have written at v1beta1 by then.
    const used = await antechamber("evolve", "lights", "--retire", "v1beta1", "--unused-for", "1h");
    // Clients that go on would fail the next claims too.
    const written = await writers?.stop();
    expect(used).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("clients use v1beta1 at the moment; managers"),
    });
    expect(await record()).toBeGreaterThan(0);
    expect(await versionsOf()).toMatchObject({ served: ["v1beta1", "v1"] });
    expect(written?.failed).toEqual([]);
    expect(written?.wrong).toEqual([]);
    expect(await writers?.compare()).toEqual([]);
  }, 120_000);

  it("retires a version that no client uses, killed after any write, and serves it again with nothing lost", async () => {
    const before = await list(server, "lights", "v1");
    const kills = await reachDespiteKills("evolve", "lights", "--retire", "v1beta1", "--unused-for", "1s");
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(await versionsOf()).toEqual({ served: ["v1"], storage: "v1", stored: ["v1"] });
    expect(JSON.stringify(await list(server, "lights", "v1"))).not.toContain(`"${group}/v1beta1"`);
    expect(specsOf(await list(server, "lights", "v1"))).toEqual(specsOf(before));
    await reachDespiteKills("evolve", "lights", "--serve", "v1beta1");
    await untilReady(server);
    expect(await writers?.compare()).toEqual([]);
  }, 300_000);

  it("refuses a version that one replica does not serve", async () => {
    const reports = "/api/v1/namespaces/antechamber-system/configmaps/antechamber-replicas";
    const leaf = { issuer: "another", notBefore: 0, notAfter: Date.now() + 60_000 };
    const report = { serial: "", leaves: [leaf], kinds: { [crd]: ["v1beta1"] } };
    const body = { data: { old: JSON.stringify(report) } };
    await expectOk(server.request("PATCH", reports, { body }));
    const ran = await antechamber("evolve", "lights", "--storage", "v1beta1");
    expect(ran).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${crd}: replica old does not serve v1 of ${crd}; roll out the release that does, then run this command again\n`,
    });
    await expectOk(server.request("PATCH", reports, { body: { data: { old: null } } }));
  }, 60_000);

  it("uninstalls a kind, after which it works without the service, and the others still have theirs", async () => {
    const before = await list(server, "lights", "v1");
    const kills = await reachDespiteKills("uninstall", "lights", "--unused-for", "0s");
    expect(kills).toBeGreaterThanOrEqual(3);
    await Promise.all(stage.replicas.map(({ service }) => service.stop()));
    const body = { metadata: { labels: { after: "uninstall" } } };
    await expectOk(server.request("PATCH", pathOf("lights", "v1", "lamp-0"), { body }));
    expect(specsOf(await list(server, "lights", "v1"))).toEqual(specsOf(before));
    const object = await expectOk(server.request("GET", crdPath("lights")));
    expect(get(object, "spec", "conversion")).toEqual({ strategy: "None" });
    const { stdout } = await server.kubectl([
      "get",
      "mutatingwebhookconfiguration,validatingwebhookconfiguration",
      "-o",
      "jsonpath={.items[*].webhooks[*].name}",
    ]);
    expect(stdout).not.toContain(crd);
    expect(stdout).toContain(`mutate.rooms.${group}`);
    expect(stdout).toContain(`validate.rooms.${group}`);
  }, 200_000);

  function begin(...args: readonly string[]): ChildProcess {
    const kubeconfig = ["--kubeconfig", path.join(folder, "admin")];
    const settle = args.includes("status") ? [] : ["--settle", "2s"];
    return spawn(process.execPath, ["src/cli.ts", ...args, ...kubeconfig, ...settle]);
  }

  async function antechamber(...args: readonly string[]) {
    const child = begin(...args);
    const said = { stdout: "", stderr: "" };
    child.stdout?.on("data", (data) => {
      said.stdout += data;
    });
    child.stderr?.on("data", (data) => {
      said.stderr += data;
    });
    const [code, signal] = await once(child, "close");
    return { code, signal, ...said };
  }

  /** Kills the command after each write of a CRD or configuration, and once among the objects; how often. */
  async function reachDespiteKills(...args: readonly string[]): Promise<number> {
    let objects = 0;
    for (let kills = 0; ; ) {
      const child = begin(...args);
      let said = "";
      child.stdout?.on("data", (data) => {
        said += data;
      });
      child.stderr?.on("data", (data) => {
        said += data;
      });
      gate.onWrite = (write) => {
        if (write.includes(`/apis/${group}/`) && ++objects !== 4) return;
        child.kill("SIGKILL");
      };
      const [code, signal] = await once(child, "close");
      gate.onWrite = undefined;
      if (signal === "SIGKILL") {
        if (++kills > 12) throw new Error(`killed ${kills} times: ${said}`);
        continue;
      }
      expect(code, said).toBe(0);
      return kills;
    }
  }

  async function record(): Promise<number> {
    const object = await expectOk(server.request("GET", crdPath("lights")));
    const text = get(object, "metadata", "annotations", "antechamber.dev/unused-v1beta1");
    return Number(get(JSON.parse(String(text ?? "{}")), "since") ?? 0);
  }

  async function versionsOf() {
    const object = await expectOk(server.request("GET", crdPath("lights")));
    const entries = get(object, "spec", "versions");
    const versions = isArray(entries) ? entries : [];
    const named = (flag: string) =>
      versions.filter((entry) => get(entry, flag) === true).map((entry) => get(entry, "name"));
    return {
      served: named("served"),
      storage: named("storage")[0],
      stored: get(object, "status", "storedVersions"),
    };
  }
}

/** The control plane of the tests has no controller that makes it. */
const slicePath = `/apis/discovery.k8s.io/v1/namespaces/${serviceNamespace}/endpointslices/antechamber-1`;
const slice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "antechamber-1", labels: { "kubernetes.io/service-name": "antechamber" } },
  addressType: "IPv4",
  ports: [],
  endpoints: ["192.0.2.1", "192.0.2.2"].map((address) => ({
    addresses: [address],
    conditions: { ready: true },
  })),
};
const noConversion = { spec: { conversion: { strategy: "None", webhook: null } } };

function specsOf(objects: JsonObject): readonly string[] {
  return Object.entries(objects).map(([name, object]) => `${name} ${JSON.stringify(get(object, "spec"))}`);
}
