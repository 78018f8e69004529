import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, isObject, type Json } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

// The steps of action.yml run as a runner would run them, in a Git repository with a changed CRD.

const [action] = readYaml(readFileSync("action.yml", "utf8"));
const listed = get(action?.value, "runs", "steps");
const steps = isArray(listed) ? listed : [];

describe("the GitHub Action", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "antechamber-action-"));
    mkdirSync(path.join(folder, "crd"));
    git("init", "--quiet");
    writeFileSync(path.join(folder, "crd", "gadgets.yaml"), crd(10));
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@a.example", "commit", "--quiet", "-m", "First");
    writeFileSync(path.join(folder, "crd", "gadgets.yaml"), crd(8));
    writeFileSync(path.join(folder, "gadget.yaml"), gadget(9));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("compares a folder of CRDs with the base revision, and annotates the line", () => {
    const { status, stdout } = step("Compat", { compat: "crd", base: "HEAD" });
    expect(stdout).toContain("::error file=crd/gadgets.yaml,line=16");
    expect(status).toBe(1);
  });

  it("fails where one of several sides cannot be compared", () => {
    const { status, stderr } = step("Compat", { compat: "absent\ncrd", base: "HEAD" });
    expect(stderr).toContain("absent");
    expect(status).toBe(1);
  });

  it("validates objects by CRDs, and annotates the line", () => {
    const { status, stdout } = step("Validate", { validate: "gadget.yaml", crd: "crd" });
    expect(stdout).toContain("::error file=gadget.yaml,line=4");
    expect(status).toBe(1);
  });

  it("validates objects by folders of kinds", () => {
    const room = path.resolve("webhooks/home/room");
    const inputs = { validate: path.join(room, "examples"), webhooks: room };
    expect(step("Validate", inputs)).toMatchObject({ status: 0 });
  });

  it("verifies folders of kinds", () => {
    const inputs = { verify: path.resolve("webhooks/home/lock"), runs: "2" };
    expect(step("Verify", inputs)).toMatchObject({ status: 0 });
  }, 60_000);

  it("a step is left out without its input", () => {
    const conditions = steps.map((each) => get(each, "if")).filter((each) => each !== undefined);
    expect(conditions).toEqual(
      ["verify", "validate", "compat"].map((name) => `\${{ !cancelled() && inputs.${name} != '' }}`),
    );
  });

  /** Runs a step with inputs. */
  function step(name: string, inputs: Readonly<Record<string, string>>) {
    const found = steps.find((each) => get(each, "name") === name);
    const script = String(get(found, "run"));
    const env = Object.entries(asObject(get(found, "env"))).map(([key, value]) => [
      key,
      filled(value, inputs),
    ]);
    return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd: folder,
      encoding: "utf8",
      env: {
        ...Object.fromEntries(env),
        PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
        HOME: folder,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        GITHUB_ACTION_PATH: process.cwd(),
      },
    });
  }

  /** A value with an input in place of its expression; one that was not given is empty. */
  function filled(value: Json, inputs: Readonly<Record<string, string>>): string {
    return String(value).replace(/^\$\{\{ inputs\.(\w+) \}\}$/, (_, name: string) => inputs[name] ?? "");
  }

  function git(...args: readonly string[]): void {
    execFileSync("git", args, { cwd: folder, env: { PATH: process.env.PATH ?? "", HOME: folder } });
  }
});

function asObject(value: Json | undefined): Readonly<Record<string, Json>> {
  return isObject(value) ? value : {};
}

function crd(maximum: number): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.example.org }
spec:
  group: example.org
  names: { kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer, maximum: ${maximum} } } }
`;
}

function gadget(size: number): string {
  return `apiVersion: example.org/v1
kind: Gadget
metadata: { name: one }
spec: { size: ${size} }
`;
}
