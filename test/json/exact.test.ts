import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import { isInteger, parseJson, toDecimal, toDouble, toInteger, writeJson } from "../../src/json/exact.ts";
import { get, isExactNumber, isObject, type Json } from "../../src/json/json.ts";

describe("numbers", () => {
  it("an integer of any length comes out as it came in", () => {
    fc.assert(
      fc.property(fc.bigInt(), (value) => {
        const text = `{"a":[${value}]}`;
        expect(writeJson(parseJson(text))).toBe(text);
      }),
    );
  });

  it("an infinite number does not become null", () => {
    expect(writeJson(parseJson('{"a":1e400,"b":-1E+999}'))).toBe('{"a":1e400,"b":-1E+999}');
  });

  it("a fraction is the double that it always was", () => {
    expect(parseJson("[1.2345678901234567890, 1.50]")).toEqual([1.2345678901234567, 1.5]);
  });

  // JSON.parse with source access, which is slow: what the engine did before, and what it has to do still.
  it("of any sort and anywhere are what JSON.parse with source access makes of them", () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,18})?([eE][-+]?\d{1,4})?$/);
    const odd = fc.stringMatching(/^[-+.\deE]{1,24}$/);
    const inText = fc
      .array(
        fc.constantFrom(": ", ",", '\\"', "\\n", "9007199254740993", "1e400", "[", "\ue000", "\\ue000", "é"),
      )
      .map((parts) => `"${parts.join("")}"`);
    const space = fc.constantFrom("", "", " ", "\n\t");
    const token = fc.oneof(
      { arbitrary: digits, weight: 6 },
      { arbitrary: inText, weight: 4 },
      { arbitrary: fc.constantFrom("null", "true", "[]", "{}"), weight: 2 },
      { arbitrary: odd, weight: 1 },
    );
    const items = fc.array(fc.tuple(space, token, space).map((parts) => parts.join("")));
    const fields = fc
      .array(fc.tuple(inText, space, token).map(([key, gap, value]) => `${key}${gap}:${gap}${value}`))
      .map((each) => `{${each.join()}}`);
    const text = fc.oneof(
      token,
      items.map((each) => `[${each.join()}]`),
      fields,
      fc.tuple(fields, items).map(([object, each]) => `[${object},[${each.join()}],${object}]`),
    );
    fc.assert(
      fc.property(text, (drawn) => {
        expect(outcomeOf(() => parseJson(drawn))).toEqual(outcomeOf(() => bySource(drawn)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("the last of equal keys counts, whichever of them is written with an escape", () => {
    // From here on keys with an escape are read in disguise. V8 itself may misread the texts below then.
    parseJson('{"zz\\\\":1}');
    const keys = fc.constantFrom(
      ...["a", "b", "\ue000"].map((key) => [key, key] as const),
      ...([
        ["\\u0061", "a"],
        ["\\u0062", "b"],
        ["\\ue000", "\ue000"],
      ] as const),
    );
    const values = fc.constantFrom(
      ...["1", "[]", '"b"', "9007199254740993"].map((value) => [value, value] as const),
      ['{"a":1,"\\u0061":2,"a":3}', '{"a":3}'] as const,
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, values)), (fields) => {
        const drawn = fields.map(([[key], [value]]) => `"${key}":${value}`).join();
        const last = new Map(fields.map(([[, key], [, value]]) => [key, `"${key}":${value}`]));
        expect(writeJson(parseJson(`{${drawn}}`))).toBe(`{${[...last.values()].join()}}`);
      }),
      { numRuns: 500 },
    );
  });

  it("are read at any depth", () => {
    const depth = 200_000;
    const value = parseJson(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`);
    let here: Json | undefined = value;
    while (Array.isArray(here)) here = here[0];
    expect(isExactNumber(here)).toBe(true);
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

  it("an integer of digits is the same as of JSON text, whatever zeros it begins with", () => {
    const zeros = fc.constantFrom("", "0", "000");
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), zeros, (value, before) => {
        const digits = String(value).replace(/\d/, (first) => before + first);
        expect(equal(toInteger(digits), parseJson(String(value)))).toBe(true);
        expect(writeJson(toInteger(digits))).toBe(writeJson(parseJson(String(value))));
      }),
    );
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

  it("with an escape are read rightly, however far the colon is", () => {
    for (const trap of traps) parseJson(trap);
    expect(parseJson(`{"z":1,"\\n"${" ".repeat(1_000)}:2,"b":9007199254740993}`)).toMatchObject({
      z: 1,
      "\n": 2,
    });
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

function bySource(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source }) => {
    if (typeof value !== "number" || source === undefined) return value;
    const isChanged = !Number.isFinite(value) || (/^-?\d{16,}$/.test(source) && String(value) !== source);
    return isChanged ? JSON.rawJSON(source) : value;
  });
}

/** The text of a value again, or what was thrown. */
function outcomeOf(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    return String(error);
  }
}

describe("numbers as they are written", () => {
  it.each([
    ["1.0", '{"rawJSON":"1.0"}'],
    ["-0.0", '{"rawJSON":"-0.0"}'],
    ["1E2", '{"rawJSON":"1E2"}'],
    ["1.5", "1.5"],
    ["1e-7", "1e-7"],
    ["100", "100"],
    ["9223372036854775808", '{"rawJSON":"9223372036854775808"}'],
    ["1e400", '{"rawJSON":"1e400"}'],
  ])("%s", (text, expected) => {
    const shown = (value: Json) =>
      isExactNumber(value) ? JSON.stringify({ rawJSON: value.rawJSON }) : String(value);
    expect(shown(parseJson(text, "as written"))).toBe(expected);
    const whole = parseJson(`{"a": [${text}, "b: ${text}"], "c":${text}}`, "as written");
    expect(shown(get(whole, "c") ?? null)).toBe(expected);
    expect(writeJson(whole)).toContain(`"b: ${text}"`);
  });
});
