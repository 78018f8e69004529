import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { originsOf } from "../../src/conversion/item-origins.ts";
import { printOf } from "../../src/conversion/item-print.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

const kinds = await loadKinds(["test/kinds"]);
const plan = kinds.find("office.example.org", "Plan");
const cases = readYaml(readFileSync("test/cases/lists.yaml", "utf8"))[0]?.value as readonly JsonObject[];

it.each(cases.map((each) => [String(each["the client"]), each] as const))("the client %s", (_name, given) => {
  if (plan === undefined) throw new Error("there is no kind Plan");
  const stored = {
    apiVersion: "office.example.org/v1",
    kind: "Plan",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: given.hub as JsonObject,
  };
  const view = convert(stored, plan.chain, 1, 0);
  const written = { ...view, spec: given.written as JsonObject };
  expect(convert(written, plan.chain, 0, 1).spec).toEqual(given.holds);
});

it("of two items that are shown alike, the one that is hidden stays in a long list", () => {
  if (plan === undefined) throw new Error("there is no kind Plan");
  const others = Array.from({ length: 254 }, (_, at) => ({ value: `value ${at}` }));
  const hidden = { secret: "x", value: "de" };
  const stored = {
    apiVersion: "office.example.org/v1",
    kind: "Plan",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { env: [hidden, { value: "de", optional: true }, ...others] },
  };
  const view = convert(stored, plan.chain, 1, 0);
  expect(view.spec).toEqual({ env: [{ value: "de" }, ...others] });
  const written = { ...view, spec: { env: [...others, { value: "de" }] } };
  expect(convert(written, plan.chain, 0, 1).spec).toEqual({
    env: [hidden, ...others, { value: "de", optional: true }],
  });
});

it("an atomic item keeps what is hidden of it beside one that a client gives its name", () => {
  const text = { type: "string" };
  const list = (properties: JsonObject) => ({
    active: { type: "array", items: { type: "object", "x-kubernetes-map-type": "atomic", properties } },
  });
  const { chain } = smallKind(
    { name: "v1beta1", spec: list({ name: text, kind: text }), lens: lens() },
    { name: "v1", spec: list({ name: text, kind: text, path: text }) },
  );
  const ours = { name: "a", kind: "Job", path: "p" };
  const stored = {
    apiVersion: "small.example.org/v1",
    kind: "Small",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { active: [{ name: "b" }, ours] },
  };
  const view = convert(stored, chain, 1, 0);
  const renamed = { ...view, spec: { active: [{ name: "a" }, { name: "a", kind: "Job" }] } };
  expect(convert(renamed, chain, 0, 1).spec).toEqual({ active: [{ name: "a" }, ours] });
});

/** What a list of a cabinet becomes at the hub when a client of the old version changes what it is shown of it. */
function written<Item extends Json>(
  list: string,
  items: readonly JsonObject[],
  change: (shown: readonly Item[]) => readonly Json[],
): Json | undefined {
  const cabinet = kinds.find("office.example.org", "Cabinet");
  if (cabinet === undefined) throw new Error("there is no kind Cabinet");
  const stored = {
    apiVersion: "office.example.org/v1",
    kind: "Cabinet",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { [list]: items },
  };
  const view = convert(stored, cabinet.chain, 1, 0);
  const shown = get(view, "spec", list) as readonly Item[];
  return get(convert({ ...view, spec: { [list]: change(shown) } }, cabinet.chain, 0, 1), "spec", list);
}

// Hooks have a side that the old version lacks.
const hooked = (hooks: readonly JsonObject[], change: (shown: readonly JsonObject[]) => readonly Json[]) =>
  written("hooks", hooks, change);

const left = { number: 1, side: "left", note: "a" };
const right = { number: 2, side: "right", title: "hat", note: "b" };

it("an item that lacks a key gets its default, as from the API server", () => {
  expect(hooked([], () => [{ number: 1, label: "hat" }])).toEqual([
    { number: 1, side: "left", title: "hat" },
  ]);
});

it("an item keeps its own key where the other version lacks a part of it", () => {
  const renamed = hooked([left, right], ([one, other]) => [{ ...one }, { ...other, label: "coat" }]);
  expect(renamed).toEqual([left, { ...right, title: "coat" }]);
  expect(hooked([left, right], (shown) => shown.toReversed())).toEqual([right, left]);
  expect(hooked([left, right], (shown) => shown.slice(1))).toEqual([right]);
  expect(hooked([left, right], (shown) => shown.slice(0, 1))).toEqual([left]);
});

it("a second item of the same number gets the default beside the first one, which keeps its key", () => {
  const both = hooked([right], (shown) => [...shown, { number: 2, label: "bag" }]);
  expect(both).toEqual([right, { number: 2, side: "left", title: "bag" }]);
});

// Two keys of which the old version makes one: `a:b` is the id a with the holder b to it.
it.each([
  [["c", "a:b", "d"], 0],
  [["c", "a:b", "d"], 1],
  [["c", "a:b", "d"], 2],
  [["a:b", "c", "b", "a"], 0],
  [["a:b", "c", "b", "a"], 1],
  [["c", "a:b", "b", "a"], 0],
  [["c", "a:b", "b", "a"], 1],
])("of the keys %j the others stay where they are when key %i is replaced", (ids, at) => {
  const keys = ids.map((id) => ({ id, note: `of ${id}` }));
  const change = (shown: readonly string[]) => {
    expect(shown).toEqual(ids);
    return shown.with(at, "new");
  };
  expect(written("keys", keys, change)).toEqual(keys.with(at, { id: "new" } as never));
});

