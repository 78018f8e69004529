import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PageReader } from "../../repository/page-reader.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { startApiServer } from "../server.ts";

// docs/learn/guard.md as its readers follow it, with a shell for the webhook and one for the guard.
const binaries = requireBinaries();
if (binaries === undefined) it(leftOut, () => {});
else describe("docs/learn/guard.md", () => claims(path.dirname(binaries.kubectl)));

function claims(tools: string): void {
  it("its commands do and print what it says", async () => {
    const server = await startApiServer();
    onTestFinished(() => server.stop());
    const root = mkdtempSync(path.join(tmpdir(), "antechamber-guard-tutorial-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [webhook, guard] = [new Shell(), new Shell()];
    onTestFinished(() => Promise.all([webhook.interrupt(), guard.interrupt()]).then(() => {}));
    const serve = "npx antechamber guard serve widgets.example.com";
    const ports = "--port 19444 --ops-port 18080";
    const reader = new PageReader(root, [programsIn(root), tools], {
      "node webhook.mjs": (first) => webhook.start(first, "exec node webhook.mjs", "the webhook serves"),
      [`${serve} --shadow ${ports}`]: (first) =>
        guard.start(first, `${serve} --shadow ${ports}`, "the upstream answers"),
      [`${serve} ${ports}`]: async (first) => {
        await guard.interrupt();
        return guard.start(first, `${serve} ${ports}`, "the upstream answers");
      },
    });
    reader.environment.KUBECONFIG = server.kubeconfig;
    expect(await reader.follow("docs/learn/guard.md")).toBe(20);
  }, 120_000);
}

/** A folder with an `npx` that runs this checkout. */
function programsIn(root: string): string {
  const folder = path.join(root, "bin");
  mkdirSync(folder);
  const file = path.join(folder, "npx");
  writeFileSync(file, `#!/bin/sh\nshift\nexec '${process.execPath}' '${path.resolve("src/cli.ts")}' "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}

/** A shell in which one program runs until Ctrl-C. */
class Shell {
  #child: ChildProcess | undefined;

  async start(reader: PageReader, command: string, ready: string): Promise<string> {
    const { folder, environment } = reader;
    const child = spawn("sh", ["-c", command.replace(/^npx/, "exec npx")], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        printed += chunk;
      });
    await vi.waitFor(() => expect(printed).toContain(ready), { timeout: 30_000, interval: 100 });
    return printed;
  }

  async interrupt(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGINT");
    await ended;
    this.#child = undefined;
  }
}
