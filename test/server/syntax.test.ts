import fc from "fast-check";
import { expect, it } from "vitest";
import { mostDepth } from "../../src/json/document.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { readReview } from "../../src/server/body/read-json.ts";
import { cutBelow, structureOf } from "../../src/server/body/structure.ts";
import { endOfJson } from "../../src/server/body/syntax.ts";
import { mostContainers, mostNesting, tooLarge } from "../../src/server/shared/too-large.ts";

it.each([
  ["", 0],
  [" ", 1],
  ["hunter2", 0],
  ["{", 1],
  ["{1", 1],
  ["{,", 1],
  ['{"a"', 4],
  ['{"a",', 4],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['{"a":1 "b"', 7],
  ["[1,]", 3],
  ["[,1]", 1],
  ["[1}", 2],
  ['{"a":[1}', 7],
  ["[1 2]", 3],
  ["1,", 1],
  ["[]]", 2],
  ["01", 1],
  ["1.", 1],
  [".5", 0],
  ["-", 0],
  ["+1", 0],
  ["1e", 1],
  ["nul", 0],
  ["nulls", 4],
  ["NaN", 0],
  ["'a'", 0],
  ['"a', 2],
  ['"a\nb"', 2],
  ['"a\\x"', 2],
  ['"\\u12g4"', 1],
  ["[1] // why", 4],
  ["\u00a0{}", 0],
])("%j stops being JSON at %i", (text, end) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(endOfJson(text)).toBe(end);
});

it("every JSON text is one to its end", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 1, 4), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      expect(endOfJson(spaced)).toBe(spaced.length);
    }),
  );
});

it("what stands before the end could still become JSON, what stands there could not", () => {
  const piece = fc.constantFrom("{", "}", "[", "]", ":", ",", '"a"', "1", "true", " ", "\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const end = endOfJson(text);
      expect(["whole", "too early"]).toContain(judgeOfV8(text.slice(0, end)));
      if (end < text.length) expect(judgeOfV8(text)).toBe("wrong");
    }),
  );
});

function judgeOfV8(text: string): string {
  try {
    JSON.parse(text);
    return "whole";
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    return /Unexpected end/.test(String(error)) || Number(at) === text.length ? "too early" : "wrong";
  }
}

it("a place is a line and a column from 1, in characters", () => {
  const isRejected = (text: string, sentence: string) =>
    expect(readReview(bytes(text))).toMatchObject({
      rejection: { message: expect.stringContaining(sentence) },
    });
  isRejected("ab\ncd", "line 1, column 1");
  isRejected("[1\n,x]", "line 2, column 2");
  isRejected('"€𝄞"x', "line 1, column 6");
  isRejected('"€𝄞', "unexpected end after 4 characters");
});

const bytes = (text: string) => Buffer.from(text);

it("nesting up to the limit is accepted, one level more is not", () => {
  expect(structureOf(bytes("[".repeat(mostNesting) + "]".repeat(mostNesting)))).toEqual({
    depth: mostNesting,
    commas: 0,
  });
  const fault = { rejection: tooLarge.nesting };
  expect(structureOf(bytes("[".repeat(mostNesting + 1) + "]".repeat(mostNesting + 1)))).toEqual(fault);
  expect(structureOf(bytes('{"a":'.repeat(mostNesting + 1)))).toEqual(fault);
});

it("as many lists and objects as the limit are accepted, one more is not", () => {
  expect(structureOf(bytes(`[${"{},".repeat(mostContainers - 1)}1]`))).toEqual({
    depth: 2,
    commas: mostContainers - 1,
  });
  const fault = { rejection: tooLarge.containers };
  expect(structureOf(bytes(`[${"{},".repeat(mostContainers)}1]`))).toEqual(fault);
});

it("brackets in strings do not count", () => {
  const text = JSON.stringify({ a: "[".repeat(mostNesting * 2), "\\": '"[{\\'.repeat(mostNesting), z: "\\" });
  expect(structureOf(bytes(text))).toEqual({ depth: 1, commas: 2 });
  expect(structureOf(bytes(`"${"x".repeat(mostNesting * 2)}\\`))).toEqual({ depth: 0, commas: 0 });
});

it("reading a body overlooks neither depth nor a number that a double cannot hold, wherever they stand", () => {
  const padding = fc.stringMatching(/^[a-z0-9 {[:,-]{0,90}$/);
  const depth = fc.integer({ min: mostDepth - 3, max: mostDepth + 3 });
  const deep = depth.map((levels) => "[".repeat(levels - 1) + "]".repeat(levels - 1));
  const digits = fc.integer({ min: 14, max: 18 }).map((count) => "1234567890".repeat(2).slice(0, count));
  const value = fc.oneof(deep, digits, fc.constantFrom("1e400", "-1E+999", "12.5e100", '"9e999"', "[[],{}]"));
  fc.assert(
    fc.property(
      padding,
      fc.array(value, { minLength: 1, maxLength: 3 }),
      fc.nat(3),
      (text, values, offset) => {
        const json = `[${JSON.stringify(text)},${values.join(",")},${JSON.stringify(text)}]`;
        // A body begins anywhere in its buffer.
        const body = Buffer.alloc(json.length + offset).subarray(offset);
        body.write(json);
        const structure = structureOf(body);
        const isDeep = !("depth" in structure) || structure.depth > mostDepth;
        const reading = readReview(body);
        if (!("review" in reading)) throw new Error(JSON.stringify(reading));
        expect(reading.isDeep).toBe(isDeep);
        expect(writeJson(reading.review)).toBe(writeJson(parseJson(json)));
      },
    ),
    { numRuns: 2_000 },
  );
});

it("values that are nested too deeply are cut off, and nothing else", () => {
  fc.assert(
    fc.property(fc.json({ depthSize: "large" }), fc.integer({ min: 1, max: 6 }), (text, levels) => {
      const cut = cutBelow(bytes(text), levels).toString();
      expect(JSON.parse(cut)).toEqual(cutValue(JSON.parse(text), levels));
    }),
  );
  expect(cutBelow(bytes('[1,{"a":[[2]'), 2).toString()).toBe('[1,{"a":null');
});

function cutValue(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cutValue(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutValue(item, levels - 1)]));
}

const numbers = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,30})$/),
  fc.stringMatching(/^-?(0|[1-9]\d{0,20})\.\d{1,20}$/),
  fc.stringMatching(/^-?(0|[1-9]\d{0,3})(\.\d{1,3})?[eE][-+]?\d{1,3}$/),
);

it("a number of a long body is read as it is read anywhere, whatever stands around it", () => {
  const around = fc.constantFrom(
    '{"a":#}',
    '["x",#,1]',
    "[#]",
    "[[0],#]",
    '{"1e9":[#],"b":"\\""}',
    '"#"',
    " [ # , # ] ",
  );
  fc.assert(
    fc.property(numbers, around, fc.boolean(), (number, frame, isInText) => {
      const padding = JSON.stringify((isInText ? number : "x").repeat(2000));
      const text = `{"padding":${padding},"value":${frame.replaceAll("#", () => number)}}`;
      expect(readReview(Buffer.from(text))).toEqual({
        review: parseJson(text),
        isDeep: false,
      });
    }),
  );
});
