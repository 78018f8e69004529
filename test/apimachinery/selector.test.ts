import { describe, expect, it } from "vitest";
import { labelKeyFaults, labelValueFaults } from "../../src/apimachinery/names.ts";
import { selectorFaults, selectorOf } from "../../src/apimachinery/selector.ts";
import type { Json } from "../../src/json/json.ts";

const one = (operator: string, values?: readonly string[]): Json => ({
  matchExpressions: [{ key: "app", operator, ...(values === undefined ? {} : { values }) }],
});

function matches(selector: Json | undefined, labels?: Json): boolean | undefined {
  const reading = selectorOf(selector);
  return "fault" in reading ? undefined : reading.selector.matches(labels);
}

describe("a selector that was read", () => {
  it.each<[string, Json | undefined, Json | undefined, boolean]>([
    ["no selector matches nothing", undefined, { app: "web" }, false],
    ["null matches nothing", null, {}, false],
    ["an empty one matches everything", {}, undefined, true],
    ["a label must be equal", { matchLabels: { app: "web" } }, { app: "web" }, true],
    ["equal is not alike", { matchLabels: { app: "web" } }, { app: "Web" }, false],
    ["all labels must be equal", { matchLabels: { app: "web", a: "b" } }, { app: "web" }, false],
    ["In: one of them", one("In", ["db", "web"]), { app: "web" }, true],
    ["In: not without the label", one("In", ["", "web"]), {}, false],
    ["In no values: never", one("In"), { app: "web" }, false],
    ["NotIn: also without the label", one("NotIn", ["web"]), undefined, true],
    ["NotIn: none of them", one("NotIn", ["web"]), { app: "web" }, false],
    ["Exists: also empty", one("Exists"), { app: "" }, true],
    ["DoesNotExist: not even empty", one("DoesNotExist"), { app: "" }, false],
    ["an inherited name is no label", { matchLabels: { constructor: "x" } }, {}, false],
  ])("%s", (_claim, selector, labels, expected) => {
    expect(matches(selector, labels)).toBe(expected);
  });

  it("takes a key like __proto__ for a key", () => {
    const selector = JSON.parse('{"matchLabels":{"__proto__":"x"}}') as Json;
    expect(matches(selector, JSON.parse('{"__proto__":"x"}') as Json)).toBe(true);
    expect(matches(selector, {})).toBe(false);
  });

  it("names the place of an operator that there is not", () => {
    expect(selectorOf(one("Equals", ["web"]))).toMatchObject({
      fault: {
        path: ["matchExpressions", 0, "operator"],
        message: 'Invalid value: "Equals": not a valid selector operator',
      },
    });
  });

  it.each<Json>([1, [], { matchLabels: [] }, { matchLabels: { a: 1 } }, { matchExpressions: [null] }])(
    "is no selector: %j",
    (selector) => {
      expect(selectorOf(selector)).toHaveProperty("fault");
    },
  );
});

describe("what is wrong with a selector", () => {
  it("is nothing where there is none, or all is well", () => {
    expect(selectorFaults(undefined, [])).toEqual([]);
    expect(selectorFaults({ matchLabels: { "example.com/app": "web" } }, [])).toEqual([]);
  });

  it("reports each key and value, in the API server's words", () => {
    const selector: Json = {
      matchLabels: { "-a": "b c" },
      matchExpressions: [
        { key: "a", operator: "In" },
        { key: "a", operator: "Exists", values: ["x"] },
        { key: "", operator: "Like" },
      ],
    };
    const found = selectorFaults(selector, ["spec", "selector"]);
    expect(found.map(({ path, message }) => `${path.join(".")}: ${message.slice(0, 60)}`)).toEqual([
      'spec.selector.matchLabels: Invalid value: "-a": name part must consist of alphanumeric ',
      'spec.selector.matchLabels: Invalid value: "b c": a valid label must be an empty string ',
      "spec.selector.matchExpressions.0.values: Required value: must be specified when `operator` is 'In' or",
      "spec.selector.matchExpressions.1.values: Forbidden: may not be specified when `operator` is 'Exists' ",
      'spec.selector.matchExpressions.2.operator: Invalid value: "Like": not a valid selector operator',
      'spec.selector.matchExpressions.2.key: Invalid value: "": name part must be non-empty',
      'spec.selector.matchExpressions.2.key: Invalid value: "": name part must consist of alphanumeric ch',
    ]);
  });
});

describe("label syntax", () => {
  it.each(["a", "A_b.c", "example.com/a", `${"a".repeat(100)}.b/c`, "a".repeat(63)])("a key: %s", (key) => {
    expect(labelKeyFaults(key)).toEqual([]);
  });
  it.each(["", "a/", "/a", "a/b/c", "Example.com/a", "-a", "a-", "é", "a".repeat(64)])(
    "no key: %s",
    (key) => {
      expect(labelKeyFaults(key)).not.toEqual([]);
    },
  );
  it("an empty value is one, a long one is none", () => {
    expect(labelValueFaults("")).toEqual([]);
    expect(labelValueFaults("a".repeat(64))).toEqual(["must be no more than 63 characters"]);
  });
  // In quadratic time it would take hours.
  it("a text of megabytes is no key", () => {
    expect(labelKeyFaults(`${"a-".repeat(2_000_000)}!/${"a.".repeat(2_000_000)}`)).not.toEqual([]);
  });
});
