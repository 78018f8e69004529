import { isObject, type JsonObject, own } from "../../src/json/json.ts";
import type { Dice } from "./schemas-dice.ts";

/** One rule or two that fit a schema; sometimes they do not even compile. */
export function rulesFor(dice: Dice, schema: JsonObject): JsonObject {
  const rules = expressionsFor(schema);
  if (rules.length === 0) return {};
  const count = dice.chance(25) ? 2 : 1;
  const drawn = Array.from({ length: count }, () => ruleOf(dice, dice.pick(rules), schema));
  return { "x-kubernetes-validations": drawn };
}

function ruleOf(dice: Dice, rule: string, schema: JsonObject): JsonObject {
  const isOptional = rule.includes("oldSelf.");
  return {
    rule,
    ...(isOptional && /oldSelf\.(hasValue|orValue|value)/.test(rule) ? { optionalOldSelf: true } : {}),
    ...(dice.chance(40) ? { message: dice.pick(["as it is told", 'with "quotes"', "é"]) } : {}),
    ...(dice.chance(20) ? { messageExpression: dice.pick(messagesFor(schema)) } : {}),
    ...(dice.chance(20)
      ? {
          reason: dice.pick([
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate",
            "FieldValueInvalid",
          ]),
        }
      : {}),
    ...(dice.chance(10) ? { fieldPath: dice.pick([".a", ".b", ".c.d", "['long-name']", ".e.f"]) } : {}),
  };
}

function messagesFor({ type }: JsonObject): readonly string[] {
  const plain = ["'it says'", "''", "' '", "'a\\nb'"];
  if (type === "string") return [...plain, "'not ' + self", "self.substring(3)", "self"];
  if (type === "integer") return [...plain, "self > 0 ? 'more' : 'less'", "'%d'.format([self])"];
  if (type === "array") return [...plain, "'%d items'.format([self.size()])"];
  return plain;
}

const ofStrings = [
  "self != 'a'",
  "self.size() < 3",
  "self.startsWith('a')",
  "self == oldSelf",
  "self.matches('^[a-z]')",
  "self in ['a', 'b', '']",
  "self.contains('b') || self.endsWith('c')",
  "self.lowerAscii() == self",
  "self.trim() == self",
  "int(self) > 1",
  "self.split('b').size() == 1",
  "self.find('[0-9]+') == ''",
  "isQuantity(self)",
  "!isURL(self) || url(self).getHost() != ''",
  "isIP(self) ? ip(self).family() == 4 : true",
  "!oldSelf.hasValue() || oldSelf.value() == self",
  "self.replace('a', 'b') != 'b'",
  "duration(self) > duration('1m')",
  "self.charAt(0) == 'a'",
  "timestamp(self) > timestamp('2024-01-01T00:00:00Z')",
  "self.indexOf('b') < 1",
  "self > 'a'",
  "size(bytes(self)) == size(self)",
  "bool(self)",
  "double(self) < 2.0",
  "self.substring(1) != ''",
  "!format.dns1123Label().validate(self).hasValue()",
  "isCIDR(self)",
  "isSemver(self) || true",
];
const ofIntegers = [
  "self > 1",
  "self >= oldSelf",
  "self % 2 == 0",
  "10 / self > 1",
  "self in [1, 2, 3]",
  "self + 1 > self",
  "self * self >= self",
  "self - oldSelf.orValue(0) < 5",
  "double(self) / 2.0 < 2.5",
  "string(self).size() < 3",
  "-self < 1",
  "uint(self) > 1u",
  "self == 1 || 1 / (self - 2) > 0",
  "self < 3 && (10 % self) == 0",
  "self > 0 ? self < 5 : true",
  "type(self) == int",
  "dyn(self) == 1.0",
];
const ofNumbers = [
  "self < 2.5",
  "self >= oldSelf",
  "self == 1.0",
  "int(self) < 3",
  "self + 0.1 > 1.0",
  "string(self) != '1'",
  "self / 0.0 > 1.0",
  "-self <= 0.0",
];
const ofLists = [
  "self.size() < 2",
  "size(self) >= size(oldSelf)",
  "self == oldSelf",
  "self.size() == 0 || self[0] == self[self.size() - 1]",
  "self[1] == self[0]",
];
const ofListsOfScalars = [
  "self.all(x, x == x)",
  "self.exists_one(x, x != self[0])",
  "self.isSorted()",
  "self.map(x, x).size() < 3",
  "self.filter(x, x == self[0]).size() == 1",
  "self.indexOf(self[0]) == 0",
  "self.all(x, self.exists(y, x == y))",
];
const ofMaps = [
  "self.all(k, k != 'a')",
  "'a' in self",
  "self.size() < 2",
  "has(self.a)",
  "self['b'] == self['b']",
  "oldSelf.all(k, k in self)",
  "self.exists(k, k.startsWith('c'))",
  "self == oldSelf",
];

function expressionsFor(schema: JsonObject): readonly string[] {
  const { type, properties, additionalProperties, items, format } = schema;
  if (schema["x-kubernetes-int-or-string"] === true && type === undefined)
    return [
      "type(self) == int ? self > 1 : self != 'a'",
      "self == 1",
      "self == oldSelf",
      "string(self) != '1'",
      "self > 1",
    ];
  if (type === "string")
    return typeof format === "string" && format !== "password"
      ? ["self == oldSelf", "self == self"]
      : ofStrings;
  if (type === "integer") return ofIntegers;
  if (type === "number") return ofNumbers;
  if (type === "boolean") return ["self", "self == oldSelf", "!self || oldSelf", "string(self) == 'true'"];
  if (type === "array")
    return ["string", "integer", "number"].includes(String(own(items, "type")))
      ? [...ofLists, ...ofListsOfScalars]
      : ofLists;
  if (type === "object" && isObject(additionalProperties)) return ofMaps;
  const known = isObject(properties) ? Object.keys(properties) : [];
  return type === "object" ? known.flatMap(expressionsOn) : [];
}

/** Rules of an object on one of its fields, named as rules must name it. */
function expressionsOn(name: string): readonly string[] {
  const field = `self.${escaped(name)}`;
  return [
    `has(${field})`,
    `has(${field}) == has(old${field.replace("self", "Self")})`,
    `!has(${field}) || ${field} == ${field}`,
    `!has(${field}) || dyn(${field}) != 'a'`,
    `!has(${field}) || !has(old${field.replace("self", "Self")}) || ${field} == old${field.replace("self", "Self")}`,
  ];
}

function escaped(name: string): string {
  if (name === "namespace") return "__namespace__";
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("/", "__slash__")
    .replaceAll("-", "__dash__");
}
