import { describe, expect, it } from "vitest";
import { isArray, isObject, type Json, listAt, set } from "../../../src/json/json.ts";
import { changing, checked, crdOf, faultsIn, same } from "./kinds.ts";
import { Panic } from "./webhooks.ts";

// A conversion that loses items of a list. Whatever tells the items apart: the list is tried with several of them.

const lists: Readonly<Record<string, string>> = {
  texts: "{ type: array, items: { type: string } }",
  durations: "{ type: array, items: { type: string, format: duration } }",
  integers: "{ type: array, items: { type: integer, format: int32 } }",
  "few integers": "{ type: array, maxItems: 2, items: { type: integer, minimum: 4, maximum: 5 } }",
  numbers: "{ type: array, items: { type: number } }",
  booleans: "{ type: array, items: { type: boolean } }",
  enumerations: "{ type: array, items: { type: string, enum: [a, b] } }",
  "a set of enumerations":
    "{ type: array, x-kubernetes-list-type: set, items: { type: string, enum: [a, b] } }",
  "integers or texts":
    "{ type: array, items: { x-kubernetes-int-or-string: true, anyOf: [{ type: integer }, { type: string }] } }",
  "objects with a number":
    "{ type: array, items: { type: object, properties: { wait: { type: integer } } } }",
  "objects with a flag": "{ type: array, items: { type: object, properties: { open: { type: boolean } } } }",
  "objects with an enumeration":
    "{ type: array, items: { type: object, properties: { mode: { type: string, enum: [fast, slow] } } } }",
  "objects with a timeout":
    "{ type: array, items: { type: object, required: [timeout], properties: { timeout: { type: string } } } }",
  "objects in objects":
    "{ type: array, items: { type: object, properties: { port: { type: object, properties: { number: { type: integer } } } } } }",
  "objects of maps": "{ type: array, items: { type: object, additionalProperties: { type: integer } } }",
  "lists of integers": "{ type: array, items: { type: array, items: { type: integer } } }",
  "objects by a numeric key":
    "{ type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port], items: { type: object, required: [port], properties: { port: { type: integer }, name: { type: string } } } }",
  "at least four": "{ type: array, minItems: 4, items: { type: integer } }",
};

const onlyFirst = (value: Json): Json => (isArray(value) ? value.slice(0, 1) : value);

/** A conversion that changes every field of the spec, the lists among them. */
const each = (change: (value: Json) => Json) =>
  changing((spec) => Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, change(value)])));

describe.each(Object.entries(lists))("a list of %s", (_what, text) => {
  const spec = `list: ${text}`;
  const crd = crdOf({ v1: { spec }, v2: { spec } });

  it("of which only the first item is kept", async () => {
    const found = await checked(crd, each(onlyFirst));
    expect(faultsIn(found).join()).toContain("spec.list");
  });

  it("of which nothing is lost", async () => {
    const found = await checked(crd, same);
    expect(faultsIn(found)).toEqual([]);
    expect(found.untried.flatMap(({ places }) => places)).toEqual([]);
  });
});

it("a field that is read in the first item alone is found, also in lists within lists", async () => {
  const item =
    "type: object, required: [name], properties: { name: { type: string }, size: { type: integer } }";
  const spec = `rooms: { type: array, items: { type: object, properties: { lights: { type: array, items: { ${item} } } } } }`;
  const lights = (change: (light: Json, index: number) => Json) =>
    changing((each) => ({
      ...each,
      rooms: listAt(each, "rooms").map((room) =>
        isObject(room) && isArray(room.lights) ? { ...room, lights: room.lights.map(change) } : room,
      ),
    }));
  const crd = crdOf({ v1: { spec }, v2: { spec } });
  const forgetful = lights((light, index) =>
    index > 0 && isObject(light) ? set(light, "size", undefined) : light,
  );
  expect(faultsIn(await checked(crd, forgetful))).toEqual(["lost spec.rooms[].lights[].size"]);
  expect(faultsIn(await checked(crd, same))).toEqual([]);
});

it("two lists that are read by one index are found where one of them is longer", async () => {
  const spec = [
    "levels: { type: array, items: { type: string } }",
    "domains: { type: array, items: { type: object, required: [values], properties: { values: { type: array, minItems: 1, items: { type: string } }, count: { type: integer } } } }",
  ].join("\n");
  const crd = crdOf({ v1: { spec }, v2: { spec } });
  const byIndex = changing((each) => {
    for (const domain of listAt(each, "domains"))
      if (listAt(each, "levels").length > listAt(domain, "values").length) throw new Panic();
    return each;
  });
  expect(faultsIn(await checked(crd, byIndex))).toEqual(["crashed spec.levels"]);
  expect(faultsIn(await checked(crd, same))).toEqual([]);
});
