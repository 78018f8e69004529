import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { applyPatch } from "diff";
import { describe, expect, it, onTestFinished } from "vitest";
import { unifiedDiff } from "../../src/cli/inject/unified-diff.ts";

const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");

describe("a difference of a file", () => {
  it.each([
    ["small", "a\nb\n", "a\nc\n"],
    ["without a line end before", "a\nb", "a\nb\nc\n"],
    ["without a line end after", "a\nb\n", "a\nb"],
    ["of more lines than are compared", numbered(9_000, "old"), numbered(8_000, "new")],
    [
      "of more lines than are compared, without line ends",
      `${numbered(9_000, "old")}x`,
      `${numbered(8_000, "new")}y`,
    ],
  ])("can be applied: %s", (_what, before, after) => {
    expect(applyPatch(before, unifiedDiff("./shop/a.yaml", before, after, false))).toBe(after);
  });

  it.each(["shop/a.yaml", "./shop/a.yaml"])("of %s is applied by git apply", async (name) => {
    const folder = await mkdtemp(path.join(tmpdir(), "antechamber-diff-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, name);
    await mkdir(path.dirname(file));
    await writeFile(file, "a\nb");
    const input = unifiedDiff(name, "a\nb", "a\nc\n", false);
    execFileSync("git", ["apply", "-"], { cwd: folder, input });
    expect(await readFile(file, "utf8")).toBe("a\nc\n");
  });

  it("names a file below the working directory by its path from there, and others in full", () => {
    const nameOf = (name: string) => unifiedDiff(name, "a\n", "b\n", false).split("\n")[0];
    expect(nameOf(path.resolve("shop/a.yaml"))).toBe("--- a/shop/a.yaml");
    expect(nameOf("/elsewhere/a.yaml")).toBe("--- a/elsewhere/a.yaml");
    expect(nameOf("stdin")).toBe("--- a/stdin");
  });

  it("is empty if nothing changed, and names the file as patch -p1 expects it", () => {
    expect(unifiedDiff("a", "x", "x", false)).toBe("");
    expect(unifiedDiff("./shop/a.yaml", "a\n", "b\n", false)).toBe(
      "--- a/shop/a.yaml\n+++ b/shop/a.yaml\n@@ -1 +1 @@\n-a\n+b\n",
    );
  });
});
