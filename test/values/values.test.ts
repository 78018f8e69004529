import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, valuesIn } from "../../src/json/json.ts";
import { compileCrd } from "../../src/schema/index.ts";
import { branchesOf, settled } from "../../src/values/combinators.ts";
import { textsMatching, valuesFor } from "../../src/values/leaf.ts";
import { differentOf, smallestOf } from "../../src/values/smallest.ts";

/** What an API server finds wrong with a value of a schema. */
function faultsOf(schema: JsonObject, value: Json): readonly string[] {
  const compiled = compileCrd({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      scope: "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { value: schema } } },
        },
      ],
    },
  });
  if ("causes" in compiled) throw new Error(compiled.causes.map(({ message }) => message).join("\n"));
  const [version] = compiled.crd.versions;
  const object = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, value };
  return version?.validate(object).causes.map(({ message }) => message) ?? ["no version"];
}

const bound = fc.integer({ min: -50, max: 50 });
const numeric = fc
  .record({ minimum: bound, width: fc.nat({ max: 40 }), step: fc.constantFrom(1, 2, 5) })
  .map(({ minimum, width, step }) => ({
    type: "integer",
    minimum,
    maximum: minimum + width,
    multipleOf: step,
  }));
const textual = fc.oneof(
  fc
    .constantFrom("date-time", "duration", "uuid", "ipv4", "uri", "byte", "email")
    .map((format) => ({ type: "string", format })),
  fc
    .constantFrom("^[a-z]{3,5}$", "^v[0-9]+$", "^(on|off)$", "^[A-Z][a-z-]*$")
    .map((pattern) => ({ type: "string", pattern })),
  fc.nat({ max: 30 }).map((minLength) => ({ type: "string", minLength, maxLength: minLength + 3 })),
);
const chosen = fc
  .uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 })
  .map((words) => ({ type: "string", enum: words }));
const leaf: fc.Arbitrary<JsonObject> = fc.oneof(numeric, textual, chosen, fc.constant({ type: "boolean" }));

/** Structural schemas, whose combinators narrow their fields. */
const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc
      .tuple(
        tie("schema"),
        tie("schema"),
        fc.constantFrom<readonly string[]>([], ["x"], ["x", "y"]),
        fc.boolean(),
      )
      .map(
        ([x, y, required, narrows]): JsonObject => ({
          type: "object",
          properties: { x, y, mode: { type: "string" } },
          required: [...required],
          ...(narrows
            ? {
                allOf: [
                  {
                    anyOf: [
                      { properties: { mode: { enum: ["Fast"] } } },
                      { properties: { mode: { enum: ["Slow"] } }, required: ["mode"] },
                    ],
                  },
                ],
              }
            : {}),
        }),
      ),
    fc
      .tuple(tie("schema"), fc.nat({ max: 3 }))
      .map(([items, minItems]): JsonObject => ({ type: "array", items, minItems })),
    tie("schema").map((entries): JsonObject => ({ type: "object", additionalProperties: entries })),
  ),
}));

describe("the smallest value", () => {
  it("is one that an API server admits, if the schema admits one that is not zero", () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const value = smallestOf(settled(schema));
        fc.pre(!JSON.stringify(value).includes("null"));
        expect(faultsOf(schema, value)).toEqual([]);
      }),
    );
  });

  it("is bounded, whatever the schema demands", () => {
    const nested = (depth: number): JsonObject =>
      depth === 0
        ? { type: "string", minLength: 3 }
        : {
            type: "array",
            minItems: 100,
            items: { type: "object", required: ["in"], properties: { in: nested(depth - 1) } },
          };
    expect(valuesIn(smallestOf(nested(6)))).toBeLessThan(50_000);
    const told = (depth: number): JsonObject =>
      depth === 0
        ? { type: "string" }
        : { type: "array", minItems: 100, "x-kubernetes-list-type": "set", items: told(depth - 1) };
    expect(valuesIn(smallestOf(told(5)))).toBeLessThan(50_000);
  });
});

describe("several values of a schema", () => {
  it("differ, and each is admitted", () => {
    fc.assert(
      fc.property(schemas, fc.integer({ min: 2, max: 12 }), (schema, count) => {
        const found = differentOf(settled(schema), count);
        expect(found.length).toBeLessThanOrEqual(count);
        expect(new Set(found.map((value) => JSON.stringify(value))).size).toBe(found.length);
        for (const value of found)
          if (!JSON.stringify(value).includes("null")) expect(faultsOf(schema, value)).toEqual([]);
      }),
    );
  });

  it("are as many as are wanted where the schema sets no limit", () => {
    const item = { type: "object", properties: { port: { type: "integer" } } };
    for (const schema of [{ type: "string" }, { type: "integer" }, item])
      expect(differentOf(schema, 500)).toHaveLength(500);
  });
});

describe("combinators", () => {
  it("are settled without making the schema larger", () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        expect(valuesIn(settled(schema))).toBeLessThanOrEqual(2 * valuesIn(schema));
      }),
    );
  });

  it("leave a limited number of ways", () => {
    const choice = { anyOf: Array.from({ length: 10 }, (_, index) => ({ minimum: index })) };
    const schema = { type: "integer", allOf: Array.from({ length: 10 }, () => choice) };
    expect(branchesOf(settled(schema)).length).toBeLessThanOrEqual(16);
    expect(valuesFor(settled(schema), "")).not.toEqual([]);
  });
});

it("texts are drawn from a pattern, everyday ones first, and none from one that JavaScript cannot read", () => {
  expect(textsMatching("^[0-9]+m$")[0]).toBe("10m");
  expect(textsMatching("^q[0-9]{3}z$").every((text) => /^q[0-9]{3}z$/.test(text))).toBe(true);
  expect(textsMatching("^q[0-9]{3}z$")).not.toEqual([]);
  expect(textsMatching("(?i)zz(?P<name>q)")).toEqual([]);
});
