import { describe, expect, it } from "vitest";
import { withoutContradicted } from "../../src/conversion/contradicted.ts";
import { convert } from "../../src/conversion/convert.ts";
import { type Codec, each, mapToList, move, reverse } from "../../src/index.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

const text = { type: "string" };
const worker = { type: "object", properties: { size: text, restart: text } };
const listOf = (items: JsonObject) => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: { ...items, required: ["name"] },
});
const mapOf = (additionalProperties: JsonObject) => ({ type: "object", additionalProperties });
const hub = { name: "v1", spec: { workers: mapOf(worker) } };

const byName: Codec = reverse(mapToList("name"));

const versions = {
  "a list": smallKind(
    {
      name: "v1beta1",
      lens: lens(move("spec.workers", "spec.workers", byName)),
      spec: { workers: listOf({ type: "object", properties: { name: text, size: text } }) },
    },
    hub,
  ),
  "a map": smallKind(
    {
      name: "v1beta1",
      lens: lens(each("spec.workers", "spec.workers", move("length", "size"))),
      spec: { workers: mapOf({ type: "object", properties: { length: text } }) },
    },
    hub,
  ),
};

/** What the hub stores after a client of the older version, which does not know when workers restart, wrote something else. */
function afterWrite(
  version: keyof typeof versions,
  workers: JsonObject,
  write: (shown: Json) => Json,
): Json | undefined {
  const { chain } = versions[version];
  const stored = {
    apiVersion: "small.example.org/v1",
    kind: "Small",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { workers },
  };
  const view = convert(stored, chain, 1, 0);
  const written = { ...view, spec: { workers: write(get(view, "spec", "workers") ?? null) } };
  return get(convert(withoutContradicted(written, view, "spec", chain), chain, 0, 1), "spec", "workers");
}

const without = (name: string) => (shown: Json) =>
  Array.isArray(shown)
    ? shown.filter((item: JsonObject) => item.name !== name)
    : Object.fromEntries(Object.entries(shown as JsonObject).filter(([key]) => key !== name));

describe.each(Object.keys(versions) as (keyof typeof versions)[])(
  "where the older version has %s of workers",
  (version) => {
    const workers = { a: { size: "1", restart: "Never" }, b: { size: "2", restart: "Always" } };

    it("an entry that its client removes stays away, with what only the newer version says of it", () => {
      expect(afterWrite(version, workers, without("a"))).toEqual({ b: workers.b });
    });

    it("all entries go if it removes them", () => {
      expect(afterWrite(version, workers, () => (version === "a list" ? [] : {}))).toEqual({});
    });

    it("the others keep what only the newer version says of them", () => {
      expect(afterWrite(version, workers, (shown) => shown)).toEqual(workers);
    });
  },
);

it("an entry that a client of the older version has never seen stays", () => {
  const [seen, hidden] = [{ a: { size: "1" } }, { c: { restart: "Never" } }];
  expect(afterWrite("a map", { ...seen, ...hidden }, without("a"))).toEqual(hidden);
});

it("an entry that is null comes back beside one that the hub cannot say", () => {
  const colours: Codec = mapToList("name", { value: "value" });
  const { chain } = smallKind(
    {
      name: "v1beta1",
      lens: lens(move("spec.colours", "spec.colours", colours)),
      spec: {
        colours: { type: "object", additionalProperties: text },
      },
    },
    {
      name: "v1",
      spec: {
        colours: { type: "array", items: { type: "object", properties: { name: text, value: text } } },
      },
    },
  );
  const spec = { colours: { a: null, b: {} } };
  const written = { apiVersion: "small.example.org/v1beta1", kind: "Small", metadata: { name: "one" }, spec };
  const hub = convert(written, chain, 0, 1);
  // The API server drops a null that a schema does not allow.
  const stored = { ...hub, spec: { colours: [{ name: "a" }] } };
  expect(get(convert(stored, chain, 1, 0), "spec")).toEqual(spec);
});
