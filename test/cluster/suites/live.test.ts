import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { antechamberProcess } from "../../support/cli.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import { establishCrd } from "../crd.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// `--live` reads every stored object of a cluster: more than one page of them, of which three are not as the new schema wants.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("--live checks every stored object", claims);

const objects = 620;
const odd = ["default/gizmo-0", "default/gizmo-1", "default/gizmo-2"];

function claims(): void {
  let server: ApiServer;
  let folder: string;
  const live = (...args: readonly string[]) =>
    antechamberProcess([...args, "--live", "--kubeconfig", server.kubeconfig]);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "antechamber-live-"));
    await writeKind(folder);
    await writeFile(path.join(folder, "new.yaml"), JSON.stringify(crd(8, 8)));
    server = await startApiServer();
    await establishCrd(server, crd(5, 10));
    for (let from = 0; from < objects; from += 20)
      await Promise.all(Array.from({ length: 20 }, (_, at) => create(from + at)));
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function create(number: number): Promise<void> {
    const name = `gizmo-${number}`;
    const body = {
      apiVersion: "live.example.org/v1",
      kind: "Gizmo",
      metadata: { name },
      spec: { size: number < 3 ? 9 : 1 },
    };
    // An apply is not delayed while the kind is young, as a POST is.
    const url = `/apis/live.example.org/v1/namespaces/default/gizmos/${name}?fieldManager=test`;
    const contentType = "application/apply-patch+yaml";
    const { status, text } = await server.request("PATCH", url, { body, contentType });
    expect(status, text).toBe(201);
  }

  it("validate names those that the new schema refuses", async () => {
    const { code, stdout, stderr } = await live("validate", "--crd", path.join(folder, "new.yaml"));
    expect(namesIn(stdout)).toEqual(odd);
    expect(stdout).toContain(
      "spec.size: Invalid value: 9: spec.size in body should be less than or equal to 8",
    );
    expect(stderr).toContain(`${objects} stored objects checked, 3 with faults`);
    expect(code).toBe(1);
  }, 60_000);

  it("a sample is said to be one", async () => {
    const { stderr } = await live("validate", "--crd", path.join(folder, "new.yaml"), "--sample", "62");
    expect(stderr).toContain(`62 stored objects checked (sampled from ${objects})`);
  }, 60_000);

  it.each([
    ["convert --check", ["convert", "--check", "--webhooks", "kinds"]],
    ["verify", ["verify", "kinds"]],
  ] as const)(
    "%s names those that another version forbids",
    async (_name, args) => {
      const [first, ...rest] = args.map((arg) => (arg === "kinds" ? path.join(folder, "kinds") : arg));
      const { code, stdout, stderr } = await live(first ?? "", ...rest);
      expect(stderr).toContain(`${objects} stored objects checked, 3 with faults`);
      expect(namesIn(stdout)).toEqual(odd);
      expect(stdout).toContain("at v1beta1: spec.size: Invalid value: 9");
      expect(code).toBe(1);
    },
    60_000,
  );

  it("compat takes the CRD of the cluster as the old side", async () => {
    const args = ["compat", path.join(folder, "new.yaml"), "--kubeconfig", server.kubeconfig];
    const { code, stdout } = await antechamberProcess(args);
    expect(stdout).toContain("v1 spec.size: is now refused: Invalid value: 9");
    expect(stdout).toContain("v1beta1 spec.size: is now accepted");
    expect(code).toBe(1);
  }, 60_000);

  it("a kind that the cluster does not have is skipped, and said", async () => {
    const { code, stderr } = await live("validate", "--webhooks", "webhooks/home/room");
    expect(stderr).toContain("rooms.home.antechamber.dev: not in this cluster, skipped");
    expect(code).toBe(0);
    const release = releaseOf(process.env);
    expect(stderr).toMatch(
      new RegExp(`the cluster runs Kubernetes v${release}\\.\\d+: objects are checked as by v${release}\\n`),
    );
    const given = await live("validate", "--webhooks", "webhooks/home/room", "--kubernetes-version", "1.36");
    expect(given).toMatchObject({ code: 0, stderr: expect.not.stringContaining("the cluster runs") });
  }, 60_000);
}

function namesIn(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^gizmos\.live\.example\.org (\S+)$/gm)]
    .map(([, name]) => name ?? "")
    .toSorted();
}

function version(name: string, maximum: number): JsonObject {
  const size: Json = { type: "integer", maximum };
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size } } },
  };
  return { name, served: true, storage: name === "v1", schema: { openAPIV3Schema } };
}

function crd(old: number, current: number): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gizmos.live.example.org" },
    spec: {
      group: "live.example.org",
      names: { kind: "Gizmo", listKind: "GizmoList", plural: "gizmos", singular: "gizmo" },
      scope: "Namespaced",
      versions: [version("v1beta1", old), version("v1", current)],
    },
  };
}

/** A folder with the kind, whose versions have the same fields. */
async function writeKind(folder: string): Promise<void> {
  const kind = path.join(folder, "kinds", "live", "gizmo");
  await mkdir(path.join(kind, "examples"), { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  await writeFile(
    path.join(kind, "kind.ts"),
    `import { defineKind, lens, version } from "antechamber";
export default defineKind({ group: "live.example.org", kind: "Gizmo", plural: "gizmos", scope: "Namespaced",
  versions: [version("v1beta1", lens()), version("v1")] });
`,
  );
  for (const [name, maximum] of [
    ["v1beta1", 5],
    ["v1", 10],
  ] as const) {
    const entry = { ...version(name, maximum), subresources: { status: {} } };
    await writeFile(path.join(kind, `${name}.yaml`), JSON.stringify(entry));
  }
  const example = {
    apiVersion: "live.example.org/v1",
    kind: "Gizmo",
    metadata: { name: "one" },
    spec: { size: 1 },
  };
  await writeFile(path.join(kind, "examples", "one.yaml"), JSON.stringify(example));
}
