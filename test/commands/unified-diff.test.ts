import { applyPatch } from "diff";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../src/commands/unified-diff.ts";

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

  it("is empty if nothing changed, and names the file as patch -p1 expects it", () => {
    expect(unifiedDiff("a", "x", "x", false)).toBe("");
    expect(unifiedDiff("./shop/a.yaml", "a\n", "b\n", false)).toBe(
      "--- a/shop/a.yaml\n+++ b/shop/a.yaml\n@@ -1 +1 @@\n-a\n+b\n",
    );
  });
});
