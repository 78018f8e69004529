import fc from "fast-check";
import { expect, it } from "vitest";
import { isObject } from "../../src/json/json.ts";
import { valuesOf } from "../../src/laws/values.ts";

const text = { type: "string" };
const properties = { a: text, b: text, c: text };
const seed = Number(process.env.SEED);

it.each([
  ["one of several fields", { type: "object", properties, minProperties: 1, maxProperties: 1 }, 1, 1],
  ["at most two fields", { type: "object", properties, maxProperties: 2 }, 0, 2],
  ["at least two fields", { type: "object", properties, minProperties: 2 }, 2, 3],
  ["a required field and one more", { type: "object", properties, required: ["c"], maxProperties: 2 }, 1, 2],
  ["a map of two", { type: "object", additionalProperties: text, minProperties: 2, maxProperties: 2 }, 2, 2],
])("valid objects have as many fields as their schema allows: %s", (_what, schema, least, most) => {
  const values = fc.sample(valuesOf(schema, "", new Map(), "valid"), { numRuns: 200, seed });
  const names = values.map((each) => Object.keys(isObject(each) ? each : {}));
  for (const each of names) {
    expect(each.length).toBeGreaterThanOrEqual(least);
    expect(each.length).toBeLessThanOrEqual(most);
    if ("required" in schema) expect(each).toContain("c");
  }
  if ("properties" in schema) expect(new Set(names.flat())).toEqual(new Set(["a", "b", "c"]));
});

it.each([
  ["fields", { type: "object", additionalProperties: text, minProperties: 3_000_000 }],
  ["items", { type: "array", items: text, minItems: 3_000_000 }],
])("a schema that wants millions of %s is not obeyed", (_what, schema) => {
  const values = fc.sample(valuesOf(schema, "", new Map(), "valid"), { numRuns: 10, seed });
  for (const each of values) expect(Object.keys(each as object).length).toBeLessThan(50);
});
