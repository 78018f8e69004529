import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesOf } from "../../../src/checks/webhook/changes.ts";
import { equal } from "../../../src/json/equal.ts";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { anyJson } from "../../../src/laws/any.ts";

const objects = anyJson.map((spec): JsonObject => ({ apiVersion: "a/v1", kind: "A", spec }));

describe("the differences of two objects", () => {
  it("are none for the same object", () => {
    fc.assert(
      fc.property(objects, (object) => changesOf(object, structuredCopy(object), undefined).length === 0),
    );
  });

  it("are none only for the same object", () => {
    fc.assert(
      fc.property(
        objects,
        objects,
        (a, b) => (changesOf(a, b, undefined).length === 0) === equal(a.spec, b.spec),
      ),
    );
  });

  it.each<[string, Json, Json, string[]]>([
    ["a value that is gone", { a: 1 }, {}, ["lost spec.a"]],
    ["an object that is gone", { a: { b: 1 } }, {}, ["lost spec.a"]],
    ["a value that became another", { a: 1 }, { a: 2 }, ["became spec.a"]],
    ["a text that became empty", { a: "b" }, { a: "" }, ["became spec.a"]],
    ["a value that appears", {}, { a: 1 }, ["added spec.a"]],
    ["zero values that appear", {}, { a: 0, b: "", c: [], d: {}, e: null, f: false, g: "0s" }, ["zero spec"]],
    ["an object of zero values", {}, { a: { b: { c: null } } }, ["zero spec"]],
    ["a quantity", { a: "1024Mi" }, { a: "1Gi" }, ["reprinted spec.a"]],
    ["a number as text", { a: 5 }, { a: "5" }, ["reprinted spec.a"]],
    ["a duration", { a: "10m" }, { a: "10m0s" }, ["reprinted spec.a"]],
    ["minutes that became seconds", { a: "10m" }, { a: "10s" }, ["became spec.a"]],
    [
      "a time with a fraction",
      { a: "2026-03-01T06:45:00.5Z" },
      { a: "2026-03-01T06:45:00Z" },
      ["reprinted spec.a"],
    ],
    ["items in another order", { a: ["b", "c"] }, { a: ["c", "b"] }, ["order spec.a"]],
    ["an item that is gone", { a: [1, 2] }, { a: [1] }, ["lost spec.a.1"]],
    ["a value that moved", { max: 3 }, { auto: { min: 1, max: 3 } }, ["moved spec.max"]],
    ["a flag that is gone while another appears", { a: true }, { b: true }, ["lost spec.a", "added spec.b"]],
  ])("%s", (_what, before, after, expected) => {
    const found = changesOf({ spec: before }, { spec: after }, undefined);
    expect(found.map(({ sort, path }) => `${sort} ${path.join(".")}`)).toEqual(expected);
  });

  it("say where a value moved", () => {
    const found = changesOf({ spec: { max: 3 } }, { spec: { auto: [{ min: 1, max: 3 }] } }, undefined);
    expect(found.map(({ to }) => to)).toEqual([["spec", "auto", 0, "max"]]);
  });

  it("follow the keys of keyed lists", () => {
    const list = { items: {}, "x-kubernetes-list-map-keys": ["name"] };
    const schema = { properties: { spec: { properties: { a: list } } } };
    const before = {
      spec: {
        a: [
          { name: "b", port: 1 },
          { name: "c", port: 2 },
        ],
      },
    };
    const after = { spec: { a: [{ name: "c", port: 2 }] } };
    const found = changesOf(before, after, schema);
    expect(found.map(({ sort, path }) => `${sort} ${path.join(".")}`)).toEqual(["lost spec.a.0"]);
  });

  it("tell int64 apart that a double cannot", () => {
    const before = { spec: { a: JSON.rawJSON("1700000000123456789") as unknown as Json } };
    const after = { spec: { a: JSON.rawJSON("1700000000123456788") as unknown as Json } };
    expect(changesOf(before, after, undefined)).toHaveLength(1);
  });

  it("leave out added annotations, and report lost labels", () => {
    const before = { metadata: { labels: { a: "b" } } };
    const after = { metadata: { annotations: { a: "b" } } };
    const found = changesOf(before, after, undefined);
    expect(found.map(({ sort, path }) => `${sort} ${path.join(".")}`)).toEqual(["lost metadata.labels"]);
  });
});

function structuredCopy(object: JsonObject): JsonObject {
  return { ...object };
}
