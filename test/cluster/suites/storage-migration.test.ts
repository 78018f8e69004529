import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, run } from "../../../src/cluster/local/child.ts";
import { get, type Json, listAt } from "../../../src/json/json.ts";
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
else describe("beside the StorageVersionMigrations of the cluster", () => claims(program));

/** The API is served by default from v1.37 on. */
const isDefault = releaseOf(process.env) !== "1.36";
const version = isDefault ? "v1" : "v1beta1";
const flags = isDefault
  ? []
  : ["--feature-gates=StorageVersionMigrator=true", "--runtime-config=storagemigration.k8s.io/v1beta1=true"];
const path = `/apis/storagemigration.k8s.io/${version}/storageversionmigrations`;

function claims(migrator: string): void {
  let home: Home;
  let controllers: Migrator | undefined;
  beforeAll(async () => {
    home = await startHome(["webhooks/home"], flags);
    controllers = await startMigrator(migrator, home.kubeconfig);
  }, 100_000);
  afterAll(async () => {
    await controllers?.stop();
    await home?.stop();
  });

  it("evolve names the object on which one failed, and later rewrites it, whatever storedVersions say", async () => {
    await setStorage(home, "lights", "v1beta1");
    // The API server stores new objects in it a moment later.
    await until(async () => {
      await expectOk(patient(() => home.request("DELETE", pathOf("lights", "v1"))));
      for (const example of examplesOf("lights")) await create(home, "lights", example);
      const stored = await storedObjects(home, "lights");
      return stored.every(({ apiVersion }) => apiVersion === `${group}/v1beta1`);
    }, "the storage version v1beta1");
    const name = String(get(examplesOf("lights")[0], "metadata", "name"));
    const before = await specs();
    const frozen = await freeze(home, "lights", name);
    await setStorage(home, "lights", "v1");
    await migrateInCluster();
    // The controllers trim it although this object is still stored in v1beta1.
    expect(await storedVersions(home, "lights")).toEqual(["v1"]);
    const stored = (await storedObjects(home, "lights")).find((each) => each.name === name);
    expect(stored?.apiVersion).toBe(`${group}/v1beta1`);
    expect(await evolve("status")).toMatchObject({
      stdout: expect.stringContaining("a StorageVersionMigration failed"),
    });
    const ran = await evolve("--storage", "v1");
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("1 object could not be written") });
    expect(ran.stderr).toContain(`default/${name}: `);
    await frozen.remove();
    const mended = await evolve("--storage", "v1");
    expect(mended, mended.stderr).toMatchObject({ code: 0 });
    const apiVersions = (await storedObjects(home, "lights")).map(({ apiVersion }) => apiVersion);
    expect([...new Set(apiVersions)]).toEqual([`${group}/v1`]);
    expect(await specs()).toEqual(before);
    expect(
      listAt(await expectOk(home.request("GET", crdPath("lights"))), "status", "conditions"),
    ).not.toEqual(expect.arrayContaining([expect.objectContaining({ type: "StorageMigrating" })]));
  }, 150_000);

  function evolve(...more: readonly string[]): Promise<Ran> {
    const settled = more.includes("status") ? [] : ["--settle", "500ms", "--assume", "rolled-out"];
    const args = ["src/cli.ts", "evolve", "lights", ...more, "--kubeconfig", home.kubeconfig, ...settled];
    return run({ command: process.execPath, args }, process.env);
  }

  /**
   * Has the controllers rewrite all lights, beside a client that writes: their caches would learn the present revision of an idle
   * kind only each minute.
   */
  async function migrateInCluster(): Promise<void> {
    const body = {
      apiVersion: `storagemigration.k8s.io/${version}`,
      kind: "StorageVersionMigration",
      metadata: { name: "lights" },
      spec: { resource: { group, resource: "lights" } },
    };
    await expectOk(home.request("POST", path, { body }));
    for (let count = 0; !(await hasEnded()); count++) {
      const busy = {
        ...examplesOf("lights")[0],
        apiVersion: `${group}/v1`,
        metadata: { name: `busy-${count}` },
      };
      await expectOk(patient(() => home.request("POST", pathOf("lights", "v1"), { body: busy })));
      await expectOk(patient(() => home.request("DELETE", pathOf("lights", "v1", `busy-${count}`))));
      await wait(100);
    }
  }

  async function hasEnded(): Promise<boolean> {
    const migration = await expectOk(home.request("GET", `${path}/lights`));
    const is = (type: string, status: string) => (each: Json) =>
      get(each, "type") === type && get(each, "status") === status;
    const conditions = listAt(migration, "status", "conditions");
    return conditions.some(is("Failed", "True")) && conditions.some(is("Running", "False"));
  }

  async function specs() {
    const objects = Object.entries(await list(home, "lights", "v1"));
    return objects
      .filter(([name]) => !name.startsWith("busy-"))
      .map(([name, object]) => [name, get(object, "spec")]);
  }
}
