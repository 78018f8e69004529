import fc, { type GeneratorValue } from "fast-check";
import { define, isArray, isObject, type Json, type JsonObject, own } from "../../src/json/json.ts";
import { crdOf, type Write, wholeObject } from "./schemas.ts";
import { palette } from "./schemas-palette.ts";

/** A kind drawn at random, and writes to it: valid, nearly valid and hostile ones. */
export interface DrawnKind {
  readonly crd: JsonObject;
  readonly writes: readonly Write[];
}

/** Draws kinds from a seed: the same ones each time. Not every one of their CRDs is valid. */
export function drawKinds(seed: number, kinds: number, writesEach: number): readonly DrawnKind[] {
  const each = fc.gen().map((draw) => drawKind(dice(draw), writesEach));
  return fc.sample(each, { seed, numRuns: kinds }).map(({ schema, details, writes }, index) => {
    const crd = crdOf(`drawn${seed}x${index}`, schema, details);
    const whole = (part: JsonObject) => wholeObject(crd, "v1", part);
    return {
      crd,
      writes: writes.map(({ object, old, ...rest }) => ({
        object: whole(object),
        ...(old === undefined ? {} : { old: whole(old) }),
        ...rest,
      })),
    };
  });
}

interface Dice {
  /** Whether something happens that does so in so many of a hundred cases. */
  chance(percent: number): boolean;
  pick<T>(list: readonly T[]): T;
  upTo(most: number): number;
}

function dice(draw: GeneratorValue): Dice {
  const upTo = (most: number) => draw(fc.nat, { max: most });
  return {
    upTo,
    chance: (percent) => upTo(99) < percent,
    pick: (list) => list[upTo(list.length - 1)] as (typeof list)[number],
  };
}

function drawKind(dice: Dice, count: number) {
  const hasStatus = dice.chance(35);
  const parts = {
    spec: objectSchema(dice, 3, 4),
    ...(hasStatus || dice.chance(20) ? { status: objectSchema(dice, 2, 3) } : {}),
  };
  const schema: JsonObject = {
    type: "object",
    properties: parts,
    ...(dice.chance(20) ? { required: ["spec"] } : {}),
    ...(dice.chance(5) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(dice.chance(5) && !hasStatus ? { anyOf: [{ required: ["spec"] }, { required: ["status"] }] } : {}),
    ...(dice.chance(10)
      ? ruleOf(dice, "!has(self.spec)", "has(self.spec)", "has(self.spec) == has(oldSelf.spec)")
      : {}),
  };
  const details = hasStatus ? { subresources: { status: {} } } : {};
  const writes = Array.from({ length: count }, () => drawWrite(dice, schema, hasStatus));
  return { schema, details, writes };
}

function drawWrite(dice: Dice, schema: JsonObject, hasStatus: boolean): Write {
  const object = (): JsonObject => {
    const drawn = dice.chance(2) ? {} : valueFor(dice, schema, 8);
    return isObject(drawn) ? drawn : {};
  };
  if (!dice.chance(40)) return { object: object() };
  const old = object();
  const next = changed(dice, schema, old);
  const write = { old, object: isObject(next) ? next : {} };
  return hasStatus && dice.chance(50) ? { ...write, subresource: "status" } : write;
}

const names = ["a", "b", "c", "d", "e.f", "x/y", "long-name", "10", "constructor"];
const strings = [
  "",
  "a",
  "b",
  "ab",
  "abc",
  "A",
  "é",
  "\u{1F600}",
  "x y",
  "1",
  "10%",
  "2024-02-29",
  "1h",
  "1.2.3.4",
  "a@b.c",
  "aGk=",
  "2024-02-29T00:00:00Z",
  "::1",
  "a\n",
];
const integers = [0, 1, -1, 2, 3, 4, 5, 7, 10, 100, 2147483648, 9007199254740992];
const numbers = [...integers, 0.5, 1.5, 2.5, -0.25, 1e21, 1e-7, 3.3];
const patterns = ["^a", "b$", "^[a-z]*$", "^$", "^\\d+%?$", "(?i)^A", "."];
const formats = [
  "date",
  "date-time",
  "duration",
  "ipv4",
  "ipv6",
  "email",
  "uri",
  "byte",
  "uuid",
  "hostname",
  "cidr",
  "int32",
  "nope",
];

function schemaOf(dice: Dice, depth: number): JsonObject {
  const draws = [stringSchema, integerSchema, numberSchema, booleanSchema, eitherSchema];
  const nested = [objectSchema, listSchema, listSchema, mapSchema, keeperSchema];
  const draw = dice.pick(depth > 0 ? [...draws, ...nested, ...nested] : draws);
  const plain = draw(dice, depth - 1);
  const schema = {
    ...plain,
    ...(dice.chance(8) ? { nullable: true } : {}),
    ...(dice.chance(12) ? junctorOf(dice, plain) : {}),
    ...(dice.chance(12) ? rulesOf(dice, plain) : {}),
  };
  // A default that is drawn for a schema with many bounds is invalid as a rule, and with it the CRD.
  const isBounded = Object.keys(schema).some((key) =>
    /^(m|exclusive|pattern|format|one|any|all|not)/.test(key),
  );
  return dice.chance(isBounded ? 2 : 15) ? { ...schema, default: valueFor(dice, schema, 0) } : schema;
}

function stringSchema(dice: Dice): JsonObject {
  return {
    type: "string",
    ...(dice.chance(20) ? { maxLength: dice.upTo(4) } : {}),
    ...(dice.chance(15) ? { minLength: dice.upTo(3) } : {}),
    ...(dice.chance(15) ? { pattern: dice.pick(patterns) } : {}),
    ...(dice.chance(15) ? { enum: [dice.pick(strings), dice.pick(strings)] } : {}),
    ...(dice.chance(15) ? { format: dice.pick(formats) } : {}),
  };
}

function integerSchema(dice: Dice): JsonObject {
  const format = dice.chance(30) ? { format: dice.pick(["int32", "int64", "uint32"]) } : {};
  return { type: "integer", ...boundsOf(dice, integers), ...format };
}

function numberSchema(dice: Dice): JsonObject {
  const format = dice.chance(20) ? { format: dice.pick(["float", "double", "int32"]) } : {};
  return { type: "number", ...boundsOf(dice, numbers), ...format };
}

function boundsOf(dice: Dice, values: readonly number[]): JsonObject {
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
  };
}

