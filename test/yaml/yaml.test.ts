import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { isArray, isObject, type Json } from "../../src/json/json.ts";
import { anyCharacter } from "../../src/laws/any.ts";
import { readYaml, SyntaxFault, writeYaml } from "../../src/yaml/yaml.ts";

/** The one value of a text, as JSON text. */
function read(text: string): string {
  const [document, ...more] = readYaml(text);
  expect(more).toEqual([]);
  return writeJson(document?.value ?? null);
}

/** The fault of a text, as `line:column message`. */
function fault(text: string): string {
  try {
    readYaml(text);
  } catch (error) {
    if (error instanceof SyntaxFault) return `${error.line}:${error.column} ${error.message}`;
    throw error;
  }
  throw new Error("no fault");
}

// Each line was also given to sigs.k8s.io/yaml 1.6.0 (YAMLToJSON), which answers the same.
const words = {
  true: ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", '!!bool "yes"'],
  false: ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"],
  null: ["", "~", "null", "Null", "NULL", '!!null ""', "# nothing"],
  "0": ["0", "00", "-0", "0_", "0.0", "1e-400"],
  "1": ["1", "+1", "1_", "1.", "0b1", "0b_1", "0x1", "0o1", "01"],
  "-1": ["-1", "-_1", "-0b1", "-0x1", "-01"],
  "8": ["8", "08", "010", "0_8", "0o10", "0O10", "0x8", "0B1000"],
  "31": ["0x1F", "0X1f", "+0x1F", "0x_1F", "3_1"],
  "493": ["0755", "0o755", "+0755"],
  "1000": ["1000", "1_000", "1__000", "1e3", "1E3", "+1e03", "1.e3", "1_0e2"],
  "0.5": [".5", "+.5", "0.5", ".5_0", "!!float .5"],
  "-0.5": ["-.5", "-0.5"],
  "9007199254740993": ["9007199254740993", "+9007199254740993", "0x20000000000001"],
  "9223372036854775807": ["9223372036854775807", "9_223_372_036_854_775_807"],
  "-9223372036854775808": ["-9223372036854775808", "-0x8000000000000000"],
  "18446744073709551615": ["18446744073709551615", "0xFFFFFFFFFFFFFFFF"],
  "9007199254740992": ["!!float 9007199254740993"],
};
const strings = [
  ...["yEs", "tRUE", "nULL", "nan", "inf", "Infinity", "=", "<<", "e3", "_1", "+", "--1", "+-1", ".", ".."],
  ...["12:30", "1:30:45", "12:30.5", "2001-12-14", "2001-12-14T21:59:43.10Z", "1,000", "1 000", "10.0.0.1"],
  ...["0x", "0xG", "0b", "0b12", "0o8", "1e", "1e+", "1e400", "-1e400", "0x1p4", ".5_", "._5", "-0b-1"],
  ...["0xFFFFFFFFFFFFFFFFFF", `0b${"1".repeat(70)}`, "1e1e1", "a#b", "a:b", "100m", "1Gi"],
];
const keys = {
  "1": ["1", "+1", "0x1", '"1"'],
  true: ["true", "yes", "y", "on"],
  false: ["no"],
  "8": ["010"],
  "1.5": ["1.5"],
  "1000": ["1e3"],
  "2001-12-14": ["2001-12-14"],
  "9007199254740993": ["9007199254740993"],
};

describe("words mean what they mean to Kubernetes", () => {
  for (const [json, texts] of Object.entries(words)) {
    it.each(texts)(`%j is ${json}`, (text) => expect(read(`v: ${text}`)).toBe(`{"v":${json}}`));
  }
  it.each(strings)("%j is a string", (text) => expect(read(`v: ${text}`)).toBe(JSON.stringify({ v: text })));
  it.each(["'on'", '"on"', "!!str on", "! on", "|-\n  on"])("%j is a string in spite of its looks", (text) =>
    expect(read(`v: ${text}`)).toBe('{"v":"on"}'),
  );
  for (const [name, texts] of Object.entries(keys)) {
    it.each(texts)(`the key %j is ${name}`, (text) => expect(read(`${text}: v`)).toBe(`{"${name}":"v"}`));
  }
  it("reads the same whatever version of YAML a file claims", () =>
    expect(read("%YAML 1.1\n---\nv: [on, 0755, 0o17]\n")).toBe('{"v":[true,493,15]}'));
  it("keeps integers beyond 64 bits, which an API server makes doubles of", () =>
    expect(read("v: [18446744073709551616, -9223372036854775809]")).toBe(
      '{"v":[18446744073709551616,-9223372036854775809]}',
    ));
});

