import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { describe, expect, it } from "vitest";
import type { Terminal } from "../../src/cli/console.ts";
import { logOf } from "../../src/cli/log.ts";
import { run } from "../../src/cluster/local/child.ts";
import { antechamber, antechamberProcess } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

// The tests of commands run them in this process (`antechamber`); here each runs in a process of its own. For `serve` see
// test/server/hostile/hostile.test.ts and others, through support/service.ts; for Ctrl-C test/cli/verify.test.ts.

const light = (spec: string) =>
  `{apiVersion: home.antechamber.dev/v1, kind: Light, metadata: {name: hall}, spec: ${spec}}`;

it.each([
  ["convert", ["--to", "v1beta1", "-f", "-"], 0, /^apiVersion: home.antechamber.dev\/v1beta1$/m, /^$/],
  [
    "validate",
    ["-f", "-"],
    1,
    /^$/,
    /^The Light "hall" is invalid: spec.brightness: .*\n {2}at stdin:1:83: spec.brightness\n1 of 1 rejected$/m,
  ],
  [
    "admit",
    ["-f", "-"],
    0,
    /^stdin:1: CREATE Light hall: allowed/m,
    /^note: the schema of Light.* was not checked; .*\n$/,
  ],
  ["inject", ["-f", "-"], 2, /^$/, /^-: there is neither a pod nor an object with a pod template$/m],
  ["migrate", ["doors", "--kubeconfig", "/no/such/file"], 2, /^$/, /^\/no\/such\/file cannot be read: /m],
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

it("verify as a process checks kinds although the environment names a kubeconfig", async () => {
  const env = { ANTECHAMBER_KUBECONFIG: "/nowhere/kubeconfig" };
  const ran = await antechamberProcess(["verify", "--kind", "Door"], { env });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/^--kind Door: unknown kind; /) });
});

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

describe("bin/antechamber.js", () => {
  const bin = readFileSync("bin/antechamber.js", "utf8");
  const node = (file: string, options: readonly string[] = []) =>
    run({ command: process.execPath, args: [...options, file, "--version"] }, process.env);
  // As if the process ran on an older Node.js.
  const old = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.18.0"}})`;

  it("runs the sources of a clone without a build, with the Node.js of the clone if the other is too old", async () => {
    const version = { code: 0, stdout: `${JSON.parse(readFileSync("package.json", "utf8")).version}\n` };
    expect(await node("bin/antechamber.js")).toMatchObject(version);
    expect(await node("bin/antechamber.js", ["--import", old])).toMatchObject(version);
  });

  it("says what is missing: the dependencies of a clone, a newer Node.js", async () => {
    const clone = await folderOf({
      "bin/antechamber.js": bin,
      "package.json": '{"type":"module"}',
      "src/cli.ts": "",
    });
    expect(await node(`${clone}/bin/antechamber.js`)).toEqual({
      code: 2,
      stdout: "",
      stderr: "antechamber: the dependencies are not installed; run npm ci first\n",
    });
    const installed = await folderOf({ "bin/antechamber.js": bin, "package.json": '{"type":"module"}' });
    expect(await node(`${installed}/bin/antechamber.js`, ["--import", old])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "antechamber needs Node.js 22.19 or newer; this is 22.18.0. Install a newer one, such as with nvm install 24, or from https://nodejs.org/en/download\n",
    });
  });
});

describe("the log as text", () => {
  const written = (log: (logger: Logger) => void, isTTY: boolean) => {
    const texts: string[] = [];
    const stderr = { isTTY, write: (text: string) => texts.push(text) > 0 };
    log(logOf("info", "text", { stderr, env: {} } as unknown as Terminal));
    return texts.join("");
  };

  it("has time, level, message and members on one line, and a stack below", () => {
    const members = { port: 9443, kinds: ["Room"], name: "a b" };
    expect(written((log) => log.info(members, "serving"), false)).toMatch(
      /^\d\d:\d\d:\d\d INFO {2}serving {2}port=9443 {2}kinds=\["Room"\] {2}name="a b"\n$/,
    );
    const err = { message: "m", stack: "Error: m\n    at f" };
    const failed = written((log) => log.error({ err }, "failed"), true);
    const [first, second, third] = failed.split("\n").map((each) => each.replaceAll("\u001b", "ESC"));
    expect(first).toMatch(/^ESC\[31m\S+ ERROR failedESC\[39m$/);
    expect(second).toBe("ESC[31m  Error: mESC[39m");
    expect(third).toBe("ESC[31m  at fESC[39m");
  });

  it("lets no text of a request write to the terminal", () => {
    expect(written((log) => log.info({ reason: "\u202e" }, "a\u001b[2Jb\nc"), false)).toMatch(
      /^\S+ INFO {2}a\\u\{1b\}\[2Jb\\u\{a\}c {2}reason="\\u\{202e\}"\n$/,
    );
  });
});
