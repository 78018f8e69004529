import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printJson } from "../../src/go/json.ts";
import {
  byteLength,
  compareBytes,
  fromBytes,
  quote,
  runeCount,
  toBytes,
  trimSpace,
} from "../../src/go/text.ts";
import { anyCharacter } from "../../src/laws/any.ts";

const anyText = fc.string({ unit: anyCharacter });
const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 });
const anyBytes = fc.uint8Array({ maxLength: 8 });

describe("texts are measured and ordered by their bytes", () => {
  it("as Node.js encodes them", () => {
    fc.assert(
      fc.property(anyUnits, (units) => {
        const text = String.fromCharCode(...units);
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
        expect(Buffer.from(toBytes(text)).equals(Buffer.from(text))).toBe(true);
        expect(runeCount(text)).toBe([...text].length);
      }),
    );
  });

  it("as Node.js compares them", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(compareBytes(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it("and read only from valid UTF-8", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const text = fromBytes(bytes);
        const isValid = Buffer.from(Buffer.from(bytes).toString()).equals(Buffer.from(bytes));
        expect(text).toBe(isValid ? Buffer.from(bytes).toString() : undefined);
      }),
    );
  });
});

describe("a text prints as in Go", () => {
  it("a lone surrogate is the replacement character", () => {
    expect(quote("a\ud800")).toBe('"a\ufffd"');
    expect(printJson({ "\ud800": "\udfff" })).toBe('{"\ufffd":"\ufffd"}');
  });

  it("keys beyond the first plane come last", () => {
    expect(printJson({ "\u{1f600}": 1, "\uffee": 2 })).toBe('{"\uffee":2,"\u{1f600}":1}');
  });

  it("the next line is white space, the byte order mark is not", () => {
    expect(trimSpace("\u0085 a \u3000")).toBe("a");
    expect(trimSpace("\ufeffa")).toBe("\ufeffa");
  });
});
