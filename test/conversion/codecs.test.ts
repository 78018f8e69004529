import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Codec,
  chain,
  durationTo,
  eachValue,
  equal,
  type Integer,
  type Json,
  type JsonObject,
  mapToList,
  oneToList,
  only,
  percentToFraction,
  percentToNumber,
  quantityTo,
  reverse,
  table,
  textToBoolean,
  textToInteger,
  textToIntOrString,
  times,
} from "../../src/index.ts";
import { writeJson } from "../../src/json/index.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

const codecs: Readonly<Record<string, Codec>> = {
  table: table<Json, Json>([true, "Locked"], [false, "Unlocked"]),
  "table of twins": table<Json, Json>(["a", "x"], ["b", "x"]),
  only: only<Json>("RSA", "ECDSA"),
  "durationTo s": durationTo("s"),
  "durationTo s with fractions": durationTo("s", { fractions: true }),
  "durationTo s printed in s": durationTo("s", { fractions: true, printIn: "s" }),
  "durationTo m with fractions": durationTo("m", { fractions: true }),
  "durationTo ms": durationTo("ms"),
  "durationTo ns": durationTo("ns"),
  "durationTo d": durationTo("d"),
  "quantityTo Mi": quantityTo("Mi"),
  "quantityTo m": quantityTo("m"),
  "quantityTo one": quantityTo(""),
  percentToNumber,
  percentToFraction,
  textToInteger,
  textToBoolean,
  textToIntOrString,
  "times 60": times(60),
  oneToList: oneToList(),
  "mapToList name": mapToList("name"),
  "mapToList name value": mapToList("name", { value: "value" }),
  "mapToList name kept": mapToList("name", { isKept: true }),
  "eachValue of durationTo s": eachValue(durationTo("s")),
  "reverse of durationTo s": reverse(durationTo("s")),
  "textToInteger then times 60": chain(textToInteger, times(60)),
};

const cases = readYaml(readFileSync("test/cases/codecs.yaml", "utf8"))[0]?.value as readonly JsonObject[];

it.each(cases.map((each) => [writeJson(each), each] as const))("%s", (_name, given) => {
  const codec = codecs[String(given.codec)];
  if (codec === undefined) throw new Error(`no codec ${given.codec}`);
  const result = Object.hasOwn(given, "up") ? codec.up(given.up ?? null) : codec.down(given.down ?? null);
  expect(result === undefined ? undefined : writeJson(result)).toBe(
    given.gives === undefined ? undefined : writeJson(given.gives),
  );
});

it.each([
  ["times(0)", () => times(0)],
  ["times(0.5)", () => times(0.5)],
  ["a unit that is not one of time", () => durationTo("x" as "s")],
  ["a unit to print in that is not one of time", () => durationTo("s", { printIn: "x" as "s" })],
  ["a suffix that is not one of a quantity", () => quantityTo("Q" as "k")],
  ["a map without the field of its names", () => mapToList(undefined as unknown as string)],
  [
    "a map whose field of values is no option",
    () => mapToList("name", "value" as unknown as { value: string }),
  ],
  ["a table of texts", () => table("a" as unknown as [string, string])],
  ["the reverse of nothing", () => reverse({} as typeof textToInteger)],
  ["a chain with a function", () => chain(textToInteger, (() => 1) as unknown as Codec<Integer, Integer>)],
  ["values without a codec", () => eachValue(undefined as unknown as typeof textToInteger)],
])("%s is refused where it is made", (_what, make) => {
  expect(make).toThrow(/./);
});

it("every codec has cases", () => {
  expect(new Set(cases.map(({ codec }) => codec))).toEqual(new Set(Object.keys(codecs)));
});

it("docs/reference/lenses.md has a row for every codec", () => {
  const page = readFileSync("docs/reference/lenses.md", "utf8");
  const words = Object.keys(codecs).map((name) => name.split(" ")[0]);
  expect(words.filter((word) => !page.includes(`\n| \`${word}`) && word !== "reverse")).toEqual([]);
});

/** Any JSON, and texts and numbers that look like what codecs read. */
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.integer(),
  fc.stringMatching(/^[-+]?\d{0,20}(\.\d{0,12})?(ns|us|ms|s|m|h|%|Ki|Mi|k|e9)?(\d{0,3}(s|ms))?$/),
);

describe.each(Object.entries(codecs))("%s", (name, codec) => {
  it("reads any value without throwing or changing it", () => {
    fc.assert(
      fc.property(values, (value) => {
        const before = writeJson(value);
        codec.up(value);
        codec.down(value);
        expect(writeJson(value)).toBe(before);
      }),
    );
  });

  it("reads back what it wrote, however that value was spelt before", () => {
    fc.assert(
      fc.property(values, (value) => {
        for (const { up, down } of [codec, reverse(codec)]) {
          const there = up(value);
          const back = there === undefined ? undefined : down(there);
          if (there === undefined || back === undefined) continue;
          const again = up(back);
          expect(again !== undefined && equal(again, there), `${name}: ${writeJson(value)}`).toBe(true);
        }
      }),
    );
  });
});
