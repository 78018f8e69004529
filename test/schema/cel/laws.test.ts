import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { type CompiledRules, compileRules } from "../../../src/schema/cel/rules/rules.ts";
import { readSchema } from "../../../src/schema/model/schema.ts";
import { readCases, resource, tellingRule, withRules } from "./cases.ts";

const { schema, cases } = readCases("values.yaml");
const many = compiled(resource(withRules(schema, rulesOf(cases.map(({ says }) => says)))));

/** Objects that the schema knows the fields of, values that it does not expect. */
const objects: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.record({
    spec: fc.dictionary(
      fc.constantFrom(...Object.keys(schema.properties as JsonObject)),
      fc.jsonValue() as fc.Arbitrary<Json>,
    ),
  }),
);

describe("rules over any JSON", () => {
  it("never throw, and say the same each time", () => {
    const property = fc.property(objects, fc.option(objects, { nil: undefined }), (value, old) => {
      expect(many.check(value, old, [])).toEqual(many.check(value, old, []));
    });
    fc.assert(property, { numRuns: 15 });
  }, 60_000);

  it("deny nothing that did not change, unless they ask for the old value", () => {
    const property = fc.property(objects, (value) => {
      const { faults } = many.check(value, value, []);
      // Only what a rule denies is forgiven, an error of its own is not (validation.go, `addErr`).
      const denied = faults.filter(({ message }) => /^Invalid value: "object": e\d+(?:: <|$)/.test(message));
      expect(denied.filter(({ field }) => field === "spec")).toEqual([]);
    });
    fc.assert(property, { numRuns: 15 });
  }, 60_000);
});

describe("hostile rules end", () => {
  const numbers = { type: "array", maxItems: 200, items: { type: "integer" } };
  const text = { type: "string", maxLength: 100_000 };

  /** What a rule says of 200 numbers and a text of 100,000 letters. */
  function said(rule: string): readonly string[] {
    const properties = { n: numbers, s: text };
    const schema = { type: "object", properties, "x-kubernetes-validations": [{ rule, message: "m" }] };
    const { rules } = compileRules(readSchema(schema));
    const object = { n: Array.from({ length: 200 }, (_, n) => n), s: "a".repeat(100_000) };
    return rules.check(object, undefined, []).faults.map(({ message }) => message);
  }

  it.each([
    [
      "nested comprehensions",
      "self.n.all(a, self.n.all(b, self.n.all(c, self.n.all(d, a + b + c + d >= 0))))",
    ],
    ["maps of maps", "self.n.map(a, self.n.map(b, self.n.map(c, self.n.map(d, [a, b, c, d])))).size() > 0"],
    ["long text, joined often", "self.n.map(a, self.s).join(self.s).size() >= 0"],
    ["text replaced by itself", 'self.s.replace("a", self.s).replace("a", self.s).size() >= 0'],
    ["text replaced between its letters", 'self.s.replace("", self.s).size() >= 0'],
    ["every find", 'self.s.findAll("a*?b|a").size() >= 0'],
    ["a range", "lists.range(1000000).map(x, lists.range(1000000)).size() > 0"],
    ["sets", "sets.contains(lists.range(100000), lists.range(100000))"],
    ["distinct", "self.n.map(x, lists.range(1000)).flatten().distinct().size() >= 0"],
  ])("by the limit of their cost: %s", (_what, rule) => {
    expect(said(rule)).toEqual([
      expect.stringContaining("'operation cancelled: actual cost limit exceeded'"),
    ]);
  });

  it("by the limit of a function", () => {
    const message = "lists.range: size 100000000 exceeds maximum allowed (1000000)";
    expect(said("lists.range(100000000).sum() > 0")).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ["text printed often", '"%s%s%s%s".format([self.s, self.s, self.s, self.s]).split("").size() >= 0'],
    ["a pattern that backtracks", 'self.s.matches("^(a+)+$") || true'],
    ["a pattern with many choices", 'self.s.matches("(a|aa|aaa|b?){1,100}c") || true'],
  ])("with their value, which costs little: %s", (_what, rule) => {
    expect(said(rule)).toEqual([]);
  });

  const deep = "expression recursion limit exceeded: 250";
  const recursive = "max recursion depth exceeded";

  // No longer than an expression may be.
  it.each([
    ["parentheses", `${"(".repeat(99_000)}true`, deep],
    ["lists", `${"[".repeat(49_000)}${"]".repeat(49_000)} == []`, deep],
    ["questions", `${"true ? 1 : ".repeat(9_000)}1 == 1`, deep],
    ["macros in macros", `${"[1].all(x, ".repeat(2000)}true${")".repeat(2000)}`, deep],
    ["sums", `${"1 + ".repeat(24_000)}1 > 0`, recursive],
    ["fields", `self${".a".repeat(49_000)}`, recursive],
    ["calls", `self${".a()".repeat(24_000)}`, recursive],
    ["a text without an end", `"${"\\".repeat(99_998)}`, "Syntax error: mismatched input '<EOF>'"],
    ["marks", "\u0000\uffff\ud800".repeat(10_000), "29901 more errors were truncated"],
    [
      "more letters than allowed",
      `${"(".repeat(100_000)}true`,
      "size exceeds limit: size: 100004, limit 100000",
    ],
  ])("when they are compiled: %s", (_what, rule, fault) => {
    expect(compiledFaults(rule)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    ["not", `${"!".repeat(99_000)}true`],
    ["minus", `${"-".repeat(99_000)}1 == 1`],
  ])("when they are compiled, without a fault: %s", (_what, rule) => {
    expect(compiledFaults(rule)).toEqual([]);
  });

  function compiledFaults(rule: string): readonly string[] {
    const schema = { type: "object", "x-kubernetes-validations": [{ rule, message: "m" }] };
    return compileRules(readSchema(schema)).faults.map(({ message }) => message);
  }
});

function rulesOf(expressions: readonly string[]): readonly JsonObject[] {
  return expressions.map((says, index) => tellingRule(says, `e${index}`));
}

function compiled(schema: JsonObject): CompiledRules {
  return compileRules(readSchema(schema)).rules;
}
