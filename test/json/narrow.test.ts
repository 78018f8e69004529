import v8 from "node:v8";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { isArray, isObject, type Json } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

// A key that takes two bytes a character stays so in all objects that are read later, and makes their texts twice as large.
test("a YAML text with an arrow gives no string that takes two bytes a character without need", () => {
  const text = "# an arrow →\nsomeVeryLongKeyOfOurOwn: some very long value\nother: [→]\n";
  const strings = readYaml(text).flatMap(({ value }) => stringsIn(value));
  expect(strings.filter((each) => !v8.isStringOneByteRepresentation(each))).toEqual(["→"]);
});

test("an integer of any length comes out as it came in, wherever it stands", () => {
  const [digits, space] = [fc.stringMatching(/^-?[1-9]\d{0,40}$/), fc.stringMatching(/^[ \t\r\n]{0,2}$/)];
  fc.assert(
    fc.property(
      digits,
      space,
      fc.constantFrom("#", '{"a":#}', '["x",#,1]', "[#]", "[[0],#]"),
      (number, gap, around) => {
        const read = parseJson(around.replace("#", () => gap + number + gap));
        expect(writeJson(read)).toBe(around.replace("#", () => number));
      },
    ),
  );
});

function stringsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, below]) => [key, ...stringsIn(below)]) : [];
}
