import { expect, it } from "vitest";
import { printOf } from "../../src/conversion/item-print.ts";
import { withoutRemoved } from "../../src/conversion/removed-objects.ts";
import { resourceShapeOf } from "../../src/conversion/shape.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { compileVersion } from "../../src/schema/crd/compile.ts";

const text = { type: "string" };
const check = { type: "object", properties: { every: text } };
const topology = { type: "object", required: ["class"], properties: { class: text, check } };
const named = {
  ...topology,
  required: ["name", "class"],
  properties: { ...topology.properties, name: text, topology },
};
const spec = {
  type: "object",
  properties: {
    topology,
    loose: { ...topology, required: [] },
    zones: { type: "object", additionalProperties: { ...topology, required: [] } },
    pools: {
      type: "array",
      items: named,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    steps: { type: "array", items: named },
  },
};
const openAPIV3Schema = { type: "object", properties: { spec } };
const version = compileVersion({ name: "v1", schema: { openAPIV3Schema } });
if ("faults" in version) throw new Error(JSON.stringify(version.faults));
const shape = resourceShapeOf(version.schema.model);

const check1m = { check: { every: { "=": "1m" } } };
const leaves = (name: string) => ({ spec: { [name]: check1m } });
const showing = (name: string) => ({ spec: { [name]: { class: "small" } } });

/** The leaves of an item, and a list of items with and without the object that they are in. */
const inItem = { a: { topology: check1m } };
const full = { name: "a", class: "small", topology: { class: "small" } };
const unnamed = { class: "small", topology: { class: "small" } };
const aligned = { "#shown": [printOf(unnamed)], "#0": inItem.a };
const part = { name: "a", class: "small" };

it.each<[string, JsonObject, { before: JsonObject; after: JsonObject }, JsonObject]>([
  [
    "go with the object that required a field",
    leaves("topology"),
    { before: showing("topology"), after: {} },
    {},
  ],
  [
    "stay if only other fields of it change",
    leaves("topology"),
    { before: showing("topology"), after: { spec: { topology: { class: "large" } } } },
    leaves("topology"),
  ],
  [
    "stay if the spoke never showed the object",
    leaves("topology"),
    { before: {}, after: {} },
    leaves("topology"),
  ],
  [
    "stay in an object without required fields",
    leaves("loose"),
    { before: showing("loose"), after: {} },
    leaves("loose"),
  ],
  [
    "stay beside an object that is removed",
    { spec: { ...leaves("topology").spec, ...leaves("loose").spec } },
    { before: showing("topology"), after: {} },
    leaves("loose"),
  ],
  [
    "go with an object in a map",
    { spec: { zones: { north: check1m, south: check1m } } },
    { before: { spec: { zones: { north: {}, south: {} } } }, after: { spec: { zones: { south: {} } } } },
    { spec: { zones: { south: check1m } } },
  ],
  [
    "stay in an object of a map that the spoke never showed",
    { spec: { zones: { north: check1m } } },
    { before: { spec: { zones: { south: {} } } }, after: {} },
    { spec: { zones: { north: check1m } } },
  ],
  [
    "go with an object in an item of a keyed list",
    { spec: { pools: inItem } },
    { before: { spec: { pools: [full] } }, after: { spec: { pools: [part] } } },
    {},
  ],
  [
    "go with an object in an item of a list that names are found for",
    { spec: { steps: { "#by": "name", ...inItem } } },
    { before: { spec: { steps: [full] } }, after: { spec: { steps: [{ ...part, name: "b" }, part] } } },
    {},
  ],
  [
    "go with an object in an item that is known by its place",
    { spec: { steps: aligned } },
    { before: { spec: { steps: [unnamed] } }, after: { spec: { steps: [{ class: "small" }] } } },
    { spec: { steps: { "#shown": aligned["#shown"] } } },
  ],
  [
    "stay in an item whose object stays",
    { spec: { pools: inItem } },
    { before: { spec: { pools: [full] } }, after: { spec: { pools: [{ ...full, class: "large" }] } } },
    { spec: { pools: inItem } },
  ],
  [
    "stay in an item that goes, which does not come back",
    { spec: { pools: inItem } },
    { before: { spec: { pools: [full] } }, after: { spec: { pools: [] } } },
    { spec: { pools: inItem } },
  ],
])("leaves of the hub %s", (_name, tree, images, left) => {
  expect(withoutRemoved(tree, shape, () => images)).toEqual(left);
});

it("asks for no image where the hub has no leaves in such an object", () => {
  const images = () => {
    throw new Error("an image was made");
  };
  expect(withoutRemoved(leaves("loose"), shape, images)).toEqual(leaves("loose"));
});