function objectSchema(dice: Dice, depth: number, most = 3): JsonObject {
  const chosen = [...new Set(Array.from({ length: dice.upTo(most) }, () => dice.pick(names)))];
  return {
    type: "object",
    properties: Object.fromEntries(chosen.map((name) => [name, schemaOf(dice, depth)])),
    ...(dice.chance(30) && chosen.length > 0 ? { required: [dice.pick(chosen)] } : {}),
    ...(dice.chance(5) ? { required: ["ghost", ...chosen.slice(0, 1)] } : {}),
    ...(dice.chance(8) ? { minProperties: dice.upTo(2) } : {}),
    ...(dice.chance(8) ? { maxProperties: dice.upTo(3) } : {}),
    ...(dice.chance(8) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(dice.chance(6) ? { "x-kubernetes-map-type": dice.pick(["atomic", "granular"]) } : {}),
    ...(dice.chance(5) ? { "x-kubernetes-embedded-resource": true } : {}),
  };
}

function listSchema(dice: Dice, depth: number): JsonObject {
  const sizes = {
    ...(dice.chance(20) ? { maxItems: dice.upTo(3) } : {}),
    ...(dice.chance(10) ? { minItems: dice.upTo(2) } : {}),
  };
  if (dice.chance(30)) {
    const items = dice.pick([stringSchema, integerSchema, numberSchema, booleanSchema])(dice);
    return { type: "array", ...sizes, "x-kubernetes-list-type": "set", items };
  }
  if (dice.chance(40)) return { type: "array", ...sizes, ...mapListOf(dice, depth) };
  const atomic = dice.chance(30) ? { "x-kubernetes-list-type": "atomic" } : {};
  return { type: "array", ...sizes, ...atomic, items: schemaOf(dice, depth) };
}

function mapListOf(dice: Dice, depth: number): JsonObject {
  const key = dice.pick(["name", "a", "x/y"]);
  const items = objectSchema(dice, depth);
  const keySchema = dice.pick([stringSchema, integerSchema, eitherSchema])(dice);
  const two = dice.chance(30);
  return {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": two ? [key, "protocol"] : [key],
    items: {
      ...items,
      properties: {
        ...(own(items, "properties") as JsonObject),
        [key]: keySchema,
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
    ...(dice.chance(15) ? { maxProperties: dice.upTo(3) } : {}),
  };
}

function keeperSchema(dice: Dice): JsonObject {
  return { ...(dice.chance(50) ? { type: "object" } : {}), "x-kubernetes-preserve-unknown-fields": true };
}

/** A junctor that fits a schema: of what it could say itself, without types. */
function junctorOf(dice: Dice, schema: JsonObject): JsonObject {
  const branch = () => branchOf(dice, schema);
  const key = dice.pick(["oneOf", "anyOf", "allOf", "not"]);
  if (Object.hasOwn(schema, key)) return {};
  return { [key]: key === "not" ? branch() : Array.from({ length: 1 + dice.upTo(2) }, branch) };
}

function branchOf(dice: Dice, { type, properties }: JsonObject): JsonObject {
  if (type === "string")
    return dice.pick<JsonObject>([
      { pattern: dice.pick(patterns) },
      { maxLength: dice.upTo(3) },
      { enum: [dice.pick(strings)] },
    ]);
  if (type === "integer" || type === "number")
    return dice.pick<JsonObject>([
      { minimum: dice.pick(integers) },
      { maximum: dice.pick(integers) },
      { multipleOf: 2 },
    ]);
  if (type === "array")
    return dice.pick<JsonObject>([{ minItems: dice.upTo(2) }, { maxItems: dice.upTo(2) }]);
  const known = isObject(properties) ? Object.keys(properties) : [];
  if (known.length > 0 && dice.chance(70)) return { required: [dice.pick(known)] };
  return dice.pick<JsonObject>([{ minProperties: 1 }, { maxProperties: 1 }]);
}

/** A rule that fits a schema. */
function rulesOf(dice: Dice, schema: JsonObject): JsonObject {
  const { type, properties } = schema;
  if (type === "string" && schema.format === undefined)
    return ruleOf(
      dice,
      "self != 'a'",
      "self.size() < 3",
      "self.startsWith('a')",
      "self == oldSelf",
      "self.matches('^[a-z]')",
    );
  if (type === "integer")
    return ruleOf(dice, "self > 1", "self >= oldSelf", "self % 2 == 0", "10 / self > 1");
  if (type === "number") return ruleOf(dice, "self < 2.5", "self >= oldSelf");
  if (type === "boolean") return ruleOf(dice, "self", "self == oldSelf");
  if (type === "array")
    return ruleOf(dice, "self.size() < 2", "size(self) >= size(oldSelf)", "self == oldSelf");
  const [name] = isObject(properties) ? Object.keys(properties).filter((key) => /^[a-d]$/.test(key)) : [];
  if (type === "object" && name !== undefined)
    return ruleOf(dice, `has(self.${name})`, `has(self.${name}) == has(oldSelf.${name})`);
  return {};
}

function ruleOf(dice: Dice, ...rules: readonly string[]): JsonObject {
  const said: JsonObject = dice.pick<JsonObject>([
    {},
    { message: "as it is told" },
    { messageExpression: "'it ' + 'says'" },
    { message: "so", reason: "FieldValueForbidden" },
  ]);
  return { "x-kubernetes-validations": [{ rule: dice.pick(rules), ...said }] };
}

/** A value for a schema: one that fits as a rule; with so many of a hundred nodes spoilt. */
function valueFor(dice: Dice, schema: JsonObject, spite: number): Json {
  if (dice.chance(spite)) return dice.pick(palette);
  const { type, properties, additionalProperties, items, enum: values } = schema;
  if (isArray(values) && values.length > 0 && dice.chance(80)) return dice.pick(values);
  if (type === "string") return dice.pick(strings);
  if (type === "integer") return dice.pick(integers);
  if (type === "number") return dice.pick(numbers);
  if (type === "boolean") return dice.chance(50);
  if (type === "array") return listFor(dice, isObject(items) ? items : {}, spite);
  if (type === undefined && schema["x-kubernetes-int-or-string"] === true)
    return dice.pick<Json>([...integers, ...strings]);
  if (type === undefined) return dice.pick(palette);
  const entries: [string, Json][] = [];
  for (const [name, below] of isObject(properties) ? Object.entries(properties) : []) {
    const isRequired = isArray(schema.required) && schema.required.includes(name);
    if (isObject(below) && dice.chance(isRequired ? 90 : 65))
      entries.push([name, valueFor(dice, below, spite)]);
  }
  if (schema["x-kubernetes-embedded-resource"] === true && dice.chance(85))
    entries.push(["apiVersion", "v1"], ["kind", "Pod"]);
  const below = isObject(additionalProperties) ? additionalProperties : undefined;
  if (additionalProperties !== undefined) {
    for (let count = dice.upTo(3); count > 0; count--)
      entries.push([dice.pick(names), below ? valueFor(dice, below, spite) : dice.pick(palette)]);
  } else if (dice.chance(spite))
    entries.push([dice.pick([...names, "unknown", "__proto__"]), dice.pick(palette)]);
  return objectOf(entries);
}

function listFor(dice: Dice, items: JsonObject, spite: number): Json {
  const list: Json[] = [];
  for (let count = dice.upTo(3); count > 0; count--) {
    const repeated = list.length > 0 && dice.chance(15);
    list.push(repeated ? dice.pick(list) : valueFor(dice, items, spite));
  }
  return list;
}

/** The value after a write that changes a part of it, or nothing. */
function changed(dice: Dice, schema: JsonObject, value: Json): Json {
  if (dice.chance(12)) return valueFor(dice, schema, 8);
  const { properties, additionalProperties, items } = schema;
  if (isArray(value)) {
    const kept = value
      .filter(() => !dice.chance(10))
      .map((item) => changed(dice, isObject(items) ? items : {}, item));
    const more = dice.chance(20) ? [valueFor(dice, isObject(items) ? items : {}, 8)] : [];
    return dice.chance(30) ? [...more, ...kept] : [...kept, ...more];
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(() => !dice.chance(8));
  return objectOf(
    entries.map(([name, each]) => {
      const below = own(properties, name) ?? additionalProperties;
      return [name, isObject(below) ? changed(dice, below, each) : each];
    }),
  );
}

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const result: Record<string, Json> = {};
  for (const [name, value] of entries) define(result, name, value);
  return result;
}