describe("what JSON cannot say is refused", () => {
  it.each([
    ["v: .inf", "1:4 JSON has no number .inf; put it in quotes if it is a string"],
    ["v: .NaN", "1:4 JSON has no number .NaN; put it in quotes if it is a string"],
    ["v: !!binary aGk=", "1:13 the tag !!binary is not read here; leave it out"],
    ["v: !room x", "1:10 the tag !room is not read here; leave it out"],
    ["v: !!set {a}", "1:10 the tag !!set is not read here; leave it out"],
    ["v: !!int x", '1:10 "x" is not a valid !!int'],
    // sigs.k8s.io/yaml: unsupported map key of type nil.
    ["a: 1\n~: v", "2:1 null cannot be a key; put it in quotes"],
    ["? [a]\n: v", "1:3 a map or a list cannot be a key"],
    // Kubernetes reads this key as 1.1, which its author does not mean.
    ["1.10: v", "1:1 this number does not stay as it is as a key; put it in quotes"],
  ])("%j", (text, message) => expect(fault(text)).toBe(message));
});

describe("documents", () => {
  it("says on which line each starts, and leaves empty ones out", () =>
    expect(
      readYaml("# a room\n---\n# still\nkind: Room\n---\n---\n# nothing\n---\n\nkind: Light\n...\n"),
    ).toEqual([
      { value: { kind: "Room" }, line: 4 },
      { value: { kind: "Light" }, line: 10 },
    ]));
  it.each(["", "\n", "---\n", "# only a comment\n", "---\n---\n", "\ufeff", "   "])(
    "finds none in %j",
    (text) => expect(readYaml(text)).toEqual([]),
  );
  it("keeps a null that is written", () => expect(readYaml("null")).toEqual([{ value: null, line: 1 }]));
  it("does not mind a byte order mark or Windows line ends", () =>
    expect(readYaml("\ufeffa: 1\r\nb: |\r\n  x\r\n---\r\nc: 2\r\n")).toEqual([
      { value: { a: 1, b: "x\n" }, line: 1 },
      { value: { c: 2 }, line: 5 },
    ]));
  it("keeps a key __proto__ an ordinary key", () => {
    const [yaml] = readYaml("__proto__: {polluted: 1}\nconstructor: 2\nm: {<<: {__proto__: 3}}");
    expect(Object.entries(yaml?.value ?? {})).toEqual([
      ["__proto__", { polluted: 1 }],
      ["constructor", 2],
      ["m", Object.fromEntries([["__proto__", 3]])],
    ]);
    expect(Object.getPrototypeOf(yaml?.value)).toBe(Object.prototype);
  });
});

describe("aliases and merge keys", () => {
  it.each([
    ["x: &x {a: 1}\nz: [*x, *x]", '{"x":{"a":1},"z":[{"a":1},{"a":1}]}'],
    ["a: &x 1\nb: &x 2\nc: *x", '{"a":1,"b":2,"c":2}'],
    ["a: &k key\n*k : 1", '{"a":"key","key":1}'],
    ["x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}", '{"x":{"a":1,"b":2},"z":{"a":1,"b":3}}'],
    ["x: &x {a: 1}\nz: {<<: [*x, {a: 2, c: 3}]}", '{"x":{"a":1},"z":{"a":1,"c":3}}'],
    ["z: {<<: {a: 1}, <<: {a: 2}}", '{"z":{"a":2}}'],
    ['z: {"<<": {a: 1}}', '{"z":{"<<":{"a":1}}}'],
  ])("%j", (text, json) => expect(read(text)).toBe(json));
  it("lets a merge key override what stands before it, as kubectl does", () =>
    expect(read("z: {b: 3, <<: {b: 2}}")).toBe('{"z":{"b":2}}'));
  it.each([
    ["z: {<<: 5}", "1:9 the merge key << takes a map or a list of maps"],
    ["z: *y", "1:4 there is no anchor &y before this alias"],
    ["z: &z [*z]", "1:8 the anchor &z contains itself"],
  ])("%j is a fault", (text, message) => expect(fault(text)).toBe(message));
});

