import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type MigrateOptions, migrate } from "../../src/cli/migrate/run.ts";
import { kubeconfigText } from "../../src/cluster/local/kubeconfig.ts";

// What it does to a cluster: test/cluster/migration.test.ts and test/cluster/suites/storage.test.ts.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "antechamber-migrate-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe("antechamber migrate", () => {
  it("says what to pass if there is no kubeconfig", async () => {
    vi.stubEnv("KUBECONFIG", "");
    vi.stubEnv("HOME", folder);
    await expect(ask([])).rejects.toMatchObject({
      exitCode: 2,
      message: "no kubeconfig found; pass --kubeconfig <file>, or set KUBECONFIG",
    });
  });

  it.each([
    ["does not exist", undefined, /kubeconfig cannot be read: ENOENT/],
    ["cannot be parsed", "{", /kubeconfig cannot be read: /],
    ["has no context", "{}", /kubeconfig has no current context; kubectl config use-context sets one/],
    [
      "names a server without https",
      kubeconfigOf("http://127.0.0.1:1"),
      /http:\/\/127\.0\.0\.1:1 is not https/,
    ],
    [
      "names a server that does not answer",
      kubeconfigOf("https://127.0.0.1:1"),
      /https:\/\/127\.0\.0\.1:1 does not answer: connect ECONNREFUSED/,
    ],
  ])("says what is wrong with a kubeconfig that %s", async (_, text, message) => {
    const kubeconfig = join(folder, "kubeconfig");
    if (text !== undefined) writeFileSync(kubeconfig, text);
    await expect(ask(["Room", "rooms"], { kubeconfig })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
    });
  });
});

function ask(words: readonly string[], more: Partial<MigrateOptions> = {}): Promise<void> {
  const options = { webhooks: ["webhooks"], dryRun: false, allowLoss: false, pageSize: 500, ...more };
  return migrate(words, options, {
    print: () => {},
    note: () => {},
    now: () => new Date(0),
    monotonic: () => 0,
    pause: async () => {},
    interrupt: new AbortController().signal,
    progressEvery: 1_000,
  });
}

function kubeconfigOf(url: string): string {
  return kubeconfigText({ url, ca: "", token: "t" });
}
