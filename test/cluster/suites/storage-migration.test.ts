import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Ran, run } from "../../../src/cluster/local/child.ts";
import { get, isArray, type JsonObject } from "../../../src/json/json.ts";
import { releaseOf, requireBinaries } from "../binaries.ts";
import { storedObjects } from "../etcd.ts";
import { freeze } from "../freeze.ts";
import { group, type Home, startHome } from "../home.ts";
import {
  crdPath,
  create,
  examplesOf,
  expectOk,
  list,
  pathOf,
  patient,
  setStorage,
  storedVersions,
} from "../kinds.ts";
import { type Migrator, migratorLeftOut, requireMigrator, startMigrator } from "../migrator.ts";
import { until } from "./served.ts";

const program = requireBinaries() === undefined ? undefined : requireMigrator();
if (program === undefined) it(migratorLeftOut, () => {});
// The controllers run from the third claim on.
else describe("rewriting objects by a StorageVersionMigration", { shuffle: false }, () => claims(program));

/** The API is served by default from v1.37 on. */
const isDefault = releaseOf(process.env) !== "1.36";
const version = isDefault ? "v1" : "v1beta1";
const flags = isDefault
  ? []
  : ["--feature-gates=StorageVersionMigrator=true", "--runtime-config=storagemigration.k8s.io/v1beta1=true"];
const path = `/apis/storagemigration.k8s.io/${version}/storageversionmigrations`;

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

/** What a kube-controller-manager writes every two seconds; these controllers alone do not. */
function renewal() {
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  const body: JsonObject = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "kube-controller-manager", namespace: "kube-system" },
    spec: { holderIdentity: "test", leaseDurationSeconds: 15, renewTime },
  };
  return { body, contentType: "application/apply-patch+yaml" };
}