it("a default of the hub does not come up in the old version with a change of its item", async () => {
  const policy = (await loadKinds(["webhooks/injection"])).find(
    "injection.antechamber.dev",
    "InjectionPolicy",
  );
  if (policy === undefined) throw new Error("there is no kind InjectionPolicy");
  const resourcesPolicy = { resourcesExpr: {}, targetContainersMode: "sum" };
  const container = { resourcesPolicy, shareVolumeDevicePolicy: { type: "" } };
  const spec = { initContainers: [{ ...container, transferEnv: [{}] }] };
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  const written = {
    apiVersion: "injection.antechamber.dev/v1alpha1",
    kind: "InjectionPolicy",
    metadata,
    spec,
  };
  const hub = convert(written, policy.chain, 0, 1);
  const defaulted = { ...resourcesPolicy, targetContainersNameRegex: ".*" };
  const changed = { ...container, resourcesPolicy: defaulted, transferEnv: [{ envNames: ["a"] }] };
  const view = convert({ ...hub, spec: { initContainers: [changed] } }, policy.chain, 1, 0);
  expect(view.spec).toEqual({ initContainers: [{ ...container, transferEnv: [{ envNames: ["a"] }] }] });
});

// One list of the old version is two of the hub, and has an order between them: inner and outer hops in turn.
const route = kinds.find("garden.example.org", "Route");
const hopsTo = (...names: string[]) => names.map((name) => ({ to: name }));

it.each([
  ["replaces the last outer hop", ["in/a", "in/b"], ["out/c", "out/z"], ["out/c", "in/a", "out/z", "in/b"]],
  ["replaces the first outer hop", ["in/a", "in/b"], ["out/z", "out/d"], ["out/z", "in/a", "out/d", "in/b"]],
  [
    "appends an inner hop",
    ["in/a", "in/b", "in/z"],
    ["out/c", "out/d"],
    ["out/c", "in/a", "out/d", "in/b", "in/z"],
  ],
  [
    "inserts an inner hop",
    ["in/a", "in/z", "in/b"],
    ["out/c", "out/d"],
    ["out/c", "in/a", "in/z", "out/d", "in/b"],
  ],
  [
    "inserts an outer hop",
    ["in/a", "in/b"],
    ["out/c", "out/z", "out/d"],
    ["out/c", "out/z", "in/a", "out/d", "in/b"],
  ],
  [
    "puts an outer hop in front of the others",
    ["in/a", "in/b"],
    ["out/z", "out/c", "out/d"],
    ["out/z", "out/c", "in/a", "out/d", "in/b"],
  ],
  ["removes an inner hop", ["in/b"], ["out/c", "out/d"], ["out/c", "out/d", "in/b"]],
])("a client of the hub %s, and the old version keeps the order of all others", (_, inner, outer, hops) => {
  if (route === undefined) throw new Error("there is no kind Route");
  const spec = { hops: hopsTo("out/c", "in/a", "out/d", "in/b") };
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  const made = { apiVersion: "garden.example.org/v1beta1", kind: "Route", metadata, spec };
  const stored = convert(made, route.chain, 0, 1);
  const written = { ...stored, spec: { inner: hopsTo(...inner), outer: hopsTo(...outer) } };
  expect(convert(written, route.chain, 1, 0).spec).toEqual({ hops: hopsTo(...hops) });
});

// The new inner hop stands between two others that are known, and is like one that is gone.
it("hops of one list keep their order where that of the two lists leaves no place for a new one among them", () => {
  if (route === undefined) throw new Error("there is no kind Route");
  const spec = { hops: [{ weight: 9 }, { weight: 0 }, { to: "in/a" }] };
  const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
  const made = { apiVersion: "garden.example.org/v1beta1", kind: "Route", metadata, spec };
  const stored = convert(made, route.chain, 0, 1);
  const written = {
    ...stored,
    spec: { inner: [{ to: "in/a" }, { to: "in/a", weight: 9 }], outer: [{}, { weight: 0 }] },
  };
  expect(convert(written, route.chain, 1, 0).spec).toEqual({
    hops: [{}, { weight: 0 }, { to: "in/a" }, { to: "in/a", weight: 9 }],
  });
});

// Prints are stored in objects: another hash would not recognise the items that an earlier release stored.
it.each([
  [{ run: "build", image: "node" }, "i209lmxvC_"],
  [{ image: "node", run: "build" }, "i209lmxvC_"],
  [{ list: [1, 2.5, true, null, "ä"], inner: { b: {}, a: [] } }, "MFkNq3d-y5"],
  ["text", "_TwP3"],
])("the print of %j stays the same", (item, print) => {
  expect(printOf(item)).toBe(print);
});

it("of items that came back, each stands for one of ours even if the most like one would leave none for the next", () => {
  const rows = (every: string, ...more: readonly JsonObject[]) => ({
    rows: [{ every, sown: true }, ...more],
  });
  const ours = [rows("2h", {}), rows("2h0m0s", { every: "a" }), { note: "" }, { rows: [] }];
  const returned = [rows("2h0m0s", {}), rows("2h0m0s", {}), { rows: [] }];
  expect(originsOf(ours, returned, () => undefined)).toEqual([0, 1, -1, 2]);
});
