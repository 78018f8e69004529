import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPairs } from "../checks/crd/compat-pairs.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

describe("compat", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "antechamber-compat-test-"));
    for (const [index, pair] of readPairs().slice(0, 2).entries()) {
      for (const side of ["old", "new"] as const) {
        mkdirSync(path.join(folder, side), { recursive: true });
        writeFileSync(path.join(folder, side, `${index}.yaml`), JSON.stringify(pair[side]));
      }
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const sides = () => [path.join(folder, "old"), path.join(folder, "new")] as const;

  it("prints each finding with its object, worst first, and exits with 1", async () => {
    const { code, stdout, stderr } = await antechamber(["compat", ...sides()]);
    expect(stdout).toContain("breaking  v1 spec.size: is now refused: Invalid value: 9");
    expect(stdout).toContain("spec.size: maximum 10 → 8");
    expect(stdout).toContain('object  {"spec":{"size":9}}');
    expect(stdout).toContain("such objects stay writable");
    expect(stdout).toContain("2 kinds: 1 breaking, 0 risky, 1 safe");
    expect(stderr).toContain("1 breaking change");
    expect(code).toBe(1);
  });

  it("exits with 0 where nothing breaks", async () => {
    const [, after] = sides();
    expect(await antechamber(["compat", after, after])).toMatchObject({ code: 0 });
  });

  it("a kind that is removed breaks, and a new one is safe", async () => {
    const one = path.join(folder, "old", "0.yaml");
    const other = path.join(folder, "old", "1.yaml");
    const { code, stdout } = await antechamber(["compat", one, other]);
    expect(stdout).toContain("breaking  the kind is removed");
    expect(stdout).toContain("safe      the kind is new");
    expect(code).toBe(1);
  });

  it("the same seed finds the same", async () => {
    const [first, second] = await Promise.all(
      [1, 1].map(() => antechamber(["compat", ...sides(), "-o", "json"])),
    );
    expect(first?.stdout).toBe(second?.stdout);
    expect(JSON.parse(first?.stdout ?? "").counts).toEqual({ breaking: 1, risky: 0, safe: 1 });
  });

  it.each([
    ["junit", "<failure "],
    ["sarif", '"ruleId": "refused"'],
    ["github", "::error file="],
  ])("reports as %s", async (format, words) => {
    const { stdout } = await antechamber(["compat", ...sides(), "-o", format]);
    expect(stdout).toContain(words);
  });

  it("judges given objects, too", async () => {
    const object = {
      apiVersion: "compat.example.org/v1",
      kind: "Pair0",
      metadata: { name: "mine" },
      spec: { size: 10 },
    };
    const file = path.join(folder, "mine.json");
    writeFileSync(file, JSON.stringify(object));
    const { code } = await antechamber(["compat", ...sides(), "-f", file, "--runs", "1"]);
    expect(code).toBe(1);
  });

  it.each([
    [["compat", "absent", "docs"], "absent: no such file or folder, and not a path of a Git revision"],
    [["compat", "HEAD:absent", "docs"], "HEAD:absent: "],
    [["compat", "--upload-pack=x:y", "docs"], "unknown option"],
    [["compat", "docs", "docs"], "docs: no CustomResourceDefinition found"],
    [["compat", "docs"], "name the old and the new side"],
    [["compat", "docs", "docs", "--kubeconfig", "k"], "the old side is the cluster"],
  ])("exits with 2 for %j", async (args, sentence) => {
    const { code, stderr } = await antechamber(args);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });
});

