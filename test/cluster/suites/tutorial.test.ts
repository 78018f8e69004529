import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copyCheckout, unpack } from "../../deployment/installed.ts";
import { PageReader } from "../../repository/page-reader.ts";
import { leftOut, requireBinaries } from "../binaries.ts";

// docs/learn/tutorial.md as its readers follow it. Without a network, `npm ci` and `npm install` link what this checkout has.
const binaries = requireBinaries();
if (binaries === undefined) it(leftOut, () => {});
else describe("docs/learn/tutorial.md", () => claims(path.dirname(binaries.kubectl)));

function claims(tools: string): void {
  it("its commands do and print what it says", async () => {
    const root = mkdtempSync(path.join(tmpdir(), "antechamber-tutorial-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const checkout = path.join(root, "antechamber");
    copyCheckout(checkout);
    const shell = new SecondShell();
    onTestFinished(() => shell.signal("SIGKILL"));
    const reader = new PageReader(checkout, [tools], {
      "npm ci": () => "",
      "npm install": ({ folder }) => install(folder),
      "npx antechamber dev": (first) => shell.develop(first),
    });
    expect(await reader.follow("docs/learn/tutorial.md")).toBe(23);
    await shell.interrupt();
  }, 300_000);
}

function install(folder: string): string {
  unpack(path.join(folder, "../antechamber/antechamber-0.1.0.tgz"), folder);
  const programs = path.join(folder, "node_modules/.bin");
  mkdirSync(programs);
  symlinkSync("../antechamber/bin/antechamber.js", path.join(programs, "antechamber"));
  symlinkSync(path.resolve("node_modules/.bin/tsc"), path.join(programs, "tsc"));
  return "";
}

/** The shell in which `antechamber dev` runs. */
class SecondShell {
  #child: ChildProcess | undefined;

  async develop({ folder, environment }: PageReader): Promise<string> {
    const child = spawn("npx", ["antechamber", "dev"], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true, // a process group of its own, which Ctrl-C in a terminal reaches as a whole
    });
    this.#child = child;
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
    const ready = () => expect(printed).toContain("Ctrl-C ends both");
    await vi.waitFor(ready, { timeout: 90_000, interval: 200 });
    return printed;
  }

  async interrupt(): Promise<void> {
    if (this.#child === undefined) throw new Error("the page does not start antechamber dev");
    const ended = once(this.#child, "close");
    this.signal("SIGINT");
    await ended;
    this.#child = undefined;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, signal);
  }
}
