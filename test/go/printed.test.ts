import { describe, expect, it } from "vitest";
import { printJson, printValue } from "../../src/go/json.ts";
import { printFloat } from "../../src/go/numbers.ts";
import { compareBytes, quote } from "../../src/go/text.ts";
import { parseJson } from "../../src/json/exact.ts";

// What Go 1.26 prints, run once.
describe("a value prints as Go prints it", () => {
  it.each([
    ["1.5", "1.5"],
    ["100000.5", "100000.5"],
    ["1000000", "1000000"],
    ["1234567.5", "1.2345675e+06"],
    ["123456789.5", "1.234567895e+08"],
    ["1e20", "1e+20"],
    ["1e21", "1e+21"],
    ["0.0001", "0.0001"],
    ["0.00001", "1e-05"],
    ["1e-7", "1e-07"],
    ["9223372036854775807", "9223372036854775807"],
    ["9223372036854775808", "9.223372036854775808e+18".replace("775808e", "776e")],
    ['"a\\u2028b\\u007fé😀\\u200b"', '"a\\u2028b\\x7fé😀\\u200b"'],
    ['"\\u0007\\b\\f\\u000b\\u0001\\t"', '"\\a\\b\\f\\v\\x01\\t"'],
    ['"\\"\\\\\'`"', '"\\"\\\\\'`"'],
    ["null", "null"],
    ["true", "true"],
    [
      '{"b<>&":"\\u2028\\u007f\\u0001\\b\\f é","a":[1.5,5]}',
      '{"a":[1.5,5],"b\\u003c\\u003e\\u0026":"\\u2028\u007f\\u0001\\b\\f é"}',
    ],
    ["[1e6, 1e21, 1e-7]", "[1000000,1e+21,1e-7]"],
  ])("%s", (json, printed) => {
    expect(printValue(parseJson(json))).toBe(printed);
  });

  it("lone surrogates are what Go reads for them", () => {
    expect(quote("\ud800")).toBe('"\ufffd"');
    expect(printJson("\ud800")).toBe('"\ufffd"');
  });

  it("zero below zero is told", () => {
    expect(printFloat(-0)).toBe("-0");
  });

  it("texts stand in the order of their bytes", () => {
    expect(["\u{1f600}", "\uffff", "b", "a"].toSorted(compareBytes)).toEqual([
      "a",
      "b",
      "\uffff",
      "\u{1f600}",
    ]);
  });
});
