import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { leftOut, requireBinaries } from "../binaries.ts";

// `npm run cluster` prints commands for a second shell.
if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("npm run cluster", claims);

function claims(): void {
  it("prints commands that do what it says, and ends on a signal", async () => {
    const child = spawn(process.execPath, ["test/cluster/main.ts"], { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let [exports, guide] = ["", ""];
    child.stdout.on("data", (chunk) => {
      exports += chunk;
    });
    child.stderr.on("data", (chunk) => {
      guide += chunk;
    });
    await vi.waitFor(() => expect(guide).toContain("Ctrl-C ends them"), { timeout: 120_000, interval: 100 });
    const commands = guide.split("\n").flatMap((line) => (/^ {2}[^ #]/.test(line) ? [line.trim()] : []));
    expect(commands).toHaveLength(12);
    const watch = spawn("sh", ["-c", `${exports}\nexec kubectl get lights --watch`], { env: environment });
    onTestFinished(() => void watch.kill());
    let watched = "";
    watch.stdout.on("data", (chunk) => {
      watched += chunk;
    });
    for (const command of commands) {
      const ran = await run({ command: "sh", args: ["-c", `${exports}\n${command}`] }, environment);
      const isDenied = command.startsWith("kubectl patch lock");
      expect({ command, code: ran.code, stderr: isDenied ? "" : ran.stderr }).toMatchObject({
        command,
        code: isDenied ? 1 : 0,
      });
      if (isDenied) expect(ran.stderr).toContain("the lock is jammed");
    }
    await vi.waitFor(() => expect(watched).toMatch(/^bedside-left +0.3 +0.3 +True/m), { timeout: 10_000 });
    const ended = once(child, "close");
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  }, 240_000);

  // The editor of `kubectl edit` changes nothing.
  const environment = { ...process.env, EDITOR: "true" };
}
