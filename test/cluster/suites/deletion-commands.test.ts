import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path, { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, type JsonObject } from "../../../src/json/json.ts";
import { applyCrd, inForce } from "../../checks/crd/compat-replay.ts";
import { createKinds } from "../../schema/schemas-server.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// The commands that say what a migration or another CRD deletes, outside any project. That they are right about random objects is
// shown in deletions.test.ts.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the commands that count deletions", { shuffle: false }, claims);

function claims(): void {
  let server: ApiServer;
  let folder: string;
  beforeAll(async () => {
    server = await startApiServer();
    folder = mkdtempSync(join(tmpdir(), "antechamber-deletions-"));
    await createKinds(server, [crd("v1alpha2", [alpha])]);
    for (const name of ["a", "b", "c", "d"]) await create(name, { size: 1, old: "x" });
    await create("e", { size: 2 });
  }, 100_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server?.stop();
  });

  // In a folder without kinds.
  const run = (...args: readonly string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const all = [path.resolve("src/cli.ts"), ...args, "--kubeconfig", server.kubeconfig];
      execFile(process.execPath, all, { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  const compat = (after: JsonObject) => {
    writeFileSync(join(folder, "new.yaml"), JSON.stringify(after));
    return run("compat", "new.yaml", "--objects");
  };

  it("compat names the objects that lose values once the CRD is replaced", async () => {
    const { code, stdout } = await compat(crd("v1", [alpha, v1]));
    expect(stdout).toContain(
      [
        "  breaking  4 objects stored as v1alpha2 lose values with the first write at v1alpha2 or v1, if only of a label:",
        "            spec.old  of 4 objects: default/a, default/b, default/c, …",
      ].join("\n"),
    );
    expect(code).toBe(1);
  });

  it("compat finds nothing in objects where the CRD stays as it is", async () => {
    expect(await compat(crd("v1alpha2", [alpha]))).toMatchObject({ code: 0 });
  });

  it("migrate counts first, names three objects for each field, and writes nothing", async () => {
    const replaced = crd("v1", [alpha, v1]);
    await applyCrd(server, replaced);
    await inForce(server, replaced);
    for (const dryRun of [[], ["--dry-run"]]) {
      const { code, stderr } = await run("migrate", "shelves", ...dryRun);
      expect(stderr).toContain(
        [
          "shelves.deletions.example.org: a migration to v1 deletes values of 4 objects stored as v1alpha2:",
          "  spec.old  of 4 objects: default/a, default/b, default/c, …",
        ].join("\n"),
      );
      expect(stderr).toContain(
        "a StorageVersionMigration of the cluster, which writes at v1, deletes values of 4 objects",
      );
      expect(code).toBe(1);
      expect(await oldOf("a")).toBe("x");
    }
  });

  it("migrate refuses where stored objects cannot be read, as their version is not served", async () => {
    const unserved = crd("v1", [{ ...alpha, served: false }, v1]);
    await applyCrd(server, unserved);
    await inForce(server, unserved);
    const { code, stderr } = await run("migrate", "shelves.deletions.example.org");
    expect(stderr).toContain("set served: true for v1alpha2 while you count");
    expect(code).toBe(1);
    const served = crd("v1", [alpha, v1]);
    await applyCrd(server, served);
    await inForce(server, served);
    expect(await oldOf("a")).toBe("x");
  });

  it("migrate deletes them with --allow-loss", async () => {
    const { code, stdout } = await run("migrate", "Shelf", "--allow-loss");
    expect(stdout).toContain("5 objects stored as v1; storedVersions: v1alpha2, v1 → v1");
    expect(code).toBe(0);
    expect(await oldOf("a")).toBeUndefined();
  });

  it("migrate says nothing more where nothing is lost", async () => {
    const { code, stderr } = await run("migrate", "shelves", "--dry-run");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("migrate says what would do where it has no CRD to migrate", async () => {
    expect(await run("migrate")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("name the CRDs to migrate: there is no folder of kinds here"),
    });
    expect(await run("migrate", "doors")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("doors: no resource of https://"),
    });
  });

  async function create(name: string, spec: JsonObject): Promise<void> {
    const body = { apiVersion: `${group}/v1alpha2`, kind: "Shelf", metadata: { name }, spec };
    const { status, text } = await server.request("POST", pathOf("v1alpha2"), { body });
    expect(status, text).toBe(201);
  }

  async function oldOf(name: string): Promise<unknown> {
    const { body } = await server.request("GET", `${pathOf("v1alpha2")}/${name}`);
    return get(body, "spec", "old");
  }
}

const group = "deletions.example.org";

function pathOf(version: string): string {
  return `/apis/${group}/${version}/namespaces/default/shelves`;
}

function version(name: string, properties: JsonObject): JsonObject {
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
  return { name, served: true, schema: { openAPIV3Schema } };
}

const alpha = version("v1alpha2", { size: { type: "integer" }, old: { type: "string" } });
const v1 = version("v1", { size: { type: "integer" } });

function crd(storage: string, versions: readonly JsonObject[]): JsonObject {
  const names = { kind: "Shelf", listKind: "ShelfList", plural: "shelves", singular: "shelf" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `shelves.${group}` },
    spec: {
      group,
      names,
      scope: "Namespaced",
      versions: versions.map((each) => ({ ...each, storage: each.name === storage })),
    },
  };
}
