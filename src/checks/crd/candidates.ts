import fc from "fast-check";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import { valuesOf } from "../../laws/values.ts";
import { textsMatching } from "../../values/leaf.ts";
import type { Difference } from "./differences.ts";
import { boundOf, leastList, leastOf, limitsOf, mostItems, mostText, requiredOf } from "./least.ts";
import { literalsOf, wordsOf } from "./mend.ts";
import { shallowOf } from "./slice.ts";

/** How many values are drawn by chance beside those that the difference suggests. */
const drawn = 20;

/**
 * Values for the place of a difference that its old schema may accept and its new one may not, likely ones first. Undefined
 * stands for a missing field.
 */
export function candidatesOf(difference: Difference, seed: number): readonly (Json | undefined)[] {
  const own = byKeyword[difference.keyword]?.(difference) ?? [];
  const few = [0, 1, 2].map((nth) => leastOf(difference.old, nth));
  return distinct([...own, ...few, ...sampled(difference, seed)]);
}

function sampled({ old, keyword }: Difference, seed: number): readonly Json[] {
  if (keyword === "default" || keyword === "nullable") return [];
  return fc.sample(valuesOf(shallowOf(old), "", new Map(), "valid"), { numRuns: drawn, seed });
}

function distinct(values: readonly (Json | undefined)[]): readonly (Json | undefined)[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

type Suggest = (difference: Difference) => readonly (Json | undefined)[];

const numbers: Suggest = ({ old, new: after }) => {
  const [[oldLeast, oldMost], [newLeast, newMost]] = [limitsOf(old), limitsOf(after)];
  const step = Math.max(boundOf(old, "multipleOf") ?? 0, 1);
  const edges = [newMost + step, newLeast - step, newMost, newLeast, oldMost, oldLeast, 0, 1, -1, 7, 0.5];
  const bounds = [boundOf(after, "maximum"), boundOf(after, "minimum")].filter((it) => it !== undefined);
  const isWhole = get(old, "type") === "integer";
  return [...edges, ...bounds, ...bounds.flatMap((it) => [it + 0.5, it - 0.5])].filter(
    (it) => Number.isFinite(it) && (!isWhole || Number.isInteger(it)),
  );
};

const lengths: Suggest = ({ old, new: after }) =>
  countsOf(old, after, "minLength", "maxLength", mostText).flatMap((length) => textsOfLength(old, length));

/** Texts of a length: a text that matches the pattern, with one of its letters repeated. */
function textsOfLength(schema: JsonObject, length: number): readonly string[] {
  const pattern = get(schema, "pattern");
  if (typeof pattern !== "string") return ["a".repeat(length)];
  const exact = textsMatching(pattern).filter((text) => [...text].length === length);
  const grown = textsMatching(pattern)
    .slice(0, 20)
    .flatMap((text) => stretched(text, length))
    .filter((text) => matches(pattern, text));
  return [...exact.slice(0, 3), ...grown.slice(0, 3)];
}

function stretched(text: string, length: number): readonly string[] {
  const missing = length - text.length;
  if (missing <= 0 || text === "") return [];
  const at = [0, text.length >> 1, text.length - 1];
  return at.map((index) => text.slice(0, index) + (text[index] ?? "").repeat(missing) + text.slice(index));
}

function matches(pattern: string, text: string): boolean {
  try {
    // A pattern of RE2 has no back-references, but JavaScript's engine may still backtrack on a long text.
    return text.length > 2_000 || new RegExp(pattern).test(text);
  } catch {
    return true;
  }
}

const items: Suggest = ({ old, new: after }) =>
  countsOf(old, after, "minItems", "maxItems", mostItems).map((length) => leastList(old, length));

const entries: Suggest = ({ old, new: after }) =>
  countsOf(old, after, "minProperties", "maxProperties", mostItems).map((count) =>
    leastOf(set(old, "minProperties", count)),
  );

/** The counts at which two schemas begin to differ. */
function countsOf(
  old: JsonObject,
  after: JsonObject,
  least: string,
  most: string,
  limit: number,
): readonly number[] {
  const above = boundOf(after, most);
  const under = boundOf(after, least);
  const counts = [
    above === undefined ? undefined : above + 1,
    under === undefined ? undefined : under - 1,
    boundOf(old, most),
    boundOf(old, least),
    0,
  ];
  return counts.filter((count) => count !== undefined && count >= 0 && count <= limit) as readonly number[];
}

const texts: Suggest = ({ old }) => {
  const pattern = get(old, "pattern");
  const matching = typeof pattern === "string" ? textsMatching(pattern).slice(0, 40) : [];
  return [...matching, ...oddTexts];
};

/** Texts of which most patterns and formats refuse some. */
const oddTexts = ["a", "", "A", "a b", "-", "1", "ä", "a.b", "a_b", "_", "/", "a/b", "1.5", "*", "a\nb"];

const choices: Suggest = ({ old }) => (isArray(old.enum) ? old.enum : ["a", "", 0, 1, true]);

const twice: Suggest = ({ old, new: after }) => {
  const item = leastOf(old.items);
  const keys = isArray(after["x-kubernetes-list-map-keys"]) ? after["x-kubernetes-list-map-keys"] : [];
  const keyed = keys.map((key) => [String(key), leastOf(get(old, "items", "properties", String(key)))]);
  const named = isObject(item) ? { ...item, ...Object.fromEntries(keyed) } : item;
  return [[item, item], [named, named], [item], [null, null]];
};

/** Objects with some of their fields, as rules and combinators tell them apart. */
const combinations: Suggest = (difference) => {
  const { old, new: after } = difference;
  const named = new Set([...wordsOf(old), ...wordsOf(after)]);
  const literals = [...literalsOf(after), ...literalsOf(old)].slice(0, 4);
  // Combinators decide which fields are needed, and may be what differs.
  const { allOf: _, anyOf: __, oneOf: ___, ...plain } = old;
  const least = leastOf(plain);
  if (!isObject(least)) return scalars(difference, named);
  const fields = Object.entries(isObject(old.properties) ? old.properties : {})
    .toSorted(([a], [b]) => Number(named.has(b)) - Number(named.has(a)))
    .slice(0, 12)
    .flatMap(([name, field]) => valuesOfField(field, literals).map((value) => [name, value] as const));
  const singles = fields.map(([name, value]) => ({ ...least, [name]: value }));
  const pairs = fields.slice(0, 24).flatMap(([name, value], index) =>
    fields
      .slice(index + 1, 24)
      .filter(([other]) => other !== name)
      .map(([other, second]) => ({ ...least, [name]: value, [other]: second })),
  );
  return [{}, least, ...singles, ...pairs.slice(0, 150)];
};

function valuesOfField(field: Json, literals: readonly string[]): readonly Json[] {
  const choices = get(field, "enum");
  if (isArray(choices)) return choices.slice(0, 4);
  return [leastOf(field), leastOf(field, 1), ...(get(field, "type") === "string" ? literals : [])];
}

/** Values of a scalar near those that its rules name. */
function scalars(difference: Difference, named: ReadonlySet<string>): readonly Json[] {
  const { type } = difference.old;
  if (type === "string") return [...named, ...oddTexts, ...longTexts(named)];
  const near = [...named].map(Number).filter(Number.isFinite);
  if (type === "integer" || type === "number") return near.flatMap((it) => [it, it + 1, it - 1]);
  return type === "array" ? [0, 1, 2, 3, ...near].flatMap((count) => listsNear(difference, count)) : [];
}

function listsNear({ old }: Difference, count: number): readonly Json[] {
  if (!Number.isInteger(count) || count < 0 || count > 200) return [];
  return [leastList(old, count), leastList(old, count + 1)];
}

function longTexts(named: ReadonlySet<string>): readonly string[] {
  const counts = [...named].map(Number).filter((it) => Number.isInteger(it) && it >= 0 && it < 5_000);
  return counts.flatMap((count) => ["a".repeat(count), "a".repeat(count + 1)]);
}

const unknownField = "unknown";

const open: Suggest = ({ old }) => {
  const least = leastOf(old);
  const object = isObject(least) ? least : {};
  return [
    { ...object, [unknownField]: "a" },
    { ...object, [unknownField]: { a: 1 } },
    { ...object, k0: leastOf(old.additionalProperties) },
  ];
};

const byKeyword: Readonly<Record<string, Suggest>> = {
  maximum: numbers,
  minimum: numbers,
  exclusiveMaximum: numbers,
  exclusiveMinimum: numbers,
  multipleOf: numbers,
  maxLength: lengths,
  minLength: lengths,
  maxItems: items,
  minItems: items,
  maxProperties: entries,
  minProperties: entries,
  pattern: texts,
  format: ({ old, ...more }) => [
    ...texts({ old, ...more }),
    ...[2 ** 31, -(2 ** 31) - 1, 1e300].filter(() => old.type !== "string"),
  ],
  enum: choices,
  default: () => [undefined],
  nullable: () => [null],
  type: () => [0, 1, "a", true, [], {}, 1.5, "1"],
  "x-kubernetes-int-or-string": () => ["a", 1, "10%", "", true],
  uniqueItems: twice,
  "x-kubernetes-list-type": twice,
  "x-kubernetes-list-map-keys": twice,
  required: ({ old, new: after }) => {
    const least = leastOf(old);
    const without = (isObject(least) ? requiredOf(after) : []).reduce(
      (object, name) => set(object, name, undefined),
      isObject(least) ? least : {},
    );
    return [without, least];
  },
  oneOf: combinations,
  anyOf: combinations,
  allOf: combinations,
  not: combinations,
  "x-kubernetes-validations": combinations,
  "x-kubernetes-preserve-unknown-fields": open,
  additionalProperties: open,
  "x-kubernetes-embedded-resource": () => [{}, { apiVersion: "v1", kind: "ConfigMap" }, { apiVersion: 1 }],
};
