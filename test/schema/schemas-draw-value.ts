import { define, isArray, isObject, type Json, type JsonObject, own } from "../../src/json/json.ts";
import { type Dice, integers, names, numbers, strings } from "./schemas-dice.ts";
import { palette } from "./schemas-palette.ts";

/** A value for a schema: one that fits as a rule; of a hundred nodes so many are spoilt. */
export function valueFor(dice: Dice, schema: JsonObject, spite: number): Json {
  if (dice.chance(spite)) return dice.pick(palette);
  const { type, items, enum: values } = schema;
  if (isArray(values) && values.length > 0 && dice.chance(80)) return dice.pick(values);
  if (type === "string") return dice.pick(strings);
  if (type === "integer") return dice.pick(integers);
  if (type === "number") return dice.pick(numbers);
  if (type === "boolean") return dice.chance(50);
  if (type === "array") return listFor(dice, isObject(items) ? items : {}, spite);
  if (type === "object") return objectFor(dice, schema, spite);
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  return dice.pick<Json>(isEither ? [...integers, ...strings] : palette);
}

/** The value after a write that changes a part of it, or nothing. */
export function changed(dice: Dice, schema: JsonObject, value: Json): Json {
  if (dice.chance(12)) return valueFor(dice, schema, 8);
  const { properties, additionalProperties, items } = schema;
  const itemSchema = isObject(items) ? items : {};
  if (isArray(value)) {
    const kept = value.filter(() => !dice.chance(10)).map((item) => changed(dice, itemSchema, item));
    const more = dice.chance(20) ? [valueFor(dice, itemSchema, 8)] : [];
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

/** Metadata that is mostly right. */
export function metadataFor(dice: Dice): JsonObject {
  const key = () => dice.pick(["a", "a.b/c", "A", "a b", "", "a/b/c", "-a"]);
  const text = () => dice.pick<Json>(["", "a", "b c", "A.b_c", "é", null, 1, "-a"]);
  const map = () =>
    dice.pick<Json>([{ [key()]: text() }, { [key()]: text(), [key()]: text() }, {}, null, [], "a"]);
  return {
    ...(dice.chance(60) ? { labels: map() } : {}),
    ...(dice.chance(40) ? { annotations: map() } : {}),
    ...(dice.chance(20) ? { finalizers: dice.pick<Json>([["a/b"], ["a"], ["a b"], [], "a", [1]]) } : {}),
    ...(dice.chance(15) ? { unknown: dice.pick(palette) } : {}),
    ...(dice.chance(15)
      ? {
          ownerReferences: dice.pick<Json>([
            [],
            [{}],
            [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "u" }],
            [{ apiVersion: "a/b/c", kind: "", name: "", uid: "" }],
          ]),
        }
      : {}),
    ...(dice.chance(10)
      ? { creationTimestamp: dice.pick<Json>([null, "2024-01-01T00:00:00Z", "now", 1]) }
      : {}),
  };
}

function objectFor(dice: Dice, schema: JsonObject, spite: number): Json {
  const { properties, additionalProperties, required } = schema;
  const entries: [string, Json][] = [];
  for (const [name, below] of isObject(properties) ? Object.entries(properties) : []) {
    const isRequired = isArray(required) && required.includes(name);
    if (isObject(below) && dice.chance(isRequired ? 90 : 65))
      entries.push([name, valueFor(dice, below, spite)]);
  }
  if (schema["x-kubernetes-embedded-resource"] === true && dice.chance(85)) {
    entries.push(["apiVersion", "v1"], ["kind", "Pod"]);
    if (dice.chance(50)) entries.push(["metadata", metadataFor(dice)]);
  }
  if (additionalProperties !== undefined) {
    const below = isObject(additionalProperties) ? additionalProperties : undefined;
    for (let count = dice.upTo(3); count > 0; count--) {
      entries.push([dice.pick(names), below ? valueFor(dice, below, spite) : dice.pick(palette)]);
    }
  } else if (dice.chance(spite))
    entries.push([dice.pick([...names, "unknown", "__proto__"]), dice.pick(palette)]);
  return objectOf(entries);
}

function listFor(dice: Dice, items: JsonObject, spite: number): Json {
  const list: Json[] = [];
  for (let count = dice.upTo(3); count > 0; count--) {
    const isRepeated = list.length > 0 && dice.chance(15);
    list.push(isRepeated ? dice.pick(list) : valueFor(dice, items, spite));
  }
  return list;
}

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const result: Record<string, Json> = {};
  for (const [name, value] of entries) define(result, name, value);
  return result;
}
