import { X509Certificate } from "node:crypto";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesSource } from "../../certs/files.ts";
import { type CertsOptions, certs } from "../../src/cli/certs/run.ts";
import { UsageError } from "../../src/errors.ts";
import { scratch } from "./scratch.ts";

const now = new Date("2030-01-15T12:00:00Z");

async function run(options: Partial<CertsOptions> & { out: string }): Promise<string[]> {
  const lines: string[] = [];
  const given = { host: ["webhook.default.svc", "::1"], days: 90, force: false, ...options };
  await certs(given, { print: (line) => lines.push(line), now: () => now });
  return lines;
}

describe("antechamber certs", () => {
  it("writes the files that serve --cert-dir reads, and prints how to use them", async () => {
    const out = join(await scratch(), "new", "certs");
    const lines = await run({ out });
    expect((await readdir(out)).sort()).toEqual(["ca.crt", "tls.crt", "tls.key"]);
    expect((await stat(join(out, "tls.key"))).mode & 0o777).toBe(0o600);
    const source = await filesSource({ directory: out, now: () => now, repeat: () => () => undefined });
    expect(source.fault()).toBeUndefined();
    const leaf = new X509Certificate(source.current()?.certificate ?? "");
    expect(leaf.checkIssued(new X509Certificate(source.authority() ?? ""))).toBe(true);
    expect(leaf.checkHost("webhook.default.svc")).toBeDefined();
    expect(lines).toContain("hosts: webhook.default.svc, ::1");
    expect(lines).toContain("expires: 2030-04-15T12:00:00.000Z");
    expect(lines.join("\n")).toMatch(/serve --cert-dir .*caBundle/s);
  });

  it("replaces nothing without --force, not even a broken link", async () => {
    const out = await scratch();
    await writeFile(join(out, "tls.crt"), "mine");
    await symlink("nowhere", join(out, "tls.key"));
    await expect(run({ out })).rejects.toThrow(`${out} already has tls.crt, tls.key; add --force`);
    expect(await readFile(join(out, "tls.crt"), "utf8")).toBe("mine");
  });

  it("replaces files with --force, and does not keep the mode of the old key", async () => {
    const out = await scratch();
    await writeFile(join(out, "tls.key"), "old", { mode: 0o644 });
    await run({ out, force: true });
    expect(await readFile(join(out, "tls.key"), "utf8")).toContain("PRIVATE KEY");
    expect((await stat(join(out, "tls.key"))).mode & 0o777).toBe(0o600);
  });

  it("leaves no temporary file behind if it cannot write", async () => {
    const out = await scratch();
    await mkdir(join(out, "tls.crt"));
    await expect(run({ out, force: true })).rejects.toThrow(/cannot write .*: EISDIR; choose another --out/);
    expect((await readdir(out)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it.each<[Partial<CertsOptions>, RegExp]>([
    [{ host: [] }, /add --host <service>.<namespace>.svc/],
    [{ host: ["localhost:9443"] }, /--host "localhost:9443" has a port/],
    [{ days: 0 }, /--days 0: must be an integer from 1 to 3650/],
    [{ days: 1.5 }, /--days 1.5/],
    [{ days: Number.NaN }, /--days NaN/],
    [{ days: 3651 }, /--days 3651/],
  ])("rejects %j as wrong usage", async (options, sentence) => {
    const out = join(await scratch(), "out");
    const refusal = run({ out, ...options });
    await expect(refusal).rejects.toBeInstanceOf(UsageError);
    await expect(refusal).rejects.toThrow(sentence);
    await expect(stat(out)).rejects.toThrow("ENOENT");
  });

  it("rejects an --out that is a file, as wrong usage", async () => {
    const out = join(await scratch(), "file");
    await writeFile(out, "");
    const refusal = run({ out });
    await expect(refusal).rejects.toBeInstanceOf(UsageError);
    await expect(refusal).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining("ENOTDIR") });
  });
});
