import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import { isInteger, parseJson, toDecimal, toDouble, toInteger, writeJson } from "../../src/json/exact.ts";
import { isExactNumber, isObject, type Json } from "../../src/json/json.ts";

describe("numbers", () => {
  it("an integer of any length comes out as it came in", () => {
    fc.assert(
      fc.property(fc.bigInt(), (value) => {
        const text = `{"a":[${value}]}`;
        expect(writeJson(parseJson(text))).toBe(text);
      }),
    );
  });

  it("a number without end is no null", () => {
    expect(writeJson(parseJson('{"a":1e400,"b":-1E+999}'))).toBe('{"a":1e400,"b":-1E+999}');
  });

  it("a fraction is the double that it always was", () => {
    expect(parseJson("[1.2345678901234567890, 1.50]")).toEqual([1.2345678901234567, 1.5]);
  });

  it("an object that looks like an exact number is an object", () => {
    const value = parseJson('{"rawJSON":"9007199254740993"}');
    expect([isObject(value), isExactNumber(value), isInteger(value)]).toEqual([true, false, false]);
  });

  it("decimal digits say the double, without an exponent", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const digits = toDecimal(value);
        expect(digits).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Object.is(Number(digits) + 0, value + 0)).toBe(true);
      }),
    );
  });

  it("an integer is a plain number where a double holds it", () => {
    expect([toInteger("42"), toInteger("-0")]).toEqual([42, 0]);
    const long = toInteger("9007199254740993");
    expect([isExactNumber(long), writeJson(long), toDouble(long)]).toEqual([
      true,
      "9007199254740993",
      2 ** 53,
    ]);
  });
});

describe("keys", () => {
  // Each of these makes V8 misread keys of later texts (nodejs/node#63785): that is why JSON.parse is not called here.
  const traps = [
    '{"z":1,"\\\\":1}',
    '{"x":1,"a\\\\" :2}',
    '{"y":{"\\\\\\\\":[{"b\\\\":null}]}}',
    '{"w":"\\\\","\\\\":"\\ue000","\\uE001\\\\":1}',
  ];
  const plainly: readonly Json[] = [
    { z: 1, "\\": 1 },
    { x: 1, "a\\": 2 },
    { y: { "\\\\": [{ "b\\": null }] } },
    { w: "\\", "\\": "\ue000", "\ue001\\": 1 },
  ];

  it("that end with a backslash are read", () => {
    expect(traps.map((trap) => parseJson(trap))).toEqual(plainly);
  });

  it("with an escape are read rightly, whatever was read before", () => {
    for (const trap of traps) parseJson(trap);
    const texts = ['{"z":1,"\\n":2}', '{"x":1,"a\\"":2}', '{"z":1,"\\u00e9":3}'];
    expect(texts.map((text) => parseJson(text))).toEqual([
      { z: 1, "\n": 2 },
      { x: 1, 'a"': 2 },
      { z: 1, é: 3 },
    ]);
  });

  it("of any sort come out as they came in", () => {
    const strange = fc.constantFrom(
      "\\",
      "a\\",
      "\\\\",
      '"',
      "\n",
      "\ue000",
      "\\\ue000",
      "__proto__",
      "10",
      "a",
    );
    const objects = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>(1, null, "\\", '":', '\\":', '\\\\":'),
        fc.array(fc.tuple(strange, tie("value"))).map((entries) => Object.fromEntries(entries)),
        fc.array(tie("value")),
      ),
    })).value;
    fc.assert(
      fc.property(objects, (value) => {
        expect(equal(parseJson(writeJson(value)), value)).toBe(true);
      }),
    );
  });
});
