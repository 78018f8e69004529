import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { get, isArray, isObject, type Json } from "../../src/json/json.ts";
import { formatOf } from "../../src/schema/format/format.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

const text = readFileSync(path.join(import.meta.dirname, "formats.yaml"), "utf8");
const [{ value: table } = { value: null }] = readYaml(text);
const textsOf = (value: Json | undefined) =>
  (isArray(value) ? value : []).filter((each) => typeof each === "string");

describe.each(isObject(table) ? Object.entries(table) : [])("%s is what Go takes for it", (name, cases) => {
  const format = formatOf(name);
  it("takes", () => {
    expect(textsOf(get(cases, "takes")).filter((each) => format?.(each) !== true)).toEqual([]);
  });
  it("refuses", () => {
    expect(textsOf(get(cases, "refuses")).filter((each) => format?.(each) !== false)).toEqual([]);
  });
});

describe("a name of a format", () => {
  it("may be written with dashes or without", () => {
    expect(formatOf("datetime")).toBe(formatOf("date-time"));
    expect(formatOf("u-u-i-d")).toBe(formatOf("uuid"));
  });

  it("that no API server knows says nothing", () => {
    for (const name of ["", "nope", "constructor", "__proto__", "Date"])
      expect(formatOf(name)).toBeUndefined();
  });
});

it("no text takes more than its length in time", () => {
  for (const character of ["a", "1", ":", "(", '"', "-", ".", "%", "=", "1h", "a-", "::", "\\", " "]) {
    for (const ending of ["", "!", "@b"]) {
      const hostile = character.repeat(20_000) + ending;
      for (const name of Object.keys(isObject(table) ? table : {})) formatOf(name)?.(hostile);
    }
  }
}, 20_000);
