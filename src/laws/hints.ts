import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Harvest } from "./harvest.ts";
import { allOf, placesBelow } from "./places.ts";

/** The values on which a schema's validation depends: its enums, its bounds and lengths, and the literals in its rules. */
interface Hints {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

/** The most hints for one place: more of them would hide each other. */
const most = 40;

/** The longest text for which one that is longer is drawn. */
const longest = 300;

/**
 * A harvest with another version's hints added to every place that could hold them: a rule that only a certain value
 * breaks is not found by chance.
 */
export function withHints(found: Harvest, own: JsonObject, other: JsonObject): Harvest {
  const { texts, numbers } = hintsOf(other);
  const more = allOf(placesBelow(own)).map(({ text, schema }): readonly [string, readonly Json[]] => {
    if (isArray(schema.enum)) return [text, []];
    const isEither = schema["x-kubernetes-int-or-string"] === true;
    return [
      text,
      [
        ...(isEither || schema.type === "string" ? texts : []),
        ...(schema.type === "number" ? numbers : []),
        ...(isEither || schema.type === "integer" ? numbers.filter(Number.isInteger) : []),
      ],
    ];
  });
  const hinted = more.filter(([, values]) => values.length > 0);
  return new Map([
    ...found,
    ...hinted.map(([place, values]) => [place, [...(found.get(place) ?? []), ...values]] as const),
  ]);
}

function hintsOf(schema: JsonObject): Hints {
  const all = allOf(placesBelow(schema)).map((place) => place.schema);
  const rules = [schema, ...all].flatMap(rulesOf);
  const tooLong = all.flatMap(({ maxLength }) =>
    typeof maxLength === "number" && maxLength < longest ? ["a".repeat(maxLength + 1)] : [],
  );
  const texts = [
    ...tooLong,
    ...all.flatMap(({ enum: choices }) => (isArray(choices) ? choices : [])),
    ...rules.flatMap(textsIn),
  ];
  const bounds = all.flatMap((each) =>
    ["minimum", "maximum"].flatMap((name) => {
      const bound = each[name];
      return typeof bound === "number" ? [bound - 1, bound, bound + 1] : [];
    }),
  );
  const numbers = [...bounds, ...rules.flatMap(numbersIn)];
  return {
    texts: [...new Set(texts.filter((each) => typeof each === "string"))].slice(0, most),
    numbers: [...new Set(numbers)].slice(0, most),
  };
}

function rulesOf(schema: Json): readonly string[] {
  const rules = get(schema, "x-kubernetes-validations");
  return (isArray(rules) ? rules : []).flatMap((each) => {
    const rule = get(each, "rule");
    return isObject(each) && typeof rule === "string" ? [rule] : [];
  });
}

/** The short literals of a rule, without any that contain an escape. */
function textsIn(rule: string): readonly string[] {
  return [...rule.matchAll(/'([^'\\]{0,64})'|"([^"\\]{0,64})"/g)].map(
    ([, single, double]) => single ?? double ?? "",
  );
}

function numbersIn(rule: string): readonly number[] {
  return [...rule.matchAll(/(?<![\w.'"])-?\d{1,15}(?:\.\d{1,15})?(?![\w.'"])/g)].map(([text]) =>
    Number(text),
  );
}
