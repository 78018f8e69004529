import { isArray, isObject, type Json, type JsonObject, own } from "../../src/json/json.ts";
import { type Dice, formats, integers, names, numbers, patterns, strings } from "./schemas-dice.ts";
import { rulesFor } from "./schemas-draw-rules.ts";
import { valueFor } from "./schemas-draw-value.ts";

/** The schema of a kind: with a spec, perhaps a status, and something to say at the root. */
export function drawRoot(dice: Dice, hasStatus: boolean): JsonObject {
  const properties = {
    spec: objectSchema(dice, 3, 4),
    ...(hasStatus || dice.chance(20) ? { status: objectSchema(dice, 2, 3) } : {}),
  };
  const schema: JsonObject = {
    type: "object",
    properties,
    ...(dice.chance(20) ? { required: ["spec"] } : {}),
    ...(dice.chance(5) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(dice.chance(5) && !hasStatus ? { anyOf: [{ required: ["spec"] }, { required: ["status"] }] } : {}),
  };
  return dice.chance(15) ? { ...schema, ...rulesFor(dice, schema) } : schema;
}

/** The schema with one thing in it changed that may make it invalid. */
export function spoilt(dice: Dice, schema: JsonObject): JsonObject {
  const below = ["properties", "items", "additionalProperties"].filter((key) => isObject(own(schema, key)));
  if (below.length === 0 || dice.chance(25)) return { ...schema, ...dice.pick(spoilers)(dice) };
  const key = dice.pick(below);
  const inner = own(schema, key) as JsonObject;
  if (key !== "properties") return { ...schema, [key]: spoilt(dice, inner) };
  const known = Object.keys(inner);
  if (known.length === 0) return { ...schema, ...dice.pick(spoilers)(dice) };
  const name = dice.pick(known);
  const field = inner[name];
  return { ...schema, properties: { ...inner, [name]: isObject(field) ? spoilt(dice, field) : {} } };
}

const spoilers: readonly ((dice: Dice) => JsonObject)[] = [
  (dice) => ({ type: dice.pick<Json>(["null", "", "text", "object", "array", "string", null]) }),
  (dice) => ({ nullable: dice.chance(70) }),
  (dice) => ({ "x-kubernetes-list-type": dice.pick(["set", "map", "atomic", "bag", ""]) }),
  (dice) => ({ "x-kubernetes-list-map-keys": dice.pick([["a"], ["a", "a"], [], ["ghost"]]) }),
  (dice) => ({ "x-kubernetes-map-type": dice.pick(["atomic", "granular", "bag"]) }),
  (dice) => ({ "x-kubernetes-preserve-unknown-fields": dice.chance(70) }),
  () => ({ "x-kubernetes-int-or-string": true }),
  () => ({ "x-kubernetes-embedded-resource": true }),
  (dice) => ({ items: dice.pick<Json>([{}, { type: "string" }, null, [{ type: "string" }]]) }),
  (dice) => ({
    properties: dice.pick<Json>([{}, { a: {} }, { a: { type: "string" } }, { metadata: { type: "string" } }]),
  }),
  (dice) => ({ additionalProperties: dice.pick<Json>([true, false, {}, { type: "string" }]) }),
  (dice) => ({ default: dice.pick<Json>([null, 1, "a", {}, [], { a: 1 }, { a: null }, [null], true]) }),
  (dice) => ({ pattern: dice.pick(["(", "(?=a)", "[z-a]", "a{1001}", "*", "\\p{Nope}", "^a"]) }),
  (dice) => ({ required: dice.pick([["a", "a"], ["ghost"], [""], []]) }),
  (dice) => ({ [dice.pick(["uniqueItems", "exclusiveMinimum"])]: true }),
  (dice) => ({ [dice.pick(["allOf", "oneOf", "anyOf"])]: [dice.pick(branches)] }),
  (dice) => ({ not: dice.pick(branches) }),
  (dice) => ({ [dice.pick(["$ref", "$schema", "id"])]: "x" }),
  (dice) => ({ [dice.pick(["definitions", "patternProperties"])]: { a: { type: "string" } } }),
  (dice) => ({ enum: dice.pick([[null], [], [{}], [1, "a"]]) }),
  (dice) => ({
    "x-kubernetes-validations": [
      {
        rule: dice.pick(["", "self ==", "1", "self.ghost", "oldSelf == self", "true", "nope(self)"]),
        ...dice.pick<JsonObject>([
          {},
          { message: "" },
          { message: "a\nb" },
          { reason: "Nope" },
          { fieldPath: "x" },
          { optionalOldSelf: true },
          { messageExpression: "1" },
        ]),
      },
    ],
  }),
];

const branches: readonly JsonObject[] = [
  { type: "string" },
  { description: "x" },
  { default: 1 },
  { nullable: true },
  { properties: { a: { type: "string" } } },
  { properties: { ghost: { minimum: 1 } } },
  { properties: { metadata: { required: ["name"] } } },
  { items: { minimum: 1 } },
  { additionalProperties: { minimum: 1 } },
  { "x-kubernetes-int-or-string": true },
  { "x-kubernetes-preserve-unknown-fields": true },
  { pattern: "(" },
  { anyOf: [{ type: "integer" }, { type: "string" }] },
  {},
];

function schemaOf(dice: Dice, depth: number): JsonObject {
  const draws = [stringSchema, integerSchema, numberSchema, booleanSchema, eitherSchema];
  const nested = [objectSchema, listSchema, listSchema, mapSchema, keeperSchema];
  const draw = dice.pick(depth > 0 ? [...draws, ...nested, ...nested] : draws);
  const plain = draw(dice, depth - 1);
  const schema = {
    ...plain,
    ...(dice.chance(8) ? { nullable: true } : {}),
    ...(dice.chance(12) ? junctorOf(dice, plain, 2) : {}),
    ...(dice.chance(15) ? rulesFor(dice, plain) : {}),
  };
  // A default that is drawn for a schema with many bounds is invalid as a rule, and with it the CRD.
  const isBounded = Object.keys(schema).some((key) =>
    /^(m|exclusive|pattern|format|one|any|all|not|x-kubernetes-v)/.test(key),
  );
  return dice.chance(isBounded ? 2 : 15) ? { ...schema, default: valueFor(dice, schema, 0) } : schema;
}

function stringSchema(dice: Dice): JsonObject {
  return {
    type: "string",
    ...(dice.chance(25) ? { maxLength: dice.upTo(4) } : {}),
    ...(dice.chance(15) ? { minLength: dice.upTo(3) } : {}),
    ...(dice.chance(15) ? { pattern: dice.pick(patterns) } : {}),
    ...(dice.chance(15) ? { enum: [dice.pick(strings), dice.pick(strings)] } : {}),
    ...(dice.chance(25) ? { format: dice.pick(formats) } : {}),
  };
}

function integerSchema(dice: Dice): JsonObject {
  const format = dice.chance(30) ? { format: dice.pick(["int32", "int64", "uint32"]) } : {};
  return { type: "integer", ...boundsOf(dice, dice.chance(15) ? numbers : integers), ...format };
}

function numberSchema(dice: Dice): JsonObject {
  const format = dice.chance(20) ? { format: dice.pick(["float", "double", "int32"]) } : {};
  return { type: "number", ...boundsOf(dice, numbers), ...format };
}

function boundsOf(dice: Dice, values: readonly Json[]): JsonObject {
  return {
    ...(dice.chance(20) ? { minimum: dice.pick(values) } : {}),
    ...(dice.chance(20) ? { maximum: dice.pick(values) } : {}),
    ...(dice.chance(10) ? { exclusiveMinimum: dice.chance(50) } : {}),
    ...(dice.chance(10) ? { exclusiveMaximum: dice.chance(50) } : {}),
    ...(dice.chance(10) ? { multipleOf: dice.pick(values) } : {}),
    ...(dice.chance(10) ? { enum: [dice.pick(values), dice.pick(values)] } : {}),
  };
}

function booleanSchema(dice: Dice): JsonObject {
  return { type: "boolean", ...(dice.chance(10) ? { enum: [true] } : {}) };
}

function eitherSchema(dice: Dice): JsonObject {
  return {
    "x-kubernetes-int-or-string": true,
    ...(dice.chance(40) ? { anyOf: [{ type: "integer" }, { type: "string" }] } : {}),
    ...(dice.chance(20) ? { pattern: dice.pick(patterns) } : {}),
    ...(dice.chance(20) ? { maximum: dice.pick(integers) } : {}),
    ...(dice.chance(10) ? { maxLength: dice.upTo(3) } : {}),
    ...(dice.chance(10) ? { enum: [1, "1", "10%"] } : {}),
  };
}

function objectSchema(dice: Dice, depth: number, most = 3): JsonObject {
  const chosen = [...new Set(Array.from({ length: dice.upTo(most) }, () => dice.pick(names)))];
  const isEmbedded = dice.chance(6);
  return {
    type: "object",
    properties: Object.fromEntries(chosen.map((name) => [name, schemaOf(dice, depth)])),
    ...(dice.chance(30) && chosen.length > 0 ? { required: [dice.pick(chosen)] } : {}),
    ...(dice.chance(5) ? { required: ["ghost", ...chosen.slice(0, 1)] } : {}),
    ...(dice.chance(8) ? { minProperties: dice.upTo(2) } : {}),
    ...(dice.chance(8) ? { maxProperties: dice.upTo(3) } : {}),
    ...(dice.chance(8) || isEmbedded ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(dice.chance(6) ? { "x-kubernetes-map-type": dice.pick(["atomic", "granular"]) } : {}),
    ...(isEmbedded ? { "x-kubernetes-embedded-resource": true } : {}),
  };
}

function listSchema(dice: Dice, depth: number): JsonObject {
  const sizes = {
    ...(dice.chance(30) ? { maxItems: dice.upTo(4) } : {}),
    ...(dice.chance(10) ? { minItems: dice.upTo(2) } : {}),
  };
  if (dice.chance(30))
    return { type: "array", ...sizes, "x-kubernetes-list-type": "set", items: setItems(dice) };
  if (dice.chance(40)) return { type: "array", ...sizes, ...mapListOf(dice, depth) };
  const atomic = dice.chance(30) ? { "x-kubernetes-list-type": "atomic" } : {};
  return { type: "array", ...sizes, ...atomic, items: schemaOf(dice, depth) };
}

function setItems(dice: Dice): JsonObject {
  if (dice.chance(20)) return { ...objectSchema(dice, 0), "x-kubernetes-map-type": "atomic" };
  if (dice.chance(15))
    return { type: "array", "x-kubernetes-list-type": "atomic", items: stringSchema(dice) };
  return dice.pick([stringSchema, integerSchema, numberSchema, booleanSchema, eitherSchema])(dice);
}

function mapListOf(dice: Dice, depth: number): JsonObject {
  const key = dice.pick(["name", "a", "x/y"]);
  const items = objectSchema(dice, depth);
  const { properties } = items;
  const two = dice.chance(30);
  return {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": two ? [key, "protocol"] : [key],
    items: {
      ...items,
      properties: {
        ...(isObject(properties) ? properties : {}),
        [key]: dice.pick([stringSchema, integerSchema, eitherSchema])(dice),
        ...(two ? { protocol: { type: "string", default: "TCP" } } : {}),
      },
      required: [key],
    },
  };
}

function mapSchema(dice: Dice, depth: number): JsonObject {
  return {
    type: "object",
    additionalProperties: dice.chance(10) ? true : schemaOf(dice, depth),
    ...(dice.chance(25) ? { maxProperties: dice.upTo(3) } : {}),
  };
}

function keeperSchema(dice: Dice): JsonObject {
  return { ...(dice.chance(50) ? { type: "object" } : {}), "x-kubernetes-preserve-unknown-fields": true };
}

/** A junctor that fits a schema: of what it could say itself, without types. */
function junctorOf(dice: Dice, schema: JsonObject, depth: number): JsonObject {
  const branch = () => branchOf(dice, schema, depth - 1);
  const key = dice.pick(["oneOf", "anyOf", "allOf", "not"]);
  if (Object.hasOwn(schema, key)) return {};
  return { [key]: key === "not" ? branch() : Array.from({ length: 1 + dice.upTo(2) }, branch) };
}

function branchOf(dice: Dice, schema: JsonObject, depth: number): JsonObject {
  const { type, properties, items } = schema;
  if (depth > 0 && dice.chance(20))
    return junctorOf(dice, { type: type ?? null, properties: properties ?? {} }, depth);
  const bounds = [{ minimum: dice.pick(integers) }, { maximum: dice.pick(integers) }, { multipleOf: 2 }];
  const lengths = [
    { pattern: dice.pick(patterns) },
    { maxLength: dice.upTo(3) },
    { enum: [dice.pick(strings)] },
    { format: dice.pick(formats) },
  ];
  if (type === "string") return dice.pick<JsonObject>(lengths);
  if (type === "integer" || type === "number") return dice.pick<JsonObject>(bounds);
  if (type === undefined) return dice.pick<JsonObject>([...bounds, ...lengths]);
  if (type === "array") {
    const below = isObject(items) ? [{ items: branchOf(dice, items, 0) }] : [];
    return dice.pick<JsonObject>([{ minItems: dice.upTo(2) }, { maxItems: dice.upTo(2) }, ...below]);
  }
  const known = isObject(properties) ? Object.entries(properties) : [];
  if (known.length === 0 || dice.chance(20))
    return dice.pick<JsonObject>([{ minProperties: 1 }, { maxProperties: 1 }, {}]);
  const [name, below] = dice.pick(known);
  if (dice.chance(50)) return { required: [name] };
  return { properties: { [name]: isObject(below) && !isArray(below) ? branchOf(dice, below, 0) : {} } };
}