function claims(migrator: string): void {
  let home: Home;
  let controllers: Migrator | undefined;
  beforeAll(async () => {
    home = await startHome(["webhooks/home"], flags);
  }, 100_000);
  afterAll(async () => {
    await controllers?.stop();
    await home?.stop();
  });
  beforeEach(async () => {
    await setStorage(home, "lights", "v1beta1");
    // The API server stores new objects in it a moment later.
    await until(async () => {
      await expectOk(patient(() => home.request("DELETE", pathOf("lights", "v1"))));
      for (const example of examplesOf("lights")) await create(home, "lights", example);
      const stored = await storedObjects(home, "lights");
      return stored.every(({ apiVersion }) => apiVersion === `${group}/v1beta1`);
    }, "the storage version v1beta1");
  });

  it("ends with the reason, and leaves no migration, where no controller carries it out", async () => {
    const ran = await evolve("--rewrite", "server", "--migration-timeout", "1s");
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("no controller has started") });
    expect(ran.stderr).toContain("--rewrite client rewrites the objects without it");
    expect(await migrations()).toEqual([]);
    expect(await storedVersions(home, "lights")).toContain("v1beta1");
  }, 60_000);

  it("soon rewrites the objects itself where no controller manager runs, however long a migration may last", async () => {
    const before = await specs();
    const ran = await evolve("--migration-timeout", "1h");
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toMatch(
      /no controller has started \S+ \S+ within 5 s; .*; rewriting the objects from here instead/,
    );
    await isStored("v1");
    expect(await specs()).toEqual(before);
    expect(await migrations()).toEqual([]);
  }, 60_000);

  it("leaves it to the controllers, and goes on with their migration after a kill", async () => {
    const before = await specs();
    const child = spawn(process.execPath, args("--rewrite", "server"));
    const closed = once(child, "close");
    while ((await migrations()).length === 0) await wait(20);
    child.kill("SIGKILL");
    expect(await closed).toEqual([null, "SIGKILL"]);
    controllers = await startMigrator(migrator, home.kubeconfig);
    const ran = await beside(evolve("--rewrite", "server"));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).not.toContain("instead");
    await isStored("v1");
    expect(await specs()).toEqual(before);
    expect(await migrations()).toEqual([]);
    const crd = await expectOk(home.request("GET", crdPath("lights")));
    const conditions = get(crd, "status", "conditions");
    expect(
      (isArray(conditions) ? conditions : []).find((each) => get(each, "type") === "StorageMigrating"),
    ).toMatchObject({ status: "False", reason: "MigrationSucceeded" });
  }, 150_000);

  it("moves the storage there and back, and removes an ended migration that an earlier run has left", async () => {
    const before = await specs();
    const crd = await expectOk(home.request("GET", crdPath("lights")));
    const name = `antechamber-evolve-${String(get(crd, "metadata", "uid"))}`;
    for (const to of ["v1", "v1beta1", "v1"]) {
      const ran = await beside(evolveTo(to));
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      await isStored(to);
      expect(await specs()).toEqual(before);
    }
    const left = {
      apiVersion: `storagemigration.k8s.io/${version}`,
      kind: "StorageVersionMigration",
      metadata: { name },
      spec: { resource: { group, resource: "lights" } },
    };
    await expectOk(home.request("POST", path, { body: left }));
    await beside(untilEnded());
    expect(await evolveTo("v1")).toMatchObject({ code: 0 });
    expect(await migrations()).toEqual([]);
  }, 250_000);

  it("names the objects that cannot be written, where the migration of the cluster fails", async () => {
    const name = String(get(examplesOf("lights")[0], "metadata", "name"));
    const frozen = await freeze(home, "lights", name);
    const alone = await beside(evolve("--rewrite", "server"));
    expect(alone).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/StorageVersionMigration \S+ failed: .*frozen/),
    });
    // The controllers trim it although this object is still stored in v1beta1; evolve does not rely on it then.
    expect(await storedVersions(home, "lights")).toEqual(["v1"]);
    const stored = (await storedObjects(home, "lights")).find((each) => each.name === name);
    expect(stored?.apiVersion).toBe(`${group}/v1beta1`);
    const ran = await beside(evolve());
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("1 object could not be written") });
    expect(ran.stderr).toContain(`default/${name}: `);
    expect(await migrations()).toEqual([]);
    await frozen.remove();
    const mended = await beside(evolve("--rewrite", "client"));
    expect(mended, mended.stderr).toMatchObject({ code: 0 });
    await isStored("v1");
    expect(await evolve()).toMatchObject({ code: 0, stderr: "" });
  }, 150_000);

  const args = (...more: readonly string[]) => [
    "src/cli.ts",
    ...["evolve", "lights", "--kubeconfig", home.kubeconfig, "--settle", "500ms", "--assume", "rolled-out"],
    ...(more.includes("--storage") ? [] : ["--storage", "v1"]),
    ...more,
  ];
  const evolve = async (...more: readonly string[]): Promise<Ran> => {
    if (controllers !== undefined)
      await expectOk(home.request("PATCH", `${leasePath}?fieldManager=test`, renewal()));
    return run({ command: process.execPath, args: args(...more) }, process.env);
  };
  const evolveTo = (to: string) => evolve("--rewrite", "server", "--storage", to);

  /** While a client writes: the caches of the controllers would learn the present revision of an idle kind only each minute. */
  async function beside<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (let count = 0; !isDone; count++) {
      const body = { ...examplesOf("lights")[0], metadata: { name: `busy-${count}` } };
      const name = pathOf("lights", "v1", `busy-${count}`);
      const made = { body: { ...body, apiVersion: `${group}/v1` } };
      await expectOk(patient(() => home.request("POST", pathOf("lights", "v1"), made)));
      await expectOk(patient(() => home.request("DELETE", name)));
      await wait(100);
    }
    return done;
  }

  async function untilEnded(): Promise<void> {
    for (;;) {
      const [only] = await migrations();
      const conditions = get(only, "status", "conditions");
      const all = isArray(conditions) ? conditions : [];
      if (all.some((each) => get(each, "type") === "Running" && get(each, "status") === "False")) return;
      await wait(50);
    }
  }

  async function migrations() {
    const items = get(await expectOk(home.request("GET", path)), "items");
    return isArray(items) ? items : [];
  }

  async function isStored(as: string): Promise<void> {
    const stored = await storedObjects(home, "lights");
    expect(stored.length).toBeGreaterThanOrEqual(examplesOf("lights").length);
    expect([...new Set(stored.map(({ apiVersion }) => apiVersion))]).toEqual([`${group}/${as}`]);
    expect(await storedVersions(home, "lights")).toEqual([as]);
  }

  async function specs() {
    const objects = Object.entries(await list(home, "lights", "v1"));
    return objects
      .filter(([name]) => !name.startsWith("busy-"))
      .map(([name, object]) => [name, get(object, "spec")]);
  }
}