describe("compat of what is no CRD that an API server would take", () => {
  const names = { kind: "Foo", plural: "foos" };
  const version = (name: string, openAPIV3Schema: object) => ({
    ...{ name, served: true, storage: name === "v1" },
    schema: { openAPIV3Schema },
  });
  const crd = (more: object, spec: object) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.example.org" },
    spec: {
      ...{ group: "example.org", scope: "Namespaced", names },
      versions: ["v1", "v2"].map((name) => version(name, { type: "object" })),
      ...spec,
    },
    ...more,
  });
  const hook = (service: object) => ({
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { service } },
    },
  });

  it.each([
    [
      "an XRD without a schema",
      crd(
        { apiVersion: "apiextensions.crossplane.io/v2", kind: "CompositeResourceDefinition" },
        { versions: [{ name: "v1", served: true, referenceable: true }] },
      ),
      "spec.versions[0].schema: Required value: Crossplane makes no CRD without it",
    ],
    [
      "an XRD whose claims have the name of its composite resources",
      crd(
        { apiVersion: "apiextensions.crossplane.io/v1", kind: "CompositeResourceDefinition" },
        { claimNames: { kind: "Foo", plural: "foolets" } },
      ),
      'spec.claimNames.kind: Invalid value: "Foo": it is that of the composite resource already',
    ],
    [
      "a CRD of v1beta1",
      crd({ apiVersion: "apiextensions.k8s.io/v1beta1" }, {}),
      "was removed in Kubernetes 1.22",
    ],
    [
      "a boolean for the namespace of the Service",
      crd({}, hook({ name: "hook", namespace: true })),
      "service.namespace of type string; YAML reads true, yes, on and y, and their opposites, as booleans",
    ],
    [
      "a Service without a name, of which the API server names the other field",
      crd({}, hook({ namespace: "x" })),
      "service.namespace: Required value; it is the name that is missing",
    ],
    [
      "a type that is none",
      crd(
        {},
        {
          versions: [
            version("v1", { type: "object", properties: { false: { type: "int" } } }),
            version("v2", { type: "object" }),
          ],
        },
      ),
      "spec.versions[0].schema.openAPIV3Schema.properties[false].type: Unsupported value",
    ],
  ])("says of %s what would do", async (_what, object, sentence) => {
    const files = await folderOf({
      "crd.yaml": JSON.stringify(object),
      "foo.yaml": "{apiVersion: example.org/v1, kind: Foo}",
    });
    for (const args of [
      ["compat", `${files}/crd.yaml`, `${files}/crd.yaml`],
      ["validate", "--crd", `${files}/crd.yaml`, "-f", `${files}/foo.yaml`],
      ["verify", "--url", "https://localhost:1/convert", "--crd", `${files}/crd.yaml`],
    ]) {
      const { code, stderr } = await antechamber(args);
      expect(stderr).toContain(sentence);
      expect(code).toBe(2);
    }
  });
});

describe("compat of folders of kinds in Git", () => {
  let folder: string;
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  const compat = (...args: readonly string[]) =>
    spawnSync(process.execPath, [path.resolve("src/cli.ts"), "compat", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "antechamber-compat-git-"));
    writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
    cpSync("webhooks/home", path.join(folder, "webhooks/home"), { recursive: true });
    git("init", "--quiet");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@a.example", "commit", "--quiet", "-m", "First");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("says of a path that is not there that it is not, also outside a Git repository", () => {
    const outside = spawnSync(process.execPath, [path.resolve("src/cli.ts"), "compat", "absent", "absent"], {
      cwd: tmpdir(),
      encoding: "utf8",
    });
    expect(outside).toMatchObject({ status: 2 });
    expect(outside.stderr).toContain("absent: no such file or folder, and not a path of a Git revision");
  }, 30_000);

  it("finds nothing where nothing changed, and leaves the index and the files alone", () => {
    const { status, stdout } = compat("HEAD:webhooks", "webhooks");
    expect(stdout).toContain("3 kinds: 0 breaking, 0 risky, 0 safe");
    expect(status).toBe(0);
    expect(git("status", "--porcelain")).toBe("");
  }, 30_000);

  it("finds a value that another version reads otherwise after a change of the lens", () => {
    const file = path.join(folder, "webhooks/home/lock-state.ts");
    const lens = readFileSync(file, "utf8");
    const negated = lens.replace(
      '[true, "Locked"], [false, "Unlocked"]',
      '[false, "Locked"], [true, "Unlocked"]',
    );
    expect(negated).not.toBe(lens);
    writeFileSync(file, negated);
    const { stdout } = compat("HEAD:webhooks", "webhooks");
    writeFileSync(file, lens);
    expect(stdout).toMatch(/v1beta1 → v1 spec\.desiredState: .* is now read as/);
    expect(stdout).toContain("the lenses differ");
  }, 30_000);
});
