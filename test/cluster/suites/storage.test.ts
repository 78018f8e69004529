import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Ran, run } from "../../../src/cluster/local/child.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf, differences } from "../content.ts";
import { storedObjects } from "../etcd.ts";
import { freeze } from "../freeze.ts";
import { group, type Home, register, startHome } from "../home.ts";
import {
  crdPath,
  create,
  examplesOf,
  expectOk,
  list,
  pathOf,
  plurals,
  setStorage,
  storedVersions,
  versions,
} from "../kinds.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the storage version of the home kinds", claims);

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
  }, 100_000);
  afterAll(() => home?.stop());
  beforeEach(async () => {
    await Promise.all(plurals.map((plural) => home.request("DELETE", pathOf(plural, "v1"))));
  });

  it("can be changed from v1beta1 to v1 and back, while every client reads the same objects", async () => {
    for (const plural of plurals) await store(home, plural, "v1beta1");
    for (const plural of plurals) {
      for (const example of examplesOf(plural)) await create(home, plural, example);
    }
    const before = await everything(home);
    const reader = readAllAlong(home, before);
    for (const version of ["v1", "v1beta1", "v1"]) {
      for (const plural of plurals) await store(home, plural, version);
      expect(await everything(home), `stored half as ${version}`).toEqual(before);
      const migrated = await migrate(home);
      expect(migrated, migrated.stderr).toMatchObject({ code: 0 });
      for (const plural of plurals) {
        expect(await storedIn(home, plural), plural).toEqual([version]);
        expect(await storedVersions(home, plural)).toEqual([version]);
        expect(migrated.stdout).toContain(
          `${plural}.${group}: ${examplesOf(plural).length} objects stored as ${version}`,
        );
      }
    }
    expect(await reader.stop()).toBeGreaterThan(10);
    expect(await everything(home)).toEqual(before);
  }, 60_000);

  it("of a service that is called at a URL is shown without a problem", async () => {
    const args = ["src/cli.ts", "status", "--kubeconfig", home.kubeconfig];
    const ran = await run({ command: process.execPath, args }, process.env);
    expect(ran, ran.stdout).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain(`Service at https://127.0.0.1:${home.service.port}, called by https://`);
    expect(ran.stdout).toMatch(/^ {2}CustomResourceDefinition lights\S+ +1 CA$/m);
  }, 30_000);

  it("needs no write to etcd if all objects are stored in it already", async () => {
    await store(home, "rooms", "v1");
    for (const example of examplesOf("rooms")) await create(home, "rooms", example);
    expect(await migrate(home, "rooms")).toMatchObject({ code: 0 });
    const revisions = async () => (await storedObjects(home, "rooms")).map(({ revision }) => revision);
    const before = await revisions();
    expect(await migrate(home, "rooms", "--drop", "v1alpha1")).toMatchObject({ code: 0 });
    expect(await revisions()).toEqual(before);
  }, 30_000);

  it("is tested for every object in a dry run, and nothing is written", async () => {
    await store(home, "locks", "v1beta1");
    for (const example of examplesOf("locks")) await create(home, "locks", example);
    await store(home, "locks", "v1");
    const ran = await migrate(home, "locks", "--dry-run", "--drop", "v1beta1");
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain(
      "dry run, nothing was written: 15 objects can be stored as v1; 7 objects had fields managed at v1beta1",
    );
    expect(await storedIn(home, "locks")).toEqual(["v1beta1"]);
    expect(await storedVersions(home, "locks")).toEqual(["v1", "v1beta1"]);
  }, 30_000);

  it("is reached by a migration that is interrupted and repeated", async () => {
    await store(home, "lights", "v1beta1");
    const names = Array.from({ length: 300 }, (_, index) => `light-${index}`);
    await Promise.all(names.map((name) => create(home, "lights", oldLight(name))));
    await store(home, "lights", "v1");
    const before = await everything(home);

    const interrupted = await migrateAndInterrupt(home, 60);
    expect(interrupted.code).toBe(1);
    expect(interrupted.stderr).toMatch(
      /\nlights\.home\.antechamber\.dev: interrupted after \d+ of 300 objects; status\.storedVersions is unchanged; run the same command again: it starts from the beginning\n/,
    );
    expect(interrupted.stderr).toContain(`\nrooms.${group}: interrupted before it started\n`);
    expect(await storedIn(home, "lights")).toEqual(["v1", "v1beta1"]);
    expect(await storedVersions(home, "lights")).toEqual(["v1", "v1beta1"]);
    expect(await everything(home)).toEqual(before);

    const repeated = await migrate(home, "lights", "--page-size", "70");
    expect(repeated, repeated.stderr).toMatchObject({ code: 0 });
    expect(repeated.stdout).toBe(
      `lights.${group}: 300 objects stored as v1; storedVersions: v1, v1beta1 → v1\n`,
    );
    expect(await storedIn(home, "lights")).toEqual(["v1"]);
    expect(await everything(home)).toEqual(before);
  }, 60_000);

  it("can be removed after --drop: no object is stored in it or has managedFields entries of it, and all can still be read", async () => {
    await store(home, "locks", "v1beta1");
    for (const example of examplesOf("locks")) await create(home, "locks", example);
    await store(home, "locks", "v1");
    const before = await contents(home, "locks", "v1");
    const early = await home.request("PATCH", crdPath("locks"), {
      body: await without(home, "locks", "v1beta1"),
    });
    expect(early.text).toContain(
      "v1beta1 was previously a storage version, and must remain in spec.versions",
    );

    try {
      const served = await migrate(home, "locks", "--drop", "v1beta1");
      expect(served.stdout).toContain("v1beta1 is still served");
      await expectOk(
        home.request("PATCH", crdPath("locks"), { body: await unserved(home, "locks", "v1beta1") }),
      );
      const ran = await migrate(home, "locks", "--drop", "v1beta1");
      expect(ran.stdout).toContain("v1beta1 can be removed from the CRD");
      expect(await storedIn(home, "locks")).toEqual(["v1"]);
      expect(JSON.stringify(await managers(home, "locks"))).not.toContain("v1beta1");
      await expectOk(
        home.request("PATCH", crdPath("locks"), { body: await without(home, "locks", "v1beta1") }),
      );
      await vi.waitFor(async () =>
        expect((await home.request("GET", pathOf("locks", "v1beta1"))).status).toBe(404),
      );
      expect(await contents(home, "locks", "v1")).toEqual(before);
      for (const name of Object.keys(before)) await expectWritable(home, name);
    } finally {
      await register(home, { url: `https://127.0.0.1:${home.service.port}`, caFile: home.service.caFile });
      await vi.waitFor(async () =>
        expect((await home.request("GET", pathOf("locks", "v1beta1"))).status).toBe(200),
      );
    }
  }, 60_000);

  it("reports a missing CRD, and a version that cannot be dropped", async () => {
    await store(home, "rooms", "v1");
    const missing = await migrate(home, "doors.example.dev");
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^doors\.example\.dev: no such CRD in https:\/\/\S+\n$/);
    expect(await migrate(home, "Room", "--drop", "v1")).toEqual({
      code: 2,
      stdout: "",
      stderr: `--drop v1: this is the storage version of rooms.${group}; change the storage version first\n`,
    });
  });

  it("lists every object that the server rejects, and continues with the others", async () => {
    await store(home, "rooms", "v1beta1");
    for (const example of examplesOf("rooms")) await create(home, "rooms", example);
    await store(home, "rooms", "v1");
    const policy = await freeze(home, "rooms", "loft");
    try {
      const ran = await migrate(home, "rooms");
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toContain(
        `rooms.${group}: 1 object could not be written; status.storedVersions is unchanged`,
      );
      expect(ran.stderr).toContain("  default/loft: ");
      expect(await storedIn(home, "rooms")).toEqual(["v1", "v1beta1"]);
      expect(await storedVersions(home, "rooms")).toEqual(["v1", "v1beta1"]);
    } finally {
      await policy.remove();
    }
    expect(await migrate(home, "rooms")).toMatchObject({ code: 0 });
  }, 60_000);
}

