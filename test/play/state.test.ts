import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlayState, readLink, writeLink } from "../../src/play/state.ts";

const texts = fc.string({ unit: "grapheme" });
const states = fc.record({
  kind: texts,
  files: fc.dictionary(texts, texts),
  at: texts,
  text: texts,
  read: texts,
  stored: fc.boolean(),
  plain: fc.boolean(),
  parts: fc.dictionary(texts, fc.jsonValue({ maxDepth: 5 })),
});

describe("a link", () => {
  it("holds the whole state", () => {
    fc.assert(
      fc.property(states, (state) => {
        const link = writeLink(state as PlayState);
        expect(link).toMatch(/^[\w.-]+$/);
        expect(readLink(link)).toEqual(JSON.parse(JSON.stringify(state)));
      }),
    );
  });

  it("that is not one is refused in a sentence, whatever it holds", () => {
    const hostile = fc.oneof(
      texts,
      fc.json().map((json) => packed(json)),
      states.map((state) => packed(JSON.stringify(state).slice(1))),
    );
    fc.assert(
      fc.property(hostile, (fragment) => {
        const read = readLink(fragment);
        expect("sentence" in read ? read.sentence : "").toMatch(/^the link /);
      }),
    );
  });

  it.each([
    ["a bomb", packed(`{"kind":"${"a".repeat(5_000_000)}"}`)],
    ["more than a fragment may hold", `1.${"A".repeat(600_000)}`],
    [
      "deeper than any state",
      packed(
        `{"kind":"","files":{},"at":"","text":"","read":"","parts":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}}`,
      ),
    ],
    [
      "a file that is not a text",
      packed('{"kind":"","files":{"kind.ts":1},"at":"","text":"","read":"","parts":{}}'),
    ],
  ])("with %s is refused", (_what, fragment) => {
    expect(readLink(fragment)).toHaveProperty("sentence");
  });

  it("reaches no prototype", () => {
    const state =
      '{"kind":"__proto__","files":{"__proto__":"x"},"at":"","text":"","read":"","stored":false,"parts":{"__proto__":{"polluted":true}}}';
    readLink(packed(state));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

function packed(text: string): string {
  return `1.${deflateRawSync(text).toString("base64url")}`;
}
