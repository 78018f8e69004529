import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { each } from "../../src/conversion/nested-rows.ts";
import { group } from "../../src/conversion/rows.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

// A list without keys, whose items have a flag that a newer field replaced. The kind Filter has a keyed one.
const items = each(
  "spec.items",
  "spec.items",
  group({
    older: { type: "matchType", flag: "regex" },
    newer: { type: "matchType" },
    up: ({ type, flag }) => ({ type: type ?? (flag === undefined ? undefined : flag === true ? "=~" : "=") }),
    down: ({ type }) => ({ type }),
  }),
);
const text = { type: "string" };
const listOf = (properties: JsonObject) => ({
  items: { type: "array", items: { type: "object", properties } },
});
const { chain } = smallKind(
  {
    name: "v1",
    spec: listOf({ value: text, matchType: text, regex: { type: "boolean" } }),
    lens: lens(items),
  },
  { name: "v2", spec: listOf({ value: text, matchType: text }) },
);

it.each([
  ["stays beside a change of another field", { value: "c" }, { value: "c", regex: false }],
  ["stays beside a type that says the same", { matchType: "=" }, { value: "a", regex: false }],
  ["goes with a type that says something else", { matchType: "=~" }, { value: "a", matchType: "=~" }],
  ["goes with a type that says something else again", { matchType: "!=" }, { value: "a", matchType: "!=" }],
])("a flag that only the old version has %s", (_claim, change, expected) => {
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  const spec = {
    items: [
      { value: "a", regex: false },
      { value: "b", regex: true },
    ],
  };
  const old = { apiVersion: "small.example.org/v1", kind: "Small", metadata, spec };
  const stored = convert(old, chain, 0, 1) as { spec: { items: JsonObject[] } } & JsonObject;
  expect(stored.spec.items[0]).toEqual({ value: "a", matchType: "=" });
  const [first, ...others] = stored.spec.items;
  const written = { ...stored, spec: { items: [{ ...first, ...change }, ...others] } };
  expect(convert(written, chain, 1, 0).spec).toEqual({ items: [expected, { value: "b", regex: true }] });
});

it("a flag that only the old version has goes with the type that replaced it", () => {
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  const old = {
    apiVersion: "small.example.org/v1",
    kind: "Small",
    metadata,
    spec: { items: [{ value: "a", regex: false }] },
  };
  const written = { ...convert(old, chain, 0, 1), spec: { items: [{ value: "a" }] } };
  expect(convert(written, chain, 1, 0).spec).toEqual({ items: [{ value: "a" }] });
});

it("what a client says itself comes back, even if its fields contradict each other", () => {
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  const spec = { items: [{ value: "a", matchType: "!=", regex: false }] };
  const old = { apiVersion: "small.example.org/v1", kind: "Small", metadata, spec };
  expect(convert(convert(old, chain, 0, 1), chain, 1, 0).spec).toEqual(spec);
});

it.each([
  ["removed", [{ name: "b", flavor: "x" }]],
  ["changed", [{ name: "a", flavor: "x" }, { name: "b" }]],
  ["taken away as a whole", undefined],
])(
  "a list that only the old version has goes once the list that replaced it is %s, below other parents",
  (_how, items) => {
    const names = group({
      older: { names: "spec.names", items: "spec.strategy.items" },
      newer: { items: "spec.strategy.items" },
      up: ({ names, items }) => ({
        items: Array.isArray(names) && names.length > 0 ? names.map((name) => ({ name })) : items,
      }),
      down: ({ items }) => ({ items }),
    });
    const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
    const item = { type: "object", required: ["name"], properties: { name: text, flavor: text } };
    const strategy = { type: "object", properties: { items: { type: "array", ...keyed, items: item } } };
    const { chain } = smallKind(
      { name: "v1", spec: { names: { type: "array", items: text }, strategy }, lens: lens(names) },
      { name: "v2", spec: { strategy } },
    );
    const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
    const old = { apiVersion: "small.example.org/v1", kind: "Small", metadata, spec: { names: ["a", "b"] } };
    const stored = convert(old, chain, 0, 1);
    expect(convert(stored, chain, 1, 0).spec).toEqual(old.spec);
    const spec = { strategy: items === undefined ? {} : { items } };
    expect(convert({ ...stored, spec }, chain, 1, 0).spec).toEqual(spec);
  },
);
