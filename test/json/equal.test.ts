import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import type { Json } from "../../src/json/json.ts";
import { copy, json, text } from "../admission/values.ts";

describe("two values are equal", () => {
  it("exactly when they are the same JSON, in whatever order their keys stand", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(equal(a, b)).toBe(text(a) === text(b));
        expect(equal(a, copy(a))).toBe(true);
      }),
      { numRuns: Number(process.env.LAWS_RUNS ?? 300) },
    );
  });

  it("or not, in whatever way they differ", () => {
    const values: (Json | undefined)[] = [
      undefined,
      null,
      {},
      [],
      0,
      "",
      { a: null },
      { b: null },
      [null],
      [[]],
      [{}],
    ];
    values.push(1, "1", JSON.rawJSON("1"), { rawJSON: "1" }, { ["__proto__"]: 1 }, { constructor: 1 });
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) expect(equal(a, b)).toBe(i === j);
    }
  });

  it("however deep they are", () => {
    const deep = (leaf: Json): Json => Array.from({ length: 100_000 }).reduce<Json>((inner) => [inner], leaf);
    expect(equal(deep(1), deep(1))).toBe(true);
    expect(equal(deep(1), deep(2))).toBe(false);
  });
});
