import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { antechamber, antechamberProcess } from "./support/cli.ts";
import { folderOf } from "./support/folder.ts";

// The tests of commands run them in this process (`antechamber`); here each runs in a process of its own. For `serve` see
// test/hostile.test.ts and others, through support/service.ts; for Ctrl-C test/commands/verify.test.ts.

const light = (spec: string) =>
  `{apiVersion: home.antechamber.dev/v1, kind: Light, metadata: {name: hall}, spec: ${spec}}`;

it.each([
  ["convert", ["--to", "v1beta1", "-f", "-"], 0, /^apiVersion: home.antechamber.dev\/v1beta1$/m, /^$/],
  ["validate", ["-f", "-"], 1, /^$/, /^The Light "hall" is invalid: spec.brightness: .*\n1 of 1 rejected$/m],
  ["admit", ["-f", "-"], 0, /^stdin:1: CREATE Light hall: allowed/m, /^$/],
  ["inject", ["-f", "-"], 2, /^$/, /^-: there is neither a pod nor an object with a pod template$/m],
  ["migrate", ["doors"], 2, /^$/, /^doors: unknown kind; known kinds are broadcastjobs\./m],
  ["verify", ["--kind", "Door"], 2, /^$/, /^--kind Door: unknown kind; known kinds are Light/m],
])(
  "%s as a process reads its input, writes its output and exits with its code",
  async (command, args, code, out, err) => {
    const ran = await antechamberProcess([command, ...args], { input: light("{brightness: 2}") });
    expect(ran.code, ran.stderr).toBe(code);
    expect(ran.stdout).toMatch(out);
    expect(ran.stderr).toMatch(err);
  },
);

it("certs as a process exits when its files are written", async () => {
  const folder = await folderOf({});
  const ran = await antechamberProcess(["certs", "--out", folder, "--host", "localhost"]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(folder), stderr: "" });
});

it("manifests as a process exits with 0 if its reader closes the pipe", async () => {
  const child = spawn(process.execPath, ["src/cli.ts", "manifests"], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  expect({ ended: await once(child, "close"), stderr }).toEqual({ ended: [0, null], stderr: "" });
});

it("output has colours only on a terminal", async () => {
  const args = ["admit", "-o", "diff", "-f", "-"];
  const input = light("{transition: 250ms, device: {address: 'matter://kit'}}");
  const [onTerminal, elsewhere] = await Promise.all(
    [true, false].map((isTTY) => antechamber(args, { input, isTTY })),
  );
  expect(onTerminal?.stdout).toContain("\u001b[");
  expect(elsewhere?.stdout).not.toContain("\u001b[");
  expect(elsewhere?.stdout).toMatch(/^\+/m);
});
