import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, run } from "../../../src/cluster/local/child.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { group, type Home, startHome } from "../home.ts";
import { create, examplesOf, expectOk, list } from "../kinds.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
// Each claim begins where the one before has ended.
else describe("a version that leaves, by the audit log of an API server", { shuffle: false }, claims);

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata", resources: [{ group }] }, { level: "Metadata" }],
};

function claims(): void {
  let folder: string;
  let log: string;
  let home: Home;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "antechamber-audit-"));
    log = path.join(folder, "audit.log");
    await writeFile(path.join(folder, "policy.json"), JSON.stringify(policy));
    const flags = [
      `--audit-policy-file=${path.join(folder, "policy.json")}`,
      `--audit-log-path=${log}`,
      "--audit-log-mode=blocking",
    ];
    home = await startHome(["webhooks/home"], flags);
    for (const example of examplesOf("lights")) await create(home, "lights", example);
  }, 100_000);
  afterAll(async () => {
    await home?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is named with the user and the program of each client that used it", async () => {
    const rights = ["create", "clusterrole", "reader", "--verb=get,list", `--resource=lights.${group}`];
    for (const args of [
      rights,
      ["create", "clusterrolebinding", "reader", "--clusterrole=reader", "--user=clerk"],
    ])
      expect(await home.kubectl(args)).toMatchObject({ code: 0 });
    const read = await home.kubectl(["get", `lights.v1beta1.${group}`], { as: "clerk" });
    expect(read, read.stderr).toMatchObject({ code: 0 });
    const ran = await retire("--assume", "unused");
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/by the audit log, clients have used v1beta1 since /);
    expect(ran.stderr).toMatch(/clerk \(kubectl\/v[^;]*; \d+ requests?, the last at 2\d{3}-/);
    expect(ran.stderr).toContain("admin (no user agent; ");
    expect(ran.stderr).not.toContain("admin (kubectl");
    const plan = await retire("plan", "--assume", "unused");
    expect(plan.stdout).toMatch(/then blocked: by the audit log, clients have used v1beta1/);
  }, 60_000);

  it("has its clients in the status, too", async () => {
    const ran = await antechamber("status", "lights", "--audit-log", log);
    const [, clients] = ran.stdout.split(/^Clients by the audit log, from .*\n/m);
    expect(clients, ran.stdout + ran.stderr).toMatch(/^ {2}KIND .*\n {2}lights\.home\.antechamber\.dev +v1/);
    expect(clients).toMatch(/ v1beta1 .*\n?.* clerk +kubectl\/v\S+ .* \d+ +2\d{3}-/);
    const same = await antechamber("evolve", "lights", "status", "--audit-log", log);
    expect(same.stdout).toContain("Clients by the audit log");
  }, 60_000);

  it("is not taken for unused by a log without the kind", async () => {
    const other = path.join(folder, "other.log");
    const lines = (await readFile(log, "utf8")).split("\n");
    await writeFile(other, lines.filter((line) => !line.includes('"lights"')).join("\n"));
    const ran = await evolve(other, "--assume", "unused", "--unused-for", "1s");
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no event of this kind at any version"),
    });
  }, 60_000);

  it("is no longer served once the log shows no client for the time, beside the metrics", async () => {
    const before = await list(home, "lights", "v1");
    // Real time must pass since the last read, by the log and by the metrics: until then the command says when it may go.
    await expect
      .poll(async () => (await retire("--unused-for", "1s")).code, { timeout: 120_000, interval: 500 })
      .toBe(0);
    const read = await home.kubectl(["get", `lights.v1beta1.${group}`]);
    expect(read.code).toBe(1);
    expect(Object.keys(await list(home, "lights", "v1"))).toEqual(Object.keys(before));
    await expectOk(home.request("GET", `/apis/${group}/v1/lights`));
  }, 150_000);

  const retire = (...more: readonly string[]) => evolve(log, ...more);

  function evolve(file: string, ...more: readonly string[]): Promise<Ran> {
    const [action, ...rest] = more[0] === "plan" ? more : ["run", ...more];
    const args = ["lights", action ?? "run", "--retire", "v1beta1", "--settle", "500ms"];
    return antechamber("evolve", ...args, "--audit-log", file, ...rest);
  }

  function antechamber(...args: readonly string[]): Promise<Ran> {
    const all = ["src/cli.ts", ...args, "--kubeconfig", home.kubeconfig];
    return run({ command: process.execPath, args: all }, process.env);
  }
}