/** Runs `antechamber migrate` as its users do. */
async function migrate(home: Home, ...args: readonly string[]): Promise<Ran> {
  const command = ["src/cli.ts", "migrate", "--kubeconfig", home.kubeconfig, ...args];
  return run({ command: process.execPath, args: command }, process.env);
}

/** Starts a migration of all kinds, lights first, and presses Ctrl-C when so many are written. */
async function migrateAndInterrupt(
  home: Home,
  count: number,
): Promise<{ code: number | null; stderr: string }> {
  let seen = 0;
  const { resourceVersion } = metadataOf(await expectOk(home.request("GET", pathOf("lights", "v1"))));
  const path = `${pathOf("lights", "v1")}?resourceVersion=${resourceVersion}`;
  const args = ["src/cli.ts", "migrate", "--kubeconfig", home.kubeconfig];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const watch = await home.watch(path, ({ type }) => {
    if (type === "MODIFIED" && ++seen === count) child.kill("SIGINT");
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  watch.stop();
  return { code, stderr };
}

/** Changes the storage version, and waits until writes are stored in it. */
async function store(home: Home, plural: string, version: string): Promise<void> {
  await setStorage(home, plural, version);
  const name = "probe";
  const kind = { lights: "Light", locks: "Lock", rooms: "Room" }[plural] ?? "";
  const body = { apiVersion: `${group}/v1`, kind, metadata: { name, labels: { at: String(Date.now()) } } };
  await vi.waitFor(
    async () => {
      const path = `${pathOf(plural, "v1", name)}?fieldManager=probe`;
      await expectOk(home.request("PATCH", path, { body, contentType: "application/apply-patch+yaml" }));
      const probe = (await storedObjects(home, plural)).find((stored) => stored.name === name);
      await expectOk(home.request("DELETE", pathOf(plural, "v1", name)));
      expect(probe?.apiVersion).toBe(`${group}/${version}`);
    },
    { timeout: 15_000, interval: 20 },
  );
}

/** The versions in which the objects of a kind are stored in etcd. */
async function storedIn(home: Home, plural: string): Promise<readonly string[]> {
  const found = (await storedObjects(home, plural)).map(
    ({ apiVersion }) => apiVersion.split("/").at(-1) ?? "",
  );
  return [...new Set(found)].sort();
}

/** The objects of a kind by name, without the fields that the server sets. */
async function contents(home: Home, plural: string, version: string): Promise<JsonObject> {
  const objects = Object.entries(await list(home, plural, version));
  return Object.fromEntries(objects.map(([name, it]) => [name, contentOf(isObject(it) ? it : {})]));
}

/** All kinds at all versions. */
async function everything(home: Home): Promise<JsonObject> {
  const entries: [string, JsonObject][] = [];
  for (const plural of plurals) {
    for (const version of versions) {
      entries.push([`${plural}.${version}`, await contents(home, plural, version)]);
    }
  }
  return Object.fromEntries(entries);
}

/** Reads everything repeatedly; `stop` returns how often, and throws if anything ever differed. */
function readAllAlong(home: Home, expected: JsonObject): { stop: () => Promise<number> } {
  let ending = false;
  const reading = (async () => {
    for (let count = 0; ; count++) {
      if (ending) return count;
      for (const plural of plurals) {
        for (const version of versions) {
          const seen = withoutProbe(await contents(home, plural, version));
          expect(differences(expected[`${plural}.${version}`], seen)).toEqual([]);
        }
      }
      await wait(50);
    }
  })();
  // Awaited in `stop`; until then a failure must not end the process.
  reading.catch(() => {});
  return {
    stop() {
      ending = true;
      return reading;
    },
  };
}

function withoutProbe({ probe: _, ...objects }: JsonObject): JsonObject {
  return objects;
}

async function managers(home: Home, plural: string): Promise<readonly (Json | undefined)[]> {
  return Object.values(await list(home, plural, "v1")).map((it) => get(it, "metadata", "managedFields"));
}

/** A Lock accepts server-side apply and patches from new managers. */
async function expectWritable(home: Home, name: string): Promise<void> {
  const path = pathOf("locks", "v1", name);
  const body = {
    apiVersion: `${group}/v1`,
    kind: "Lock",
    metadata: { name, namespace: "default", labels: { applied: "yes" } },
  };
  const contentType = "application/apply-patch+yaml";
  await expectOk(home.request("PATCH", `${path}?fieldManager=newcomer`, { body, contentType }));
  await expectOk(home.request("PATCH", path, { body: { metadata: { labels: { patched: "yes" } } } }));
}

async function without(home: Home, plural: string, version: string): Promise<JsonObject> {
  const entries = await versionEntries(home, plural);
  return { spec: { versions: entries.filter(({ name }) => name !== version) } };
}

async function unserved(home: Home, plural: string, version: string): Promise<JsonObject> {
  const entries = await versionEntries(home, plural);
  return { spec: { versions: entries.map((it) => (it.name === version ? { ...it, served: false } : it)) } };
}

async function versionEntries(home: Home, plural: string): Promise<readonly JsonObject[]> {
  const entries = get(await expectOk(home.request("GET", crdPath(plural))), "spec", "versions");
  return (isArray(entries) ? entries : []).filter(isObject);
}

function metadataOf(object: Json | undefined): JsonObject {
  const metadata = get(object, "metadata");
  return isObject(metadata) ? metadata : {};
}

function oldLight(name: string): JsonObject {
  const spec = { powered: true, level: "50%", firmware: "1.2" };
  return { apiVersion: `${group}/v1beta1`, kind: "Light", metadata: { name }, spec };
}