describe("JSON", () => {
  it("keeps integers exact and finds several values, with their lines", () =>
    expect(readYaml('{"a": 9007199254740993}{"b":\n1}\n\n[2]\n')).toEqual([
      { value: { a: JSON.rawJSON("9007199254740993") }, line: 1 },
      { value: { b: 1 }, line: 1 },
      { value: [2], line: 4 },
    ]));
  it.each([
    ['{"a": 1,}', '1:9 a key in double quotes should stand here, not "}"'],
    ['{"a": 1\n "b": 2}', '2:2 a comma or } should stand here, not "\\""'],
    ['{"a": tru}', '1:7 a value should stand here, not "t"'],
    ['{"a": [1, 02]}', '1:11 a value should stand here, not "0"'],
    ['{"a": [1}', '1:9 a comma or ] should stand here, not "}"'],
    ['{"a": 1}\n{"b"', "2:5 the text ends where a colon should stand"],
    ['{"a": "x', "1:7 this string has no end"],
    ['{"a": "\\x"}', "1:8 JSON knows no such escape"],
    ['{"a": "\n"}', "1:8 a line end or control character in a string must be written as an escape"],
    ['{"a": 1,\n "\\u0061": 2}', '2:2 duplicate key "a" in a map'],
  ])("%j is a fault", (text, message) => expect(fault(text)).toBe(message));
  it.each([
    ["{a: b}", '{"a":"b"}'],
    ["[a, {b: c}]", '["a",{"b":"c"}]'],
    ["{\n  a: 'b', }", '{"a":"b"}'],
  ])("%j is YAML", (text, json) => expect(read(text)).toBe(json));
  it("may be followed by documents of YAML", () =>
    expect(readYaml('{"a": 1}\n---\n{"b": 2}\n---\nc: 3\n').map(({ line }) => line)).toEqual([1, 3, 5]));
  it("is read as JSON.parse reads it, or refused where JSON.parse refuses it", () => {
    const pieces = fc.constantFrom(
      '{"a":',
      '"b":',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"x"',
      "1",
      "-1.5e3",
      "true",
      "null",
      " ",
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const text = `{"first":${parts.join("")}`;
        const expected = attempt(() => writeJson(parseJson(text)));
        // Several values one after another are a text of their own.
        if (expected === undefined) expect(attempt(() => readYaml(text))?.length ?? 0).not.toBe(1);
        else if (!/"(a|b)".*"\1"/.test(text)) expect(read(text)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("a broken text", () => {
  it.each([
    ["a: 1\na: 2", '2:1 duplicate key "a" in a map'],
    ['1: a\n"1": b', '2:1 duplicate key "1" in a map'],
    ["a:\n\tb: 1", "2:1 Tabs are not allowed as indentation"],
    ["a:\n  b: 1\n c: 2", "3:1 All mapping items must start at the same column"],
    ["a: b: c", "1:4 Nested mappings are not allowed in compact mappings"],
    ["ok: 1\n---\na: [1", "3:6 "],
    ["a: 'x\n", "2:1 "],
    ["a: \u0001", "1:4 the character U+0001 may not stand in YAML; write it as an escape in double quotes"],
    ["a: x\ud800", "1:5 the character U+D800 may not stand in YAML; write it as an escape in double quotes"],
    ["a: [\n---\n}", "2:1 "],
  ])("%j", (text, message) => expect(fault(text)).toContain(message));
  it("never ends in anything but a fault", () => {
    const pieces = fc.constantFrom(
      ..."-?:,[]{}#&*!|>'\"%@` \n\t".split(""),
      "a",
      "1",
      "---",
      "<<",
      "\n  ",
      "&a",
      "*a",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        attempt(() => readYaml(parts.join("")));
      }),
      { numRuns: 3000 },
    );
  });
});

describe("a hostile text is refused quickly", () => {
  const deep = /^maps and lists are nested more than (?:500|1000) levels deep$/;
  it.each([
    ["[".repeat(100_000), deep],
    ['{"a":'.repeat(100_000), deep],
    ["a: ".concat("[".repeat(100_000)), deep],
    ["- ".repeat(100_000), deep],
    ["? ".repeat(100_000), deep],
    [": ".repeat(100_000), deep],
    [nestedMaps(1500), deep],
    [`x: &x ${"[".repeat(600)}${"]".repeat(600)}\nz: ${"[".repeat(600)}*x${"]".repeat(600)}`, deep],
    [laughs("[", "]", "lol"), /^the aliases of this document copy more than 8 MiB$/],
    [laughs("{<<: [", "]}", "{a: 1}"), /^the aliases of this document copy more than 8 MiB$/],
    [
      `x: &x ${"x".repeat(1e6)}\nz: [${"*x, ".repeat(1000)}]`,
      /^the aliases of this document copy more than 8 MiB$/,
    ],
    [" ".repeat(64 * 1024 * 1024 + 1), /^the text has more than 64 MiB; split it$/],
  ])("%.20j… is a fault", (text, message) => expect(() => readYaml(text)).toThrow(message));
  it("and what is 1000 deep in JSON, 500 in YAML, is read", () => {
    expect(readYaml("[".repeat(1000) + "]".repeat(1000))).toHaveLength(1);
    expect(readYaml(`a: ${"[".repeat(499)}b${"]".repeat(499)}`)).toHaveLength(1);
    expect(readYaml(nestedMaps(500))).toHaveLength(1);
  });
  it("100,000 keys in one map are no matter", () =>
    expect(readYaml(Array.from({ length: 100_000 }, (_, i) => `k${i}: v\n`).join(""))).toHaveLength(1));
});

describe("writing", () => {
  it("is block style, keys in their order, lists not indented, literals for several lines", () =>
    expect(
      writeYaml({
        kind: "Room",
        metadata: { labels: {}, name: "den" },
        spec: {
          lights: [{ name: "a", on: true }, { tags: [] }],
          nested: [["x"], []],
          script: "#!/bin/sh\n\necho hi\n",
        },
      }),
    ).toBe(`kind: Room
metadata:
  labels: {}
  name: den
spec:
  lights:
  - name: a
    "on": true
  - tags: []
  nested:
  - - x
  - []
  script: |
    #!/bin/sh

    echo hi
`));
  it.each([
    "on",
    "y",
    "07:30",
    "1e3",
    "0x1",
    "0o17",
    "~",
    "null",
    "",
    "1_000",
    ".5",
    "1e400",
    "2001-12-14",
    "-",
    "- a",
    "=",
    "<<",
    ".inf",
    "NO",
    "a: b",
    "a #b",
    "a:",
    " a",
    "a ",
    "*a",
    "&a",
    "!a",
    "[a",
    "{a",
    "|",
    ">",
    "%a",
    "@a",
    "`a",
    "#a",
    "? a",
    ": a",
    "---",
    "...",
    "a\u2028b",
    "a\u0085b",
    "\ufeff",
    "\u0007",
    "1.2.3",
    "\t",
    "\n",
    "+1",
    "-.5",
    "12e03",
    "190:20:30",
  ])("%j is in quotes", (text) => {
    expect(writeYaml(text)).toMatch(/^".*"\n$/);
    expect(read(writeYaml(text))).toBe(JSON.stringify(text));
  });
  it.each([
    "a",
    "den-2",
    "100m",
    "1Gi",
    "--port=9443",
    "/var/run",
    "nginx:1.27",
    "a, b",
    "Ein Zimmer über dem Hof",
    "app.kubernetes.io/name",
  ])("%j is plain", (text) => expect(writeYaml(text)).toBe(`${text}\n`));
  it("keeps exact numbers, long lines and keys, and __proto__", () => {
    const long = "word ".repeat(1000).trim();
    const value = Object.fromEntries<Json>([
      ["__proto__", { a: 1 }],
      ["max", JSON.rawJSON("9223372036854775807")],
      ["text", long],
      ["k".repeat(2000), { a: [1] }],
    ]);
    const text = writeYaml(value);
    expect(text).toContain("__proto__:\n  a: 1\nmax: 9223372036854775807\n");
    expect(text).toContain(`text: ${long}\n? kkk`);
    expect(read(text)).toBe(writeJson(value));
  });
  it("a float with an exponent has the point that YAML 1.1 asks for", () =>
    expect(writeYaml([1e21, 1e-7, 1.5e300])).toBe("- 1.0e+21\n- 1.0e-7\n- 1.5e+300\n"));
  it("any JSON is read back as it was", () => {
    fc.assert(
      fc.property(json, (value) => {
        const [document, ...more] = readYaml(writeYaml(value));
        expect(more).toEqual([]);
        expect(equal(document?.value, value) && sameOrder(document?.value, value)).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });
});

/** Any JSON: much text that looks like something else, characters of every sort, exact numbers. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom(..."-?:,[]{}#&*!|>'\"%@` \n\t\r\u0085\u2028\ufeff0x1_.eon~y<=+".split("")),
  }),
  fc.constantFrom(
    "on",
    "12:30",
    "0x1F",
    "1e3",
    "<<",
    "__proto__",
    "a\nb\n",
    "a\n\nb\n\n",
    "a\n b",
    "a\n---\nb",
    "a\n...\n",
  ),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      text,
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
    ),
    fc.bigInt(2n ** 53n, 2n ** 70n).map((value) => parseJson(String(value))),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie("json")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

function sameOrder(a: Json | undefined, b: Json): boolean {
  if (isArray(a)) return isArray(b) && a.every((item, index) => sameOrder(item, b[index] ?? null));
  if (!isObject(a) || !isObject(b)) return true;
  return Object.keys(a).join("\0") === Object.keys(b).join("\0");
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof SyntaxFault) return undefined;
    throw error;
  }
}

function nestedMaps(depth: number): string {
  return Array.from({ length: depth }, (_, level) => `${" ".repeat(level)}a:\n`).join("");
}

function laughs(open: string, close: string, joke: string): string {
  const lines = [`a0: &a0 ${joke}`];
  for (let level = 1; level <= 30; level += 1)
    lines.push(`a${level}: &a${level} ${open}${`*a${level - 1}, `.repeat(9)}${close}`);
  return lines.join("\n");
}
