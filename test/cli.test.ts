import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { antechamber, antechamberProcess } from "./support/cli.ts";
import { folderOf } from "./support/folder.ts";

// What commands do is tried in this process (`antechamber`); here each is a process of its own. Of `serve`:
// test/hostile.test.ts and others, through support/service.ts; of Ctrl-C: test/commands/verify.test.ts.

const light = (spec: string) =>
  `{apiVersion: home.antechamber.dev/v1, kind: Light, metadata: {name: hall}, spec: ${spec}}`;

it.each([
  ["convert", ["--to", "v1beta1", "-f", "-"], 0, /^apiVersion: home.antechamber.dev\/v1beta1$/m, /^$/],
  ["validate", ["-f", "-"], 1, /^$/, /^The Light "hall" is invalid: spec.brightness: .*\n1 of 1 refused$/m],
  ["admit", ["-f", "-"], 0, /^stdin:1: CREATE Light hall: allowed/m, /^$/],
  ["inject", ["-f", "-"], 2, /^$/, /^stdin:1: nothing is injected into Light of /],
  ["migrate", ["doors"], 2, /^$/, /^doors: no kind is called so; there are lights\./m],
  ["verify", ["--kind", "Door"], 2, /^$/, /^--kind Door: no kind is called so; there are Light/m],
])("%s is a process that reads, writes and ends with its code", async (command, args, code, out, err) => {
  const ran = await antechamberProcess([command, ...args], { input: light("{brightness: 2}") });
  expect(ran.code, ran.stderr).toBe(code);
  expect(ran.stdout).toMatch(out);
  expect(ran.stderr).toMatch(err);
});

it("certs is a process that ends when its files are written", async () => {
  const folder = await folderOf({});
  const ran = await antechamberProcess(["certs", "--out", folder, "--host", "localhost"]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(folder), stderr: "" });
});

it("manifests is a process, to which a reader that has seen enough is no fault", async () => {
  const child = spawn(process.execPath, ["src/cli.ts", "manifests"], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  expect({ ended: await once(child, "close"), stderr }).toEqual({ ended: [0, null], stderr: "" });
});

it("a terminal has colours, and anything else has none", async () => {
  const args = ["admit", "-o", "diff", "-f", "-"];
  const input = light("{transition: 250ms, device: {address: 'matter://kit'}}");
  const [onTerminal, elsewhere] = await Promise.all(
    [true, false].map((isTTY) => antechamber(args, { input, isTTY })),
  );
  expect(onTerminal?.stdout).toContain("\u001b[");
  expect(elsewhere?.stdout).not.toContain("\u001b[");
  expect(elsewhere?.stdout).toMatch(/^\+/m);
});
