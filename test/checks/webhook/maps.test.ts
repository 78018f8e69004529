import { describe, expect, it } from "vitest";
import { isObject, type Json, objectAt, set } from "../../../src/json/json.ts";
import { changing, checked, crdOf, faultsIn, same } from "./kinds.ts";

// A conversion that loses entries of a map. Whatever its values are: the map is tried with several of them.

const maps: Readonly<Record<string, string>> = {
  texts: "{ type: object, additionalProperties: { type: string } }",
  integers: "{ type: object, additionalProperties: { type: integer, format: int32 } }",
  booleans: "{ type: object, additionalProperties: { type: boolean } }",
  "one word": "{ type: object, additionalProperties: { type: string, enum: [a] } }",
  "integers or texts":
    "{ type: object, additionalProperties: { x-kubernetes-int-or-string: true, anyOf: [{ type: integer }, { type: string }] } }",
  objects:
    "{ type: object, additionalProperties: { type: object, required: [name], properties: { name: { type: string } } } }",
  "objects without fields": "{ type: object, additionalProperties: { type: object } }",
  lists: "{ type: object, additionalProperties: { type: array, items: { type: string } } }",
  maps: "{ type: object, additionalProperties: { type: object, additionalProperties: { type: string } } }",
  "at most two": "{ type: object, maxProperties: 2, additionalProperties: { type: string } }",
  "at least four": "{ type: object, minProperties: 4, additionalProperties: { type: string } }",
  "names without capitals": `{ type: object, additionalProperties: { type: string }, x-kubernetes-validations: [{ rule: "self.all(k, k.matches('^[a-z0-9]+$'))" }] }`,
};

/** A conversion that changes every map of the spec. */
const each = (change: (value: Json, name: string) => Json) =>
  changing((spec) =>
    Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, change(value, name)])),
  );

const onlyFirst = (value: Json): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).slice(0, 1)) : value;

const onlyLast = (value: Json): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).slice(-1)) : value;

describe.each(Object.entries(maps))("a map of %s", (_what, text) => {
  const spec = `map: ${text}`;
  const crd = crdOf({ v1: { spec }, v2: { spec } });

  it.each([onlyFirst, onlyLast])("of which one entry is kept (%o)", async (change) => {
    expect(faultsIn(await checked(crd, each(change))).join()).toContain("spec.map");
  });

  it("of which nothing is lost", async () => {
    const found = await checked(crd, same);
    expect(faultsIn(found)).toEqual([]);
    expect(found.untried.flatMap(({ places }) => places)).toEqual([]);
  });
});

const texts = "map: { type: object, additionalProperties: { type: string } }";
const crd = crdOf({ v1: { spec: texts }, v2: { spec: texts } });

it.each([
  ["lower case", (name: string) => name.toLowerCase()],
  ["their first letter", (name: string) => name.slice(0, 1)],
])("names of which %s is kept are found", async (_what, change) => {
  const renamed = (value: Json) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), inner]))
      : value;
  expect(faultsIn(await checked(crd, each(renamed))).join()).toContain("spec.map");
});

it("values that one entry takes from another are found", async () => {
  const alike = (value: Json) =>
    isObject(value)
      ? Object.fromEntries(Object.keys(value).map((name) => [name, Object.values(value).at(-1) ?? null]))
      : value;
  expect(faultsIn(await checked(crd, each(alike))).join()).toContain("spec.map");
});

it("a name that the webhook refuses and the schema does not is a note", async () => {
  const strict = each((value) => {
    if (Object.keys(objectAt({ value }, "value")).some((name) => /[A-Z]/.test(name)))
      throw new Error("a name must be in lower case");
    return value;
  });
  const found = await checked(crd, strict);
  expect(faultsIn(found)).toEqual([]);
  expect(found.findings.map(({ kind, place }) => `${kind} ${place}`)).toContain("looser spec.map");
});

it("a map that can have one entry alone is listed as not tried with several", async () => {
  const spec = `map: { type: object, additionalProperties: { type: string }, x-kubernetes-validations: [{ rule: "self.size() < 2" }] }`;
  const found = await checked(crdOf({ v1: { spec }, v2: { spec } }), same);
  expect(faultsIn(found)).toEqual([]);
  expect(found.untried.flatMap(({ places }) => places.map(({ place }) => place))).toContain("spec.map");
});

it("a map that the schema does not describe is listed as not tried", async () => {
  const spec = "map: { type: object, additionalProperties: true }";
  const found = await checked(crdOf({ v1: { spec }, v2: { spec } }), same);
  expect(found.untried.flatMap(({ places }) => places.map(({ place }) => place))).toContain("spec.map");
});

it("a field that is read in one entry alone is found, also in maps within lists", async () => {
  const entry =
    "type: object, required: [name], properties: { name: { type: string }, size: { type: integer } }";
  const spec = `rooms: { type: array, items: { type: object, properties: { lights: { type: object, additionalProperties: { ${entry} } } } } }`;
  const forgetful = changing((each) => ({
    ...each,
    rooms: (Array.isArray(each.rooms) ? each.rooms : []).map((room: Json) =>
      isObject(room) && isObject(room.lights)
        ? {
            ...room,
            lights: Object.fromEntries(
              Object.entries(room.lights).map(([name, light], index) => [
                name,
                index > 0 && isObject(light) ? set(light, "size", undefined) : light,
              ]),
            ),
          }
        : room,
    ),
  }));
  const versions = crdOf({ v1: { spec }, v2: { spec } });
  expect(faultsIn(await checked(versions, forgetful))).toEqual(["lost spec.rooms[].lights.*.size"]);
  expect(faultsIn(await checked(versions, same))).toEqual([]);
});
