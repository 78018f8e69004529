import fc from "fast-check";
import type { Json, JsonObject } from "../../src/json/json.ts";

// Schemas and values that meet each other: few keys, few values, so that much of what is drawn is nearly valid.

const key = fc.constantFrom("a", "b", "c", "spec", "__proto__", "constructor");

const text: fc.Arbitrary<JsonObject> = fc.record(
  {
    type: fc.constant("string"),
    maxLength: fc.constantFrom(-1, 0, 2),
    minLength: fc.constantFrom(0, 1),
    pattern: fc.constantFrom("^a", "b$", "^(x|a)+$"),
    format: fc.constantFrom("date", "uuid", "ipv4", "nope", "k8s-short-name"),
    enum: fc.constantFrom<Json[]>(["a", "b"], [], [null, "a"], ["A", 1]),
    nullable: fc.boolean(),
    default: fc.constantFrom<Json>("a", null),
  },
  { requiredKeys: ["type"] },
);

const bound = fc.constantFrom(0, 1, -1, 2.1, -2.9, 2147483648, 1e21, -1e21, 2 ** 63);

const number: fc.Arbitrary<JsonObject> = fc.record(
  {
    type: fc.constantFrom("integer", "number"),
    format: fc.constantFrom("int32", "int64", "float", "double"),
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: fc.boolean(),
    exclusiveMaximum: fc.boolean(),
    multipleOf: fc.constantFrom(2, 0.1, 2.5, 0, 1),
    enum: fc.constantFrom<Json[]>([1, 2.5], [1]),
    nullable: fc.boolean(),
  },
  { requiredKeys: ["type"] },
);

const intOrString: fc.Arbitrary<JsonObject> = fc.record(
  {
    "x-kubernetes-int-or-string": fc.constant(true),
    minimum: bound,
    maximum: bound,
    maxLength: fc.constantFrom(1, 3),
    pattern: fc.constant("^[0-9]+%$"),
    format: fc.constantFrom("date", "ipv4", "int32", "nope"),
    type: fc.constantFrom("integer", "string"),
    nullable: fc.boolean(),
  },
  { requiredKeys: ["x-kubernetes-int-or-string"] },
);

/** A schema of one scalar. */
export const anyLeaf: fc.Arbitrary<JsonObject> = fc.oneof(text, number, intOrString);

/** A schema, structural or nearly so, with combinators, lists, maps and preserved fields. */
export const anySchema: fc.Arbitrary<JsonObject> = fc.letrec<{
  node: JsonObject;
  object: JsonObject;
  branch: JsonObject;
}>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    text,
    number,
    intOrString,
    fc.constant<JsonObject>({ type: "boolean" }),
    fc.constant<JsonObject>({ "x-kubernetes-preserve-unknown-fields": true }),
    tie("object"),
    fc.record<JsonObject>(
      {
        type: fc.constant("array"),
        items: tie("node"),
        maxItems: fc.constantFrom(0, 2),
        minItems: fc.constantFrom(1, -1),
        nullable: fc.boolean(),
        "x-kubernetes-list-type": fc.constantFrom("atomic", "set"),
      } as never,
      { requiredKeys: ["type", "items"] as never },
    ),
    fc.record<JsonObject>({ type: fc.constant("object"), additionalProperties: tie("node") } as never),
  ),
  object: fc.record<JsonObject>(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(key, tie("node"), { maxKeys: 3, noNullPrototype: true }),
      required: fc.uniqueArray(key, { maxLength: 2 }),
      maxProperties: fc.constantFrom(0, 2),
      minProperties: fc.constantFrom(1, 2),
      nullable: fc.boolean(),
      "x-kubernetes-preserve-unknown-fields": fc.constant(true),
      anyOf: fc.array(tie("branch"), { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(tie("branch"), { minLength: 1, maxLength: 2 }),
      allOf: fc.array(tie("branch"), { minLength: 1, maxLength: 2 }),
      not: tie("branch"),
    } as never,
    { requiredKeys: ["type", "properties"] as never },
  ),
  branch: fc.record<JsonObject>(
    {
      required: fc.uniqueArray(key, { maxLength: 2 }),
      properties: fc.dictionary(
        key,
        fc.record<JsonObject>({ minLength: fc.constant(2), maximum: fc.constant(0) } as never, {
          requiredKeys: [],
        }),
        {
          maxKeys: 2,
          noNullPrototype: true,
        },
      ),
      maxProperties: fc.constant(1),
    } as never,
    { requiredKeys: [] },
  ),
})).object;

/** A scalar of those that such schemas speak of. */
export const anyScalar: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  null,
  true,
  "",
  "a",
  "b",
  "ab",
  "5%",
  "2024-02-29",
  "2024-02-30",
  "\u{1f600}",
  0,
  1,
  65,
  2,
  2.5,
  -1,
  1e-7,
  1e30,
  2147483648,
  JSON.rawJSON("9223372036854775807") as Json,
  JSON.rawJSON("-9223372036854775809") as Json,
  JSON.rawJSON("1.0") as Json,
  JSON.rawJSON("1e18") as Json,
);

/** A value of the keys and texts that such schemas speak of. */
export const anyValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "value" },
    anyScalar,
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(key, fc.constantFrom("rawJSON", "toString", "")), tie("value")), {
      maxLength: 4,
    })
    .map(Object.fromEntries),
})).value;

/** An object of such keys. */
export const anyObject: fc.Arbitrary<JsonObject> = anyValue.map((value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
    ? (value as JsonObject)
    : { a: value, spec: { a: value } },
);
