import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { anyJson, deepJson } from "../../src/laws/any.ts";
import { type CompiledSchema, compileVersion } from "../../src/schema/crd/compile.ts";
import { root } from "../../src/schema/model/place.ts";
import { readSchema } from "../../src/schema/model/schema.ts";
import { fastPathOf } from "../../src/schema/openapi/fast-path.ts";
import { locationAt } from "../../src/schema/openapi/outcome.ts";
import { schemaValidatorOf } from "../../src/schema/openapi/validate.ts";
import { anyLeaf, anyObject, anyScalar, anySchema, anyValue } from "./schemas.ts";

// LAWS_RUNS=20000 npx vitest run test/schema/laws tries them long; a broken law prints the seed that draws the same again.
const numRuns = Number(process.env.LAWS_RUNS ?? 60);

/** Schemas that an API server would take, compiled. */
const goodSchema: fc.Arbitrary<CompiledSchema> = anySchema
  .map((schema) =>
    compileVersion({ schema: { openAPIV3Schema: { ...schema, nullable: false } } }, { fastPath: fastPathOf }),
  )
  .filter((compiled) => "schema" in compiled)
  .map((compiled) => (compiled as { schema: CompiledSchema }).schema);

/** Those that declare every field: an object with another one always counts as changed, and so does the root (ratcheting). */
const declaringSchema: fc.Arbitrary<CompiledSchema> = anySchema
  .map(({ anyOf: _, oneOf: _1, allOf: _2, not: _3, nullable: _4, ...schema }) => declaring(schema))
  .map((schema) => compileVersion({ schema: { openAPIV3Schema: schema as JsonObject } }))
  .filter((compiled) => "schema" in compiled)
  .map((compiled) => (compiled as { schema: CompiledSchema }).schema);

function declaring(schema: Json): Json {
  if (isArray(schema)) return schema.map(declaring);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== "x-kubernetes-preserve-unknown-fields");
  const rest = entries.map(([key, value]) => [key, declaring(value)] as const);
  return entries.length === 0 && Object.keys(schema).length > 0
    ? { type: "boolean" }
    : Object.fromEntries(rest);
}

describe("of any schema and any object", () => {
  it("what is pruned once stays as it is", () => {
    fc.assert(
      fc.property(goodSchema, anyObject, (schema, object) => {
        const once = schema.prune(object);
        const again = schema.prune(once.object);
        expect(again.object).toBe(once.object);
        expect(again.unknown).toEqual([]);
      }),
      { numRuns },
    );
  });

  it("what is defaulted once stays as it is", () => {
    fc.assert(
      fc.property(goodSchema, anyObject, (schema, object) => {
        const once = schema.defaulted(schema.prune(object).object);
        expect(schema.defaulted(once)).toBe(once);
      }),
      { numRuns },
    );
  });

  it("a default is never unknown to its schema", () => {
    fc.assert(
      fc.property(goodSchema, anyObject, (schema, object) => {
        expect(schema.prune(schema.defaulted(schema.prune(object).object)).unknown).toEqual([]);
      }),
      { numRuns },
    );
  });

  it("no argument is changed", () => {
    fc.assert(
      fc.property(goodSchema, anyObject, (schema, object) => {
        const before = JSON.stringify(object);
        schema.validate(schema.defaulted(schema.prune(object).object), object);
        expect(JSON.stringify(object)).toBe(before);
      }),
      { numRuns },
    );
  });

  it("what did not change is never refused below the root", () => {
    fc.assert(
      fc.property(declaringSchema, anyObject, (schema, object) => {
        const whole = schema.prune({ ...object, metadata: { name: "a" } }).object;
        const { faults } = schema.validate(whole, whole);
        expect(
          faults.filter(
            ({ path = [], type }) => path.length > 1 || (path.length === 1 && type !== "FieldValueRequired"),
          ),
        ).toEqual([]);
      }),
      { numRuns },
    );
  });

  it("judging throws on no JSON at all", () => {
    fc.assert(
      fc.property(
        goodSchema,
        fc.oneof(anyJson, deepJson),
        fc.oneof(anyJson, deepJson),
        (schema, value, old) => {
          const object = { metadata: value, spec: value, a: old, status: old };
          schema.validate(object);
          schema.validate(object, { metadata: old, spec: old, a: value } as JsonObject);
          schema.validate(object, { status: value } as JsonObject, "status");
          schema.defaulted(schema.prune(object).object);
        },
      ),
      { numRuns },
    );
  });

  it("compiling throws on no JSON at all", () => {
    fc.assert(
      fc.property(anyJson, anySchema, (value, schema) => {
        for (const odd of [value, { ...schema, items: value }, { ...schema, properties: { a: value } }]) {
          compileVersion({ schema: { openAPIV3Schema: odd } });
        }
      }),
      { numRuns },
    );
  });
});

describe("what the fast path passes, the validator passes", () => {
  const disagreements = (json: JsonObject, values: readonly Json[]) => {
    const schema = readSchema(json);
    const [isCertain, validate] = [fastPathOf(schema), schemaValidatorOf(schema)];
    const passed = values.filter((value) => isCertain(value));
    return passed.filter((value) => validate(value, locationAt(root)).faults.length > 0);
  };

  it("of whole objects", () => {
    const values = fc.array(fc.oneof(anyValue, anyJson), { minLength: 5, maxLength: 20 });
    const property = fc.property(anySchema, values, (json, drawn) => {
      expect(disagreements(json, drawn)).toEqual([]);
    });
    fc.assert(property, { numRuns: numRuns / 2 });
  });

  it("of scalars", () => {
    const property = fc.property(
      anyLeaf,
      fc.array(anyScalar, { minLength: 5, maxLength: 20 }),
      (json, drawn) => {
        expect(disagreements(json, drawn)).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: numRuns * 3 });
  });
});
