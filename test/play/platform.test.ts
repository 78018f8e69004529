import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as node from "../../src/conversion/platform.ts";
import { anyCharacter } from "../../src/laws/any.ts";
import * as browser from "../../src/play/platform.ts";

describe("the platform of a browser", () => {
  it("gives what Node.js gives", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(browser.digestOf(text)).toBe(node.digestOf(text));
        expect(browser.byteLength(text)).toBe(node.byteLength(text));
        const both = [node, browser];
        for (const [from, to] of both.flatMap((a) => both.map((b) => [a, b] as const))) {
          const bytes = node.byteLength(text);
          const back = { text: Buffer.from(text).toString(), bytes };
          expect(to.inflated(from.deflated(text), bytes + 10)).toEqual(back);
        }
      }),
    );
  });

  it.each([0, 1, 1000, 100_000])("reads no more than it may: %d bytes", (most) => {
    const packed = browser.deflated("a".repeat(most + 1));
    expect(browser.inflated(packed, most)).toBeUndefined();
    expect(browser.inflated(browser.deflated("a".repeat(most)), most)?.bytes).toBe(most);
  });

  it.each(["", "!", "AAAA", "eJw", "=".repeat(99)])("reads nothing damaged: %s", (packed) => {
    expect(browser.inflated(packed, 1000)).toBeUndefined();
  });
});
